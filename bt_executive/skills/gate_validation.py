"""Validation of a robot's gates: their topics and actions, and the tools that move past them."""

from __future__ import annotations

from collections.abc import Iterator

from bt_executive.skills.reserved_names import gate_name_faults
from rover_common.config.endpoints import find_endpoint
from rover_common.config.settings import ActionGateSettings, Config, Skill


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
