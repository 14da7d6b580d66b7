"""Names in the graph that are reserved for the executive, and types that affect any node.

A tool or a gate with such a name would let a model answer its own approvals, leave SAFE, drive
another robot, or change what a node runs. They are refused in a robot.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator

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


def _segments(name: str) -> set[str]:
    """Return the segments of a name before its last one."""
    return {*name.strip('/').split('/')[:-1]}
