"""Validation of a robot's gates: their names, and the tools that move by them."""

from __future__ import annotations

from collections.abc import Iterator

from bt_executive.skills.endpoint_validation import EXECUTIVES, GATES, SYSTEM, segments_before_last
from rover_common.config.endpoints import find_endpoint
from rover_common.config.settings import ActionGateSettings, Config, Endpoint, Skill

RESERVED_FOR_GATES = (*EXECUTIVES, GATES, 'adapter')


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
            if (
                segments_before_last(endpoint) & {*RESERVED_FOR_GATES}
                or endpoint.strip('/') in SYSTEM
            ):
                yield (
                    f'gates.{name}.{key} is {endpoint!r}, which is one of ROS or of the '
                    'executive: choose one of the robot.'
                )


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
    calls_tools = skill.steps or skill.plan
    if skill.drives and not skill.gate and not calls_tools and skill.topic is None:
        yield f'it drives, and nothing holds its permit: name its gate, one of {", ".join(gates)}.'
    endpoint = find_endpoint(config, skill.endpoint)
    if not skill.gate:
        yield from _ungated_action_faults(config, endpoint)
        return
    gate = gates[skill.gate]
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


def _ungated_action_faults(config: Config, endpoint: Endpoint | None) -> Iterator[str]:
    """Yield a sentence if a tool without a gate calls an action that a gate watches over."""
    gates = config.robot.gates.items()
    names = {
        gate.action.lstrip('/'): name
        for name, gate in gates
        if isinstance(gate, ActionGateSettings)
    }
    gate = names.get(endpoint.name.lstrip('/')) if endpoint and endpoint.kind == 'action' else None
    if endpoint is not None and gate is not None:
        yield (
            f'it calls {endpoint.name}, which moves only by the gate {gate!r}, and has no permit: '
            f'write `gate: {gate}`.'
        )
