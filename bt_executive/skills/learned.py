"""A robot.yaml of what a live graph has: names and types that were validated, and nothing else.

The file starts unedited. Every tool needs an approval, but for those whose type only asks. What
could not be done stands in comments at its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
import re
from typing import Any, TypeAlias

from pydantic import ValidationError
import yaml

from bt_executive.core.state import ROBOT_KEYS
from bt_executive.skills.endpoints import NO_STOP
from bt_executive.skills.own_names import is_executives
from bt_executive.skills.registry_validation import INTERNAL_TOOLS
from bt_executive.skills.topic_validation import VELOCITIES, is_own
from rover_common.config.settings import Endpoint
from rover_common.config.settings.gated_tools import BASE
from rover_common.config.settings.gates import MOST_GATES
from rover_common.message_shape import FieldType, Resolve, Shape, fits, in_words

MOST_TOOLS, MOST_ARGUMENTS, MOST_FIELDS = 40, 24, 40
_FRAME = re.compile(r'[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}')
_CODE = re.compile(r'[A-Z][A-Z0-9_]{0,62}')
_ONLY_ASKS = re.compile(r'(Get|List|Query|Describe)[A-Z]\w*')
# Not `stop_motor` of a scanner, `stop_recording`, `estop_release` or `clear_estop`.
_OF_WHAT = '(robot|base|motion|movement|arm|drive|move|moving|driving|all|now)'
_STOPS = re.compile(
    rf'({_OF_WHAT}_|(emergency|protective|safety|safe|soft|quick|e)_?)?(stop|halt)(_{_OF_WHAT})?'
)
_STOP_TYPES = ('std_srvs/srv/Trigger', 'std_srvs/srv/Empty')
# Of every node, and of the actions' own services.
_OF_ROS = (
    'rcl_interfaces',
    'lifecycle_msgs',
    'type_description_interfaces',
    'composition_interfaces',
)
_WORLDS = ('map', 'odom', 'world')
_BASES = ('base_link', 'base_footprint', 'base')
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
NEAR = 'near_m'
_ROOM_AHEAD = {
    'room_ahead': {
        'where': {NEAR: {'at_least': 0.4}},
        'reason': 'Something stands less than 0.4 m from the scanner',
    }
}
_REASONS = ('message', 'error_msg', 'error_message', 'error_string', 'answer')
_DONE = ('success', 'succeeded', 'ok', 'accepted', 'mode_sent')
_CODES = ('status', 'error_code', 'code', 'val', 'result')
_GOOD = re.compile(
    '((STATUS|RESULT|RESPONSE|ERROR|CODE|ERROR_CODE)_)?(SUCCESS|SUCCESSFUL|SUCCEEDED|NONE|OK)'
    '|NO_ERROR'
)
TRAJECTORY = 'control_msgs/action/FollowJointTrajectory'
ODOMETRY = 'nav_msgs/msg/Odometry'
_CLOCK, _NOTHING = '/clock', 'std_msgs/msg/Empty'
_POSES = {
    'geometry_msgs/msg/PoseStamped': {'pose': 'pose'},
    'geometry_msgs/msg/PoseWithCovarianceStamped': {'pose': 'pose.pose'},
    'geometry_msgs/msg/Pose2D': {'x': 'x', 'y': 'y', 'yaw': 'theta'},
}
_YAWS = ('yaw', 'theta', 'heading')
LATCHED_S = 86400.0  # what is sent once counts while it is published, and for a day at most
Constants: TypeAlias = Callable[[str, str], Mapping[str, int]]
_JSON_TYPES = ('boolean', 'number', 'integer', 'string')  # a float may be an integer, too


@dataclass(frozen=True)
class Graph:
    """What a graph has: name → its types; and the frames: child → parent."""

    services: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    subscribed: frozenset[str] = frozenset()  # topics that somebody listens to
    only_subscribed: frozenset[str] = frozenset()  # those that nobody publishes
    latched: frozenset[str] = frozenset()  # topics whose latest message newcomers get
    joints: Mapping[str, Sequence[str]] = field(default_factory=dict)  # action → what it moves
    odometry: tuple[str, str] = ('', '')  # frames of the world and the base, by odometry
    frames: Mapping[str, str] = field(default_factory=dict)


def no_constants(_type_name: str, _path: str) -> dict[str, int]:
    """No type names any numbers."""
    return {}


class Learned:
    """The file for one graph. `resolve` and `message` give the fields of a type.

    `constants`: the numbers that an answer's type names beside a field.
    """

    def __init__(
        self, graph: Graph, resolve: Resolve, message: Any, constants: Constants = no_constants
    ) -> None:
        self._graph, self._resolve, self._message = _of_robot(graph), resolve, message
        self._constants = constants
        self.not_done: list[str] = []
        self.not_installed: set[str] = set()  # types
        self.stop = self._find_stop()
        self._gates = dict(self._find_gates())
        self.tools: dict[str, Any] = dict(self._tools())
        self.state = dict(self._state())
        self.frames = self._frames()

    def text(self) -> str:
        """Return the file's text."""
        parts = [
            '# Learned from a running graph. Every tool waits for an approval: take `approve`\n'
            '# off where none is needed, describe the tools to the model, remove the rest.\n',
            _written({'robot': 'learned', 'frames': self.frames}),
            *self._stopping(),
        ]
        if self.state:
            parts.append('# What guards, safe_when and postcondition of tools may ask for.\n')
            parts.append(_written({'state': self.state}))
        if NEAR in self.state and BASE in self.gates:
            parts.append(
                '# Of use once a tool names it: write guards: [room_ahead] into `drive`.\n'
            )
            parts.append(_written({'guards': _ROOM_AHEAD}))
        if self.tools:
            parts.append(_written({'tools': self.tools}))
        if self.not_done:
            parts.append('# What could not be learned:\n')
            parts += [f'#   {_comment(each)}\n' for each in self.not_done]
        return '\n'.join(parts)

    def _stopping(self) -> Iterator[str]:
        """What may move only by permission, and what stops the robot."""
        if self.gates:
            yield (
                '# What moves while the executive permits it, and stops with it (docs/gates.md).\n'
                '# Whoever else drives the base publishes on `in`; nobody but the gate on `out`.\n'
            )
            yield _written({'gates': self.gates})
        if self.stop is not None:
            yield '# What stops the robot, by its name and type: make sure that it does.\n'
            yield _written({'topics': {'adapter': {'halt': _endpoint(self.stop)}}})
        elif not self.gates:
            yield (
                '# No service that stops the robot was found. A stop cancels the actions that\n'
                '# were called; a tool that drives (resource base, motion) is refused.\n'
            )
        stop = 'adapter.halt' if self.stop else NO_STOP
        guards = {'fallback_stop_endpoint': stop}
        if not self.gates:
            guards['stop_endpoint'] = stop
        section: dict[str, Any] = {}
        if self.stop is not None or not self.gates:
            section['guards'] = guards
        if _CLOCK in self._graph.topics:
            yield f'# A simulation: time is what comes on {_CLOCK}.\n'
            section['use_sim_time'] = True
        if section:
            yield _written({'executive': section})

    @property
    def gates(self) -> dict[str, Any]:
        """The gates of which a tool was learned, by name."""
        used = {each.get('gate') for each in self.tools.values()}
        return {name: each for name, each in self._gates.items() if name in used}

    def _find_gates(self) -> Iterator[tuple[str, Any]]:
        """A gate for a base that is driven by velocities, and one for each action."""
        odom = odometry_of(self._published)
        odometry: Any = odom if self._valid_topic(odom) else None
        wanted = [
            (topic, kind)
            for kind in VELOCITIES
            for topic, types in sorted(self._graph.topics.items())
            if types == (kind,) and topic in self._graph.subscribed and self._valid(topic, types)
        ]
        if wanted and odometry is None:
            odometry = self._other_odometry(wanted[0][0])
        if wanted and odometry:
            out, kind = wanted[0]
            topics = {'in': f'{out}_wanted', 'out': out, 'stamped': kind.endswith('Stamped')}
            yield BASE, {'velocity': topics, 'odom': odometry}
        elif wanted:
            self.not_done.append(f'{wanted[0][0]}: no odometry, so no gate of velocities')
        for topic, _ in wanted[1:]:
            self.not_done.append(f'{topic}: a second topic of velocities; a base has one gate')
        used = {BASE}
        for name, types in sorted(self._graph.actions.items()):
            if len(used) < MOST_GATES and self._valid(name, types):
                yield _unused(_snake(name)[:36].rstrip('_'), used), {'action': name}

    @property
    def _published(self) -> dict[str, tuple[str, ...]]:
        """The topics that somebody publishes."""
        silent = self._graph.only_subscribed
        return {name: each for name, each in self._graph.topics.items() if name not in silent}

    def _other_odometry(self, velocities: str) -> dict[str, str] | None:
        """The pose in messages of another type, the nearest to the velocities by its name."""
        space = velocities.rpartition('/')[0]

        def near(name: str) -> tuple[bool, str]:
            return name.rpartition('/')[0] != space, name

        for topic in sorted(self._published, key=near):
            types = self._published[topic]
            fields = self._pose_in(types[0]) if len(types) == 1 else None
            if fields and self._valid_topic(topic):
                return {'topic': topic, **fields}
        return None

    def _pose_in(self, type_name: str) -> dict[str, str] | None:
        if type_name in _POSES:
            return _POSES[type_name]
        if type_name.split('/')[0] in _COMMON:
            return None
        try:
            shape = self._message(type_name)
        except LookupError:
            return None  # said of its state
        for name, each in shape.items():
            if each == 'geometry_msgs/Pose':
                return {'pose': name}
        yaw = next((each for each in _YAWS if each in shape), '')
        is_pose = all(fits('number', shape.get(each, '')) for each in ('x', 'y', yaw))
        return {'x': 'x', 'y': 'y', 'yaw': yaw} if is_pose else None

    def _valid_topic(self, name: str) -> bool:
        return bool(name) and self._valid(name, self._graph.topics[name]) is not None

    def _find_stop(self) -> Endpoint | None:
        for name, types in sorted(self._graph.services.items()):
            last = name.rpartition('/')[2]
            if types and types[0] in _STOP_TYPES and _STOPS.fullmatch(last):
                return self._valid(name, types)
        return None

    def _tools(self) -> Iterator[tuple[str, Any]]:
        used, count = {*INTERNAL_TOOLS}, len(INTERNAL_TOOLS)
        servers = [('service', *each) for each in sorted(self._graph.services.items())]
        servers += [('action', *each) for each in sorted(self._graph.actions.items())]
        for kind, name, types in servers:
            if '/_action/' in name or any(each.startswith(_OF_ROS) for each in types):
                continue
            endpoint = self._valid(name, types)
            if endpoint is None or endpoint == self.stop:
                continue
            if len(used) - count == MOST_TOOLS:
                self.not_done.append(f'{kind} {name}: more than {MOST_TOOLS} tools')
                continue
            tool = self._tool(kind, endpoint)
            if tool is not None:
                yield _unused(_snake(name), used), tool
        for name, types in sorted(self._graph.topics.items()):
            if name in self._graph.only_subscribed and len(used) - count < MOST_TOOLS:
                tool = self._publishing(name, types)
                if tool is not None:
                    yield _unused(_snake(name), used), tool
        if BASE in self._gates:
            for name, tool in _MOTIONS.items():
                yield _unused(name, used), {**tool, 'gate': BASE, 'approve': True}

    def _valid(self, name: str, types: tuple[str, ...]) -> Endpoint | None:
        try:
            if len(types) != 1 or len(name) > 200:
                raise ValueError('several types')
            return Endpoint.model_validate({'name': name, 'type': types[0]})
        except (ValidationError, ValueError):
            self.not_done.append(f'{name} ({", ".join(types)}): no usable name or type')
            return None

    def _tool(self, kind: str, endpoint: Endpoint) -> dict[str, Any] | None:
        try:
            interface = self._resolve(endpoint.type)
        except LookupError as error:
            self._lacks(f'{kind} {endpoint.name}', endpoint.type, error)
            return None
        package, _, name = endpoint.type.split('/')
        tool: dict[str, Any] = {
            'description': f'{name} of {package} at {endpoint.name}.',
            kind: _endpoint(endpoint),
        }
        if joints := self._graph.joints.get(endpoint.name):
            tool |= _trajectory(joints)
        elif arguments := self._arguments(endpoint, interface.request):
            tool['args'] = arguments
        result = dict(self._result(endpoint, interface.response))
        if result:
            tool['result'] = result
        if kind == 'service' and _ONLY_ASKS.fullmatch(name):
            return tool | {'timeout_s': 10.0, 'reads_only': True, 'idempotent': True}
        gates = (name for name, each in self._gates.items() if each.get('action') == endpoint.name)
        gate = next(gates, '') if kind == 'action' else ''
        held = {'gate': gate} if gate else {}
        return tool | held | {'timeout_s': 10.0 if kind == 'service' else 300.0, 'approve': True}

    def _publishing(self, name: str, types: tuple[str, ...]) -> dict[str, Any] | None:
        """A tool that publishes one message, where a message says something by itself."""
        if len(types) != 1 or is_own(name.strip('/')):
            return None
        kind, own = types[0], types[0].split('/')[0] not in _COMMON
        if not (own or _SINGLE.fullmatch(kind) or kind == _NOTHING):
            return None
        endpoint = self._valid(name, types)
        if endpoint is None:
            return None
        try:
            interface = self._resolve(kind)
        except LookupError as error:
            self._lacks(f'topic {name}', kind, error)
            return None
        arguments = self._arguments(endpoint, interface.request)
        if any(each['type'] == 'string' for each in arguments.values()):  # a script, a command
            self.not_done.append(f'topic {name}: it takes a text, which nothing checks')
            return None
        tool = {'description': f'Publish {kind} on {name}.', 'topic': _endpoint(endpoint)}
        return tool | ({'args': arguments} if arguments else {}) | {'approve': True}

    def _lacks(self, what: str, type_name: str, error: LookupError) -> None:
        self.not_done.append(f'{what}: {error.args[0]}')
        self.not_installed.add(type_name)

    def _result(self, endpoint: Endpoint, shape: Shape) -> Iterator[tuple[str, Any]]:
        """How the answer says whether it is done, by names of fields and of numbers."""
        leaves = dict(_leaves(shape))
        last = {path: path.rpartition('.')[2] for path in leaves}
        for path, ros_type in leaves.items():
            if last[path] in _DONE and ros_type == 'boolean':
                yield 'ok', path
                break
        texts = [path for path, ros_type in leaves.items() if ros_type == 'string']
        alone = texts if len(texts) == 1 and '/action/' in endpoint.type else []
        for path in [*(each for each in texts if last[each] in _REASONS), *alone][:1]:
            yield 'reason', path
        for path, ros_type in leaves.items():
            if last[path] in _CODES and fits('integer', ros_type):
                codes = _codes(self._constants(endpoint.type, path))
                if codes:
                    yield 'code', path
                    yield 'codes', codes
                    break

    def _arguments(self, endpoint: Endpoint, shape: Shape) -> dict[str, Any]:
        found, used = dict[str, Any](), set[str]()
        leaves = list(_leaves(shape))
        for path, ros_type in leaves:
            json_type = next((each for each in _JSON_TYPES if fits(each, ros_type)), None)
            if json_type is None:
                self.not_done.append(f'{endpoint.name}: field {path} is {in_words(ros_type)}')
            elif len(found) == MOST_ARGUMENTS:
                self.not_done.append(f'{endpoint.name}: more than {MOST_ARGUMENTS} fields')
                break
            else:
                last = path.rpartition('.')[2]
                alone = sum(each.rpartition('.')[2] == last for each, _ in leaves) == 1
                name = _unused(_snake(last if alone else path), used)
                found[name] = {'type': json_type, 'field': path, 'optional': True}
        return found

    def _state(self) -> Iterator[tuple[str, Any]]:
        found = [
            (topic, name, entry)
            for topic, types in sorted(self._published.items())
            for name, entry in self._fields(topic, types)
        ]
        times = Counter(name for _, name, _ in found)
        used: set[str] = {*ROBOT_KEYS}
        for topic, name, entry in found[:MOST_FIELDS]:
            latched = {'max_age_s': LATCHED_S} if topic in self._graph.latched else {}
            whose = name if times[name] == 1 else _snake(f'{topic.rpartition("/")[2]}_{name}')
            yield _unused(whose, used), {'topic': topic, **entry, **latched}
        for topic, _, entry in found[MOST_FIELDS:]:
            self.not_done.append(
                f'topic {topic}: field {entry["field"]}: more than {MOST_FIELDS} fields of state'
            )

    def _fields(self, topic: str, types: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        if topic.rpartition('/')[2] in _LONG_TEXTS or self._valid(topic, types) is None:
            return
        last = _snake(topic)
        match types[0]:
            case 'sensor_msgs/msg/BatteryState':
                yield 'charge', {'field': 'percentage', 'scale': 100, 'max_age_s': 10.0}
            case 'sensor_msgs/msg/LaserScan':
                near = {'field': 'ranges', 'reduce': 'min', 'if_infinite': 100.0}
                yield NEAR, {**near, 'max_age_s': 0.5}
            case 'sensor_msgs/msg/Range':
                yield last, {'field': 'range', 'max_age_s': 0.5}
            case other if _SINGLE.fullmatch(other):
                yield last, {'field': 'data'}
            case other if other.split('/')[0] not in _COMMON:
                try:
                    shape = self._message(other)
                except LookupError as error:
                    self._lacks(f'topic {topic}', other, error)
                    return
                for name, ros_type in shape.items():
                    if any(fits(each, ros_type) for each in _JSON_TYPES):
                        yield _snake(name), {'field': name}

    def _frames(self) -> dict[str, str]:
        frames = {
            each: parent
            for each, parent in self._graph.frames.items()
            if _FRAME.fullmatch(each) and _FRAME.fullmatch(parent)
        }
        roots = sorted({*frames.values()} - {*frames})
        world = next((each for each in _WORLDS if each in roots), roots[0] if roots else 'map')
        moved = self._graph.odometry  # of a base without a transform
        if all(map(_FRAME.fullmatch, moved)) and moved[1] not in frames:
            return {'world': moved[0], 'base': moved[1]}
        known = [each for each in _BASES if each in frames]
        known += sorted(each for each in frames if each.rpartition('/')[2] in _BASES)
        if not known and isinstance(self._gates.get(BASE, {}).get('odom'), str):
            self.not_done.append('frames: no transform to a base was seen; set `frames`')
        return {'world': world, 'base': known[0] if known else 'base_link'}


def _of_robot(graph: Graph) -> Graph:
    """The graph without what is an executive's, though another node may call it."""

    def of_robot(found: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {name: types for name, types in found.items() if not is_executives(name)}

    return replace(
        graph,
        services=of_robot(graph.services),
        actions=of_robot(graph.actions),
        topics=of_robot(graph.topics),
    )


_LONG_TEXTS = ('robot_description', 'robot_description_semantic')
_SINGLE = re.compile('std_msgs/msg/(Bool|String|Float(32|64)|U?Int(8|16|32|64))')
# Packages whose messages say nothing by the name of a field.
_COMMON = {
    *('std_msgs', 'sensor_msgs', 'geometry_msgs', 'nav_msgs', 'tf2_msgs', 'rcl_interfaces'),
    *('visualization_msgs', 'diagnostic_msgs', 'rosgraph_msgs', 'action_msgs', 'bond'),
    'lifecycle_msgs',
}


def _leaves(shape: Shape, before: str = '') -> Iterator[tuple[str, FieldType]]:
    for name, each in shape.items():
        if name == 'structure_needs_at_least_one_member':
            continue
        if isinstance(each, Mapping):
            yield from _leaves(each, f'{before}{name}.')
        else:
            yield before + name, each


def odometry_of(topics: Mapping[str, tuple[str, ...]]) -> str:
    """The topic that is most likely a base's odometry; empty: there is none."""
    found = [name for name, types in topics.items() if types == (ODOMETRY,)]
    odom = ('odom', 'odometry')
    return min(found, key=lambda name: (name.rpartition('/')[2] not in odom, name), default='')


def _trajectory(joints: Sequence[str]) -> dict[str, Any]:
    """A trajectory of one point: an angle for each joint, and when it is reached."""
    used: set[str] = set()
    arguments: dict[str, Any] = {
        _unused(_snake(each), used): {
            'type': 'number',
            'field': f'trajectory.points[0].positions[{number}]',
        }
        for number, each in enumerate(joints)
    }
    time = {'type': 'number', 'minimum': 0.5, 'maximum': 60, 'default': 5.0}
    arguments[_unused('seconds', used)] = {**time, 'field': 'trajectory.points[0].time_from_start'}
    names = {f'trajectory.joint_names[{number}]': each for number, each in enumerate(joints)}
    return {'set': names, 'args': arguments}


def _codes(constants: Mapping[str, int]) -> dict[int, str]:
    """Error codes of the numbers that a type names; none if none of them is the good case."""
    good = {value for name, value in constants.items() if _GOOD.fullmatch(name)}
    named = {value: name for name, value in constants.items() if _CODE.fullmatch(name)}
    return {each: '' if each in good else named[each] for each in sorted(named)} if good else {}


def _snake(name: str) -> str:
    """A name for a tool, an argument or a field, of anything."""
    text = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', name).lower()
    text = re.sub(r'[^a-z0-9_]+', '_', text).strip('_')[:48].rstrip('_')
    return text if text[:1].isalpha() else f'x_{text}'


def _unused(name: str, used: set[str]) -> str:
    """The name, with a number behind it if it is used; it is used from now on."""
    number, found = 2, name
    while found in used:
        found, number = f'{name}_{number}', number + 1
    used.add(found)
    return found


def _endpoint(endpoint: Endpoint) -> dict[str, str]:
    return {'name': endpoint.name, 'type': endpoint.type}


def _comment(text: str) -> str:
    """A text that cannot end its line, nor hide anything in it."""
    return ascii(text)[1:-1][:300]


def _written(content: Mapping[str, Any]) -> str:
    return yaml.safe_dump(
        dict(content), sort_keys=False, allow_unicode=False, default_flow_style=None, width=130
    )
