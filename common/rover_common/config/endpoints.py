"""Finds the services and actions that a robot's file names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rover_common.config.settings import (
    ActionGateSettings,
    Config,
    Endpoint,
    VelocityGateSettings,
)
from rover_common.config.settings.gates import DRIVE_MOTION, OWN_MOTIONS

GATES_STOP = Endpoint(kind='service', name='/adapter/stop', type='std_srvs/srv/Trigger', own=True)


def find_endpoint(config: Config, given: str | Endpoint) -> Endpoint | None:
    """The endpoint that is given whole, or at a dotted key of `topics`; None if not there."""
    if isinstance(given, Endpoint):
        return given
    node: Any = config.topics
    for part in given.split('.'):
        node = getattr(node, part, None)
    return node if isinstance(node, Endpoint) else None


def motion_name(given: str | Endpoint) -> str:
    """What a permit calls the motion of an endpoint: its key in `topics`, without section.

    An endpoint that is given whole has the last part of its own name.
    """
    if isinstance(given, Endpoint):
        return given.name.rpartition('/')[2]
    return given.rpartition('.')[2]


def names_at_adapter(config: Config) -> frozenset[str]:
    """Names of the services and actions that the robot's adapter serves, or its gates.

    Of an action that moves by a gate only the gates' own motions: another server goes on when the
    gates are restarted.
    """
    named = [endpoint for _, endpoint in config.topics.adapter]
    tools = (find_endpoint(config, each.endpoint) for each in config.robot.tools.values())
    motions = (each for each in tools if each is not None and each.type == DRIVE_MOTION)
    return frozenset(each.name for each in (*named, GATES_STOP, *motions))


def actions_at(config: Config, gate: str) -> dict[str, Endpoint]:
    """Motion → action, for the tools that move by a gate and call an action."""
    found: dict[str, Endpoint] = {}
    for skill in config.robot.tools.values():
        endpoint = find_endpoint(config, skill.endpoint) if skill.gate == gate else None
        if endpoint is not None and endpoint.kind == 'action':
            found[motion_name(skill.endpoint)] = endpoint
    return found


def gates_of_driving_actions(config: Config) -> tuple[str, ...]:
    """Return the gates of actions that drive the base by themselves, such as one that docks."""
    tools, gates = config.robot.tools.values(), config.robot.gates
    names = dict.fromkeys(each.gate for each in tools if each.drives)
    return tuple(each for each in names if isinstance(gates.get(each), ActionGateSettings))


def motion_name_faults(config: Config) -> Iterator[str]:
    """Yield a sentence for each tool whose motion a gate would take for that of another server.

    The gate knows a motion by its name in the permit: whose goals it cancels, and whether it
    drives the motion itself.
    """
    by_name: dict[tuple[str, str], tuple[str, Endpoint]] = {}
    for tool, skill in config.robot.tools.items():
        gate, motion = skill.gate, motion_name(skill.endpoint)
        endpoint = find_endpoint(config, skill.endpoint) if gate else None
        if endpoint is None or not isinstance(config.robot.gates[gate], VelocityGateSettings):
            continue
        called = f"'tools.{tool}' calls the {endpoint.kind} {endpoint.name} by the gate {gate!r}"
        rename = f'give it another name by a key in `topics`, such as adapter.{tool}_{motion}'
        is_own = endpoint.ros_name == f'gates/{gate}/{motion}'
        if motion in OWN_MOTIONS and not is_own:
            yield (
                f"{called}, which would take it for its own motion {motion!r}: write 'motion: "
                f"{motion}' if that is wanted; otherwise {rename}."
            )
        elif endpoint.kind == 'action':
            other, before = by_name.setdefault((gate, motion), (tool, endpoint))
            if before.ros_name != endpoint.ros_name:
                yield (
                    f"{called}, which would take it for {before.name} of 'tools.{other}', since "
                    f'both names end with {motion!r}: {rename}.'
                )
