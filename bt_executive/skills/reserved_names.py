"""Names in the graph that are the executive's, and types that reach into any node.

A tool or a gate that names them would let a model answer its own approvals, leave SAFE, drive in
another robot's name, or change what a node runs. They stand in no robot.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator

from rover_common.config.settings import ActionGateSettings, Config, Endpoint, Skill

GATES = 'gates'
EXECUTIVES = ('executive', 'bt_executive')  # folders of names, also under a namespace
INTO_NODES = (
    'rcl_interfaces/srv/SetParameters',
    'rcl_interfaces/srv/SetParametersAtomically',
    'composition_interfaces/srv/LoadNode',
    'composition_interfaces/srv/UnloadNode',
)
# Of ROS itself.
SYSTEM = ('tf', 'tf_static', 'clock', 'rosout', 'parameter_events', 'diagnostics')
RESERVED_FOR_GATES = (*EXECUTIVES, GATES, 'adapter')


def is_executives(name: str) -> bool:
    """Return whether a name in the graph is that of an executive, or of its gates."""
    return bool(_folders(name) & {*EXECUTIVES, GATES})


def server_faults(skill: Skill, endpoint: Endpoint | None) -> Iterator[str]:
    """Sentences; none if the tool may call this server. Only the gates' own motions are theirs."""
    if endpoint is None or endpoint.kind == 'topic':
        return
    where = f'{endpoint.kind} {endpoint.name}'
    folders = _folders(endpoint.name)
    if folders & {*EXECUTIVES} or (GATES in folders and not skill.gate):
        yield (
            f'{where} is one of an executive, which people and other robots use: choose one of '
            'the robot.'
        )
    if endpoint.type in INTO_NODES:
        yield (
            f'{where} ({endpoint.type}) changes what any node runs, or its parameters: offer a '
            'service of the robot that does what is wanted.'
        )


def gate_name_faults(config: Config) -> Iterator[str]:
    """Sentences, each with the key; none if every gate stands before something of the robot."""
    for name, gate in config.robot.gates.items():
        if isinstance(gate, ActionGateSettings):
            named = {'action': gate.action}
        else:
            named = {
                'velocity.in': gate.velocity.wanted,
                'velocity.out': gate.velocity.passed,
                'odom': gate.odom_topic,
            }
        for key, each in named.items():
            if _folders(each) & {*RESERVED_FOR_GATES} or each.strip('/') in SYSTEM:
                yield (
                    f'gates.{name}.{key} is {each!r}, which is one of ROS or of the executive: '
                    'choose one of the robot.'
                )


def _folders(name: str) -> set[str]:
    return {*name.strip('/').split('/')[:-1]}
