"""Finds the services and actions that the configuration names."""

from __future__ import annotations

from typing import Any

from rover_common.config.settings import Config, Endpoint, Skill
from rover_common.errors import ConfigError


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


def is_stop(config: Config, skill: Skill) -> bool:
    """Return whether a tool only calls a configured stop: the base's or that of a motion."""
    endpoint = find_endpoint(config, skill.endpoint)
    if endpoint is None or skill.motion is not None or skill.steps:
        return False
    guards = config.executive.guards
    motions = (each.motion.stop for each in config.robot.tools.values() if each.motion)
    stops = (guards.stop_endpoint, guards.fallback_stop_endpoint, *motions)
    return any(endpoint == find_endpoint(config, each) for each in stops)


def stop_endpoints(config: Config) -> tuple[Endpoint, Endpoint]:
    """Where the base is stopped: at the adapter, and at the robot when the adapter is silent.

    Raises:
        ConfigError: A key of `executive` names no service of `topics`.
    """
    guards = config.executive.guards
    found = []
    for key in ('stop_endpoint', 'fallback_stop_endpoint'):
        endpoint = find_endpoint(config, getattr(guards, key))
        if endpoint is None:
            raise ConfigError(
                f'executive.yaml: guards.{key} is {getattr(guards, key)!r}, which `topics` '
                'does not have.'
            )
        if endpoint.kind != 'service':
            raise ConfigError(
                f'executive.yaml: guards.{key} is {getattr(guards, key)!r}, an action '
                f'({endpoint.type}): name a service, which stops at once.'
            )
        found.append(endpoint)
    return found[0], found[1]
