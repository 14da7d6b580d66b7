"""Validation of what tools reach: gates, topics, servers, and names reserved for the executive.

A tool or a gate with a reserved name would let a model answer its own approvals, leave SAFE, drive
another robot, or change what a node runs. They are refused in a robot.yaml. A tool that publishes
has no permit, so it must not move the base, neither past a gate nor in its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from rover_common.config.endpoints import find_endpoint
from rover_common.config.settings import ActionGateSettings, Config, Endpoint, Skill

GATES = 'gates'
EXECUTIVES = ('executive', 'bt_executive')  # name segments, also under a namespace
NODE_SERVICES = (
    'rcl_interfaces/srv/SetParameters',
    'rcl_interfaces/srv/SetParametersAtomically',
    'composition_interfaces/srv/LoadNode',
    'composition_interfaces/srv/UnloadNode',
)
# Of ROS itself.
SYSTEM = ('tf', 'tf_static', 'clock', 'rosout', 'parameter_events', 'diagnostics')
RESERVED_FOR_GATES = (*EXECUTIVES, GATES, 'adapter')


def is_executives(name: str) -> bool:
    """Return whether a name in the graph belongs to an executive or to its gates."""
    return bool(_segments(name) & {*EXECUTIVES, GATES})


def server_faults(skill: Skill, endpoint: Endpoint | None) -> Iterator[str]:
    """Yield why a tool may not call this server. Of the gates, only the motions may be called."""
    if endpoint is None or endpoint.kind == 'topic':
        return
    server = f'{endpoint.kind} {endpoint.name}'
    segments = _segments(endpoint.name)
    if segments & {*EXECUTIVES} or (GATES in segments and not skill.gate):
        yield (
            f'{server} is one of an executive, which people and other robots use: choose one of '
            'the robot.'
        )
    if endpoint.type in NODE_SERVICES:
        yield (
            f'{server} ({endpoint.type}) changes what any node runs, or its parameters: offer a '
            'service of the robot that does what is wanted.'
        )


def gate_name_faults(config: Config) -> Iterator[str]:
    """Yield a sentence for each gate whose topics or action are not of the robot."""
    for name, gate in config.robot.gates.items():
        if isinstance(gate, ActionGateSettings):
            endpoints = {'action': gate.action}
        else:
            endpoints = {
                'velocity.in': gate.velocity.wanted,
                'velocity.out': gate.velocity.passed,
                'odom': gate.odom_topic,
            }
        for key, endpoint in endpoints.items():
            if _segments(endpoint) & {*RESERVED_FOR_GATES} or endpoint.strip('/') in SYSTEM:
                yield (
                    f'gates.{name}.{key} is {endpoint!r}, which is one of ROS or of the '
                    'executive: choose one of the robot.'
                )


def type_faults(config: Config) -> Iterator[str]:
    """Yield a sentence with its key for each second type of a name; ROS refuses such a node."""
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for key, kind, name, type_name in _typed_names(config):
        known, where = first.setdefault((kind, name), (type_name, key))
        if type_name != known:
            yield (
                f'{key}: {kind} {name} is {type_name} here and {known} in {where}, and can have '
                'one type only: correct one of them.'
            )


def _typed_names(config: Config) -> Iterator[tuple[str, str, str, str]]:
    """Yield key, kind, name and type of what the executive calls, publishes or subscribes to."""
    guards, robot = config.executive.guards, config.robot
    given = [(f'tools.{name}', each.endpoint) for name, each in robot.tools.items()]
    given += [
        (f'tools.{name}.motion.stop', each.motion.stop)
        for name, each in robot.tools.items()
        if each.motion
    ]
    for name in ('stop_endpoint', 'fallback_stop_endpoint'):
        given.append((f'executive.guards.{name}', getattr(guards, name)))
    for key, named in given:
        if endpoint := find_endpoint(config, named):
            yield key, endpoint.kind, endpoint.ros_name, endpoint.type
    for name, entry in robot.from_topics.items():
        if entry.type is not None:
            yield f'state.{name}', 'topic', entry.topic, entry.type


def _segments(name: str) -> set[str]:
    """Return the segments of a name before its last one."""
    return {*name.strip('/').split('/')[:-1]}


VELOCITIES = ('geometry_msgs/msg/Twist', 'geometry_msgs/msg/TwistStamped')
_OWN = ('executive/heartbeat', 'navigation/setpoint', 'cmd_vel')
_OWN_SEGMENTS = (*EXECUTIVES, GATES, 'adapter', 'memory', 'vision', 'trace')


def topic_faults(config: Config, skill: Skill, endpoint: Endpoint | None) -> Iterator[str]:
    """Yield a sentence for each fault of a tool that publishes."""
    if skill.topic is None:
        return
    if skill.gate or skill.motion or skill.destination or 'base' in skill.resources_required:
        yield (
            'it publishes, and moves the base: a topic has no permit and no end; let a gate drive '
            '(`motion: straight`), or call an action.'
        )
    if skill.result.ok or skill.result.reason or skill.result.code or skill.result.json_fields:
        yield 'it publishes, and nothing answers: leave out `result`; `postcondition` is measured.'
    if endpoint is not None and endpoint.kind == 'topic':
        yield from _topic_faults(config, endpoint)


def _topic_faults(config: Config, endpoint: Endpoint) -> Iterator[str]:
    if endpoint.type in VELOCITIES:
        yield (
            f'topic {endpoint.name} has velocities ({endpoint.type}): they pass only by a gate '
            '(docs/gates.md).'
        )
    name = endpoint.name.lstrip('/')
    for reserved, purpose in _reserved_topics(config):
        if name == reserved or name.endswith(f'/{reserved}'):
            yield f'topic {endpoint.name} is {purpose}: choose one of the robot.'
            return
    if is_own(name):
        yield f'topic {endpoint.name} is one of the executive: choose one of the robot.'
    elif '_action' in name.split('/')[:-1]:
        yield f'topic {endpoint.name} is part of an action: call it as `action`.'


def is_own(name: str) -> bool:
    """Return whether a topic belongs to this project's processes, by a segment of its name."""
    return not {*name.split('/')[:-1]}.isdisjoint(_OWN_SEGMENTS)


def _reserved_topics(config: Config) -> Iterator[tuple[str, str]]:
    """Yield reserved names, without the leading slash, and what each is used for."""
    for name, gate in config.robot.gates.items():
        if isinstance(gate, ActionGateSettings):
            moving = config.robot.moving_field(name)
            if moving is not None:
                yield moving.topic.strip('/'), f'of the gate {name!r}'
        else:
            for topic in (gate.velocity.passed, gate.velocity.wanted, gate.odom_topic):
                yield topic.strip('/'), f'of the gate {name!r}'
    for name, entry in config.robot.from_topics.items():
        yield entry.topic.strip('/'), f'what state {name!r} is measured by'
    for topic in (*SYSTEM, *_OWN):
        yield topic, 'one of ROS or of the executive'
    for name in _topic_names(config.topics):
        yield name.strip('/'), 'in `topics`, where the executive uses it'


def _topic_names(section: BaseModel) -> Iterator[str]:
    """Yield the names of the topics in a section of the configuration."""
    for key in type(section).model_fields:
        value = getattr(section, key)
        if isinstance(value, Endpoint):
            yield from (value.name for _ in range(value.kind == 'topic'))
        elif isinstance(value, BaseModel):
            yield from () if key == 'tf' else _topic_names(value)
        elif isinstance(value, str):
            yield value


def gate_faults(config: Config) -> Iterator[str]:
    """Yield a sentence with its key for each fault of the gates."""
    robot = config.robot
    yield from gate_name_faults(config)
    for name in robot.gates:
        if name not in {skill.gate for skill in robot.tools.values()}:
            yield f'gates.{name}: no tool moves by it; write `gate: {name}` into one.'
    for name, skill in robot.tools.items():
        for fault in _tool_faults(config, skill) if robot.gates else ():
            yield f'tools.{name}: {fault}'


def _tool_faults(config: Config, skill: Skill) -> Iterator[str]:
    gates = config.robot.gates
    drives = bool(skill.motion or skill.destination or 'base' in skill.resources_required)
    calls_tools = skill.steps or skill.plan
    if drives and not skill.gate and not calls_tools and skill.topic is None:
        yield f'it drives, and nothing holds its permit: name its gate, one of {", ".join(gates)}.'
    if not skill.gate:
        return
    endpoint, gate = find_endpoint(config, skill.endpoint), gates[skill.gate]
    if endpoint is None:
        yield f'it has the gate {skill.gate!r} and calls no server, so nothing would move.'
    elif isinstance(gate, ActionGateSettings):
        if endpoint.kind != 'action' or endpoint.name.lstrip('/') != gate.action.lstrip('/'):
            yield f'its gate {skill.gate!r} is of {gate.action}, and it calls {endpoint.name}.'
        elif endpoint.ros_name != gate.action:
            yield (
                f'its gate {skill.gate!r} is of {gate.action}, and it calls {endpoint.ros_name}, '
                'which is another action under a namespace: write both with a slash, or both '
                'without.'
            )
        elif skill.motion is not None:
            yield f'its gate {skill.gate!r} is of an action, which has no `motion`.'


_TYPES = {'service': 'srv', 'action': 'action', 'topic': 'msg'}
_WITH_ARTICLE = {'service': 'a service', 'action': 'an action', 'topic': 'a topic'}


def endpoint_faults(
    key: str, value: str | Endpoint, endpoint: Endpoint | None, kind: str
) -> Iterator[str]:
    """Yield the fault of a key that names no endpoint, or one of another kind."""
    if endpoint is None:
        yield (
            f'{key} is {value!r}, which `topics` does not have; '
            f'name a key of it, or write {{ name: /x, type: package/{_TYPES[kind]}/Type }}.'
        )
    elif endpoint.kind != kind:
        actual = f'{_WITH_ARTICLE[endpoint.kind]} ({endpoint.type})'
        yield f'{key} {endpoint.name} is {actual}, not {_WITH_ARTICLE[kind]}.'
