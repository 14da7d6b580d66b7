"""Tools of a live graph: services, actions and topics whose types say what a call needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
import re
from typing import Any

from bt_executive.skills.learned_graph import (
    COMMON,
    JSON_TYPES,
    SINGLE,
    Reading,
    endpoint_keys,
    leaves,
    snake,
    unused,
)
from bt_executive.skills.registry_validation import INTERNAL_TOOLS
from bt_executive.skills.topic_validation import is_own
from rover_common.config.settings import Endpoint
from rover_common.config.settings.gated_tools import BASE
from rover_common.interface_fields import FieldType, Shape, describe_type, fits

MOST_TOOLS, MOST_ARGUMENTS = 40, 24
_CODE = re.compile(r'[A-Z][A-Z0-9_]{0,62}')
_ONLY_ASKS = re.compile(r'(Get|List|Query|Describe)[A-Z]\w*')
# Of every node, and of the actions' own services.
_OF_ROS = (
    'rcl_interfaces',
    'lifecycle_msgs',
    'type_description_interfaces',
    'composition_interfaces',
)
_MOTIONS: Mapping[str, dict[str, Any]] = {  # that a gate of velocities drives itself
    'drive': {
        'description': 'Drive straight ahead; a negative distance is backwards.',
        'examples': ['drive 1 m ahead', 'drive forward 0.5 m'],
        'motion': 'straight',
        'args': {'distance_m': {'minimum': -1, 'maximum': 3}},
        'by_hand': {'forward': {'distance_m': 0.3}, 'back': {'distance_m': -0.3}},
    },
    'turn': {
        'description': 'Turn on the spot; positive is to the left.',
        'examples': ['turn 1 rad'],
        'motion': 'turn',
        'by_hand': {'left': {'angle_rad': 0.5}, 'right': {'angle_rad': -0.5}},
    },
}
_REASONS = ('message', 'error_msg', 'error_message', 'error_string', 'answer')
_DONE = ('success', 'succeeded', 'ok', 'accepted', 'mode_sent')
_CODES = ('status', 'error_code', 'code', 'val', 'result')
_GOOD = re.compile(
    '((STATUS|RESULT|RESPONSE|OUTCOME|ERROR|CODE|ERROR_CODE)_)?'
    '(SUCCESS|SUCCESSFUL|SUCCEEDED|NONE|OK|DONE|COMPLETED?|FINISHED)|NO_ERROR'
)
TRAJECTORY = 'control_msgs/action/FollowJointTrajectory'
_NOTHING = 'std_msgs/msg/Empty'


def tools_of(
    reading: Reading, stop: Endpoint | None, gates: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the name of each tool, and what a file says of it.

    Args:
        reading: The graph.
        stop: What stops the robot, which is no tool.
        gates: By which tools move.
    """
    used, count = {*INTERNAL_TOOLS}, len(INTERNAL_TOOLS)
    servers = [('service', *each) for each in sorted(reading.graph.services.items())]
    servers += [('action', *each) for each in sorted(reading.graph.actions.items())]
    for kind, name, types in servers:
        if '/_action/' in name or any(each.startswith(_OF_ROS) for each in types):
            continue
        endpoint = reading.valid(name, types)
        if endpoint is None or endpoint == stop:
            continue
        if len(used) - count == MOST_TOOLS:
            reading.not_done.append(f'{kind} {name}: more than {MOST_TOOLS} tools')
            continue
        tool = _tool(reading, kind, endpoint, gates)
        if tool is not None:
            yield unused(snake(name), used), tool
    for name, types in sorted(reading.graph.topics.items()):
        if name in reading.graph.only_subscribed and len(used) - count < MOST_TOOLS:
            tool = _publishing(reading, name, types)
            if tool is not None:
                yield unused(snake(name), used), tool
    if BASE in gates:
        for name, tool in _MOTIONS.items():
            yield unused(name, used), {**tool, 'gate': BASE, 'approve': True}


def _tool(
    reading: Reading, kind: str, endpoint: Endpoint, gates: Mapping[str, Any]
) -> dict[str, Any] | None:
    try:
        interface = reading.resolve(endpoint.type)
    except LookupError as error:
        reading.lacks(f'{kind} {endpoint.name}', endpoint.type, error)
        return None
    package, _, name = endpoint.type.split('/')
    tool: dict[str, Any] = {
        'description': f'{_purpose(endpoint.name)}: {name} of {package} at {endpoint.name}.',
        kind: endpoint_keys(endpoint),
    }
    if joints := reading.graph.joints.get(endpoint.name):
        tool |= _trajectory(joints)
    elif arguments := _arguments(reading, endpoint, interface.request):
        tool['args'] = arguments
    result = dict(_result(reading, endpoint, interface.response))
    if result:
        tool['result'] = result
    if kind == 'service' and _ONLY_ASKS.fullmatch(name):
        return tool | {'timeout_s': 10.0, 'reads_only': True, 'idempotent': True}
    named = (name for name, each in gates.items() if each.get('action') == endpoint.name)
    gate = next(named, '') if kind == 'action' else ''
    held = {'gate': gate} if gate else {}
    return tool | held | {'timeout_s': 10.0 if kind == 'service' else 300.0, 'approve': True}


def _publishing(reading: Reading, name: str, types: tuple[str, ...]) -> dict[str, Any] | None:
    """A tool that publishes one message, where a message says something by itself."""
    if len(types) != 1 or is_own(name.strip('/')):
        return None
    kind, own = types[0], types[0].split('/')[0] not in COMMON
    if not (own or SINGLE.fullmatch(kind) or kind == _NOTHING):
        return None
    endpoint = reading.valid(name, types)
    if endpoint is None:
        return None
    try:
        interface = reading.resolve(kind)
    except LookupError as error:
        reading.lacks(f'topic {name}', kind, error)
        return None
    arguments = _arguments(reading, endpoint, interface.request)
    if any(each['type'] == 'string' for each in arguments.values()):  # a script, a command
        reading.not_done.append(f'topic {name}: it takes a text, which nothing checks')
        return None
    tool = {
        'description': f'{_purpose(name)}: publish {kind} on {name}.',
        'topic': endpoint_keys(endpoint),
    }
    return tool | ({'args': arguments} if arguments else {}) | {'approve': True}


def _purpose(name: str) -> str:
    """Return the last part of a name as words: all that the graph says of what a tool is for."""
    return snake(name.rpartition('/')[2]).replace('_', ' ').capitalize()


def _result(reading: Reading, endpoint: Endpoint, shape: Shape) -> Iterator[tuple[str, Any]]:
    """How the answer says whether it is done, by names of fields and of numbers."""
    fields = dict(leaves(shape))
    last = {path: path.rpartition('.')[2] for path in fields}
    for path, ros_type in fields.items():
        if last[path] in _DONE and ros_type == 'boolean':
            yield 'ok', path
            break
    texts = [path for path, ros_type in fields.items() if ros_type == 'string']
    alone = texts if len(texts) == 1 and '/action/' in endpoint.type else []
    for path in [*(each for each in texts if last[each] in _REASONS), *alone][:1]:
        yield 'reason', path
    for path in _numbers(fields):
        constants = reading.constants(endpoint.type, path)
        codes = _codes(constants)
        if codes:
            yield 'code', path
            yield 'codes', codes
            break
        if constants and '/action/' in endpoint.type:
            names = ', '.join(sorted(constants))
            reading.not_done.append(
                f'{endpoint.name}: which {path} is the good one of {names:.150}'
            )


def _numbers(fields: Mapping[str, FieldType]) -> list[str]:
    """The fields that may be a code: by their name, or as the only integer of their message."""
    found = [path for path, each in fields.items() if isinstance(each, str) and 'int' in each]
    owners = Counter(path.rpartition('.')[0] for path in found)
    named = [path for path in found if path.rpartition('.')[2] in _CODES]
    return named + [
        each for each in found if each not in named and owners[each.rpartition('.')[0]] == 1
    ]


def _arguments(reading: Reading, endpoint: Endpoint, shape: Shape) -> dict[str, Any]:
    found, used = dict[str, Any](), set[str]()
    fields = list(leaves(shape))
    for path, ros_type in fields:
        json_type = next((each for each in JSON_TYPES if fits(each, ros_type)), None)
        if json_type is None:
            reading.not_done.append(f'{endpoint.name}: field {path} is {describe_type(ros_type)}')
        elif len(found) == MOST_ARGUMENTS:
            reading.not_done.append(f'{endpoint.name}: more than {MOST_ARGUMENTS} fields')
            break
        else:
            last = path.rpartition('.')[2]
            alone = sum(each.rpartition('.')[2] == last for each, _ in fields) == 1
            name = unused(snake(last if alone else path), used)
            found[name] = {'type': json_type, 'field': path, 'optional': True}
    return found


def _trajectory(joints: Sequence[str]) -> dict[str, Any]:
    """A trajectory of one point: an angle for each joint, and when it is reached."""
    used: set[str] = set()
    arguments: dict[str, Any] = {
        unused(snake(each), used): {
            'type': 'number',
            'field': f'trajectory.points[0].positions[{number}]',
        }
        for number, each in enumerate(joints)
    }
    time = {'type': 'number', 'minimum': 0.5, 'maximum': 60, 'default': 5.0}
    arguments[unused('seconds', used)] = {**time, 'field': 'trajectory.points[0].time_from_start'}
    names = {f'trajectory.joint_names[{number}]': each for number, each in enumerate(joints)}
    return {'set': names, 'args': arguments}


def _codes(constants: Mapping[str, int]) -> dict[int, str]:
    """Error codes of the numbers that a type names; none if none of them is the good case."""
    good = {value for name, value in constants.items() if _GOOD.fullmatch(name)}
    named = {value: name for name, value in constants.items() if _CODE.fullmatch(name)}
    return {each: '' if each in good else named[each] for each in sorted(named)} if good else {}
