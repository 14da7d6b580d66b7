"""Validation of the endpoints that tools reach: kinds, types, names reserved for the executive.

A tool or a gate with a reserved name would let a model answer its own approvals, leave SAFE, drive
another robot, or change what a node runs. They are refused in a robot.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator

from rover_common.config.endpoints import find_endpoint
from rover_common.config.settings import Config, Endpoint, Skill

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


def is_executives(name: str) -> bool:
    """Return whether a name in the graph belongs to an executive or to its gates."""
    return bool(segments_before_last(name) & {*EXECUTIVES, GATES})


def server_faults(skill: Skill, endpoint: Endpoint | None) -> Iterator[str]:
    """Yield why a tool may not call this server. Of the gates, only the motions may be called."""
    if endpoint is None or endpoint.kind == 'topic':
        return
    server = f'{endpoint.kind} {endpoint.name}'
    segments = segments_before_last(endpoint.name)
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


def segments_before_last(name: str) -> set[str]:
    """Return the segments of a name before its last one."""
    return {*name.strip('/').split('/')[:-1]}


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
