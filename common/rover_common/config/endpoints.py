"""Finds the services and actions that a robot's file names."""

from __future__ import annotations

from typing import Any

from rover_common.config.settings import Config, Endpoint
from rover_common.config.settings.gates import DRIVE_MOTION

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
