"""Makes tools of a live graph's services, actions and topics, with arguments by their types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
import re
from typing import Any

from bt_executive.skills.learned_graph import (
    COMMON,
    JSON_TYPES,
    SINGLE,
    GraphAnalysis,
    endpoint_keys,
    leaf_fields,
    snake_case,
    unique_name,
)
from bt_executive.skills.published_topic_validation import is_own
from bt_executive.skills.tool_validation import INTERNAL_TOOLS
from rover_common.config.settings import Endpoint
from rover_common.config.settings.gates import BASE
from rover_common.interface_field_checks import FieldType, Shape, bounds_of, describe_type, fits

MOST_TOOLS, MOST_ARGUMENTS = 40, 24
_CODE = re.compile(r'[A-Z][A-Z0-9_]{0,62}')
_READS_ONLY = re.compile(r'(Get|List|Query|Describe)[A-Z]\w*')
# Interfaces of every node.
_NODE_INTERFACES = (
    'rcl_interfaces',
    'lifecycle_msgs',
    'type_description_interfaces',
    'composition_interfaces',
)
_MOTIONS: Mapping[str, dict[str, Any]] = {  # that a velocity gate makes itself
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
_EMPTY = 'std_msgs/msg/Empty'


def tools_of(
    analysis: GraphAnalysis, stop: Endpoint | None, gates: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the name of each tool, and its entry in the file. `stop` is no tool."""
    used, count = {*INTERNAL_TOOLS}, len(INTERNAL_TOOLS)
    servers = [('service', *each) for each in sorted(analysis.graph.services.items())]
    servers += [('action', *each) for each in sorted(analysis.graph.actions.items())]
    for kind, name, types in servers:
        if '/_action/' in name or any(each.startswith(_NODE_INTERFACES) for each in types):
            continue
        endpoint = analysis.valid(name, types)
        if endpoint is None or endpoint == stop:
            continue
        if len(used) - count == MOST_TOOLS:
            analysis.not_learned.append(f'{kind} {name}: more than {MOST_TOOLS} tools')
            continue
        tool = _tool(analysis, kind, endpoint, gates)
        if tool is not None:
            yield unique_name(snake_case(name), used), tool
    for name, types in sorted(analysis.graph.topics.items()):
        if name in analysis.graph.only_subscribed and len(used) - count < MOST_TOOLS:
            tool = _publishing(analysis, name, types)
            if tool is not None:
                yield unique_name(snake_case(name), used), tool
    if BASE in gates:
        for name, tool in _MOTIONS.items():
            yield unique_name(name, used), {**tool, 'gate': BASE, 'approve': True}


def _tool(
    analysis: GraphAnalysis, kind: str, endpoint: Endpoint, gates: Mapping[str, Any]
) -> dict[str, Any] | None:
    try:
        interface = analysis.resolve(endpoint.type)
    except LookupError as error:
        analysis.note_missing_type(f'{kind} {endpoint.name}', endpoint.type, error)
        return None
    package, _, name = endpoint.type.split('/')
    tool: dict[str, Any] = {
        'description': f'{_purpose(endpoint.name)}: {name} of {package} at {endpoint.name}.',
        kind: endpoint_keys(endpoint),
    }
    if joints := analysis.graph.joints.get(endpoint.name):
        tool |= _trajectory(joints)
    elif arguments := _arguments(analysis, endpoint, interface.request):
        tool['args'] = arguments
    result = dict(_result(analysis, endpoint, interface.response))
    if result:
        tool['result'] = result
    if kind == 'service' and _READS_ONLY.fullmatch(name):
        return tool | {'timeout_s': 10.0, 'reads_only': True, 'idempotent': True}
    matching = (name for name, gate in gates.items() if gate.get('action') == endpoint.name)
    gate = next(matching, '') if kind == 'action' else ''
    gated = {'gate': gate} if gate else {}
    return tool | gated | {'timeout_s': 10.0 if kind == 'service' else 300.0, 'approve': True}


def _publishing(
    analysis: GraphAnalysis, name: str, types: tuple[str, ...]
) -> dict[str, Any] | None:
    """Return a tool that publishes one message of a specific, a single-value or the empty type."""
    if len(types) != 1 or is_own(name.strip('/')):
        return None
    kind, is_specific = types[0], types[0].split('/')[0] not in COMMON
    if not (is_specific or SINGLE.fullmatch(kind) or kind == _EMPTY):
        return None
    endpoint = analysis.valid(name, types)
    if endpoint is None:
        return None
    try:
        interface = analysis.resolve(kind)
    except LookupError as error:
        analysis.note_missing_type(f'topic {name}', kind, error)
        return None
    arguments = _arguments(analysis, endpoint, interface.request)
    if any(argument['type'] == 'string' for argument in arguments.values()):  # perhaps a command
        analysis.not_learned.append(f'topic {name}: it takes a text, which nothing checks')
        return None
    tool = {
        'description': f'{_purpose(name)}: publish {kind} on {name}.',
        'topic': endpoint_keys(endpoint),
    }
    return tool | ({'args': arguments} if arguments else {}) | {'approve': True}


def _purpose(name: str) -> str:
    """Return the last part of a name as words, which describe the tool's purpose."""
    return snake_case(name.rpartition('/')[2]).replace('_', ' ').capitalize()


def _result(
    analysis: GraphAnalysis, endpoint: Endpoint, shape: Shape
) -> Iterator[tuple[str, Any]]:
    """Yield the keys of `result`, by the names of the response's fields and constants."""
    fields = dict(leaf_fields(shape))
    last = {path: path.rpartition('.')[2] for path in fields}
    done = [path for path, kind in fields.items() if last[path] in _DONE and kind == 'boolean']
    yield from (('ok', path) for path in done[:1])
    texts = [path for path, ros_type in fields.items() if ros_type == 'string']
    only = texts if len(texts) == 1 and '/action/' in endpoint.type else []
    for path in [*(path for path in texts if last[path] in _REASONS), *only][:1]:
        yield 'reason', path
    for path in _code_fields(fields):
        constants = analysis.constants(endpoint.type, path)
        codes = _codes(constants)
        if codes:
            yield 'code', path
            yield 'codes', codes
            break
        is_clear = done or _READS_ONLY.fullmatch(endpoint.type.rpartition('/')[2])
        if constants and ('/action/' in endpoint.type or not is_clear):
            names = ', '.join(sorted(constants))
            analysis.not_learned.append(
                f'{endpoint.name}: which {path} is the good one of {names:.150}'
            )


def _code_fields(fields: Mapping[str, FieldType]) -> list[str]:
    """Return the fields that may be a code: by name, or as the only integer of their message."""
    integers = [path for path, kind in fields.items() if isinstance(kind, str) and 'int' in kind]
    counts = Counter(path.rpartition('.')[0] for path in integers)
    named = [path for path in integers if path.rpartition('.')[2] in _CODES]
    return named + [
        path for path in integers if path not in named and counts[path.rpartition('.')[0]] == 1
    ]


def _arguments(analysis: GraphAnalysis, endpoint: Endpoint, shape: Shape) -> dict[str, Any]:
    arguments, used = dict[str, Any](), set[str]()
    fields = list(leaf_fields(shape))
    for path, ros_type in fields:
        json_type = next((kind for kind in JSON_TYPES if fits(kind, ros_type)), None)
        if json_type is None:
            analysis.not_learned.append(
                f'{endpoint.name}: field {path} is {describe_type(ros_type)}'
            )
        elif len(arguments) == MOST_ARGUMENTS:
            analysis.not_learned.append(f'{endpoint.name}: more than {MOST_ARGUMENTS} fields')
            break
        else:
            last = path.rpartition('.')[2]
            is_unique = sum(other.rpartition('.')[2] == last for other, _ in fields) == 1
            name = unique_name(snake_case(last if is_unique else path), used)
            bounds = bounds_of(ros_type)  # else a call is refused after a human approved it
            arguments[name] = {'type': json_type, **bounds, 'field': path, 'optional': True}
    return arguments


def _trajectory(joints: Sequence[str]) -> dict[str, Any]:
    """Return a trajectory of one point: a position for each joint, and when it is reached."""
    used: set[str] = set()
    arguments: dict[str, Any] = {
        unique_name(snake_case(joint), used): {
            'type': 'number',
            'field': f'trajectory.points[0].positions[{number}]',
        }
        for number, joint in enumerate(joints)
    }
    time = {'type': 'number', 'minimum': 0.5, 'maximum': 60, 'default': 5.0}
    field = 'trajectory.points[0].time_from_start'
    arguments[unique_name('seconds', used)] = {**time, 'field': field}
    names = {f'trajectory.joint_names[{number}]': joint for number, joint in enumerate(joints)}
    return {'set': names, 'args': arguments}


def _codes(constants: Mapping[str, int]) -> dict[int, str]:
    """Return the error codes of a type's constants; none if none of them means success."""
    good = {value for name, value in constants.items() if _GOOD.fullmatch(name)}
    names = {value: name for name, value in constants.items() if _CODE.fullmatch(name)}
    return {code: '' if code in good else names[code] for code in sorted(names)} if good else {}
