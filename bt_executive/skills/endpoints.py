"""Finds the services that stop the robot."""

from __future__ import annotations

from rover_common.config.endpoints import find_endpoint, motion_name
from rover_common.config.settings import Config, Endpoint, Skill
from rover_common.errors import ConfigError

__all__ = ['find_endpoint', 'is_stop', 'motion_name', 'stop_endpoints']
GATES_STOP = Endpoint(kind='service', name='/adapter/stop', type='std_srvs/srv/Trigger')


def is_stop(config: Config, skill: Skill) -> bool:
    """Return whether a tool only calls a configured stop: the base's or that of a motion."""
    endpoint = find_endpoint(config, skill.endpoint)
    if endpoint is None or skill.motion is not None or skill.steps:
        return False
    guards = config.executive.guards
    motions = (each.motion.stop for each in config.robot.tools.values() if each.motion)
    stops = (guards.stop_endpoint, guards.fallback_stop_endpoint, *motions)
    return any(endpoint == find_endpoint(config, each) for each in stops)


def stop_endpoints(config: Config) -> tuple[Endpoint, Endpoint | None]:
    """Where the base is stopped: at the adapter, and at the robot when the adapter is silent.

    A robot with gates is stopped at these if it names nothing else, and past them by velocities
    of zero; None: it names no service for that.

    Raises:
        ConfigError: A key of `executive` names no service of `topics`.
    """
    guards, has_gates = config.executive.guards, bool(config.robot.gates)
    stop = GATES_STOP
    if guards.stop_endpoint or not has_gates:
        stop = _stop_at(config, 'stop_endpoint')
    if guards.fallback_stop_endpoint or not has_gates:
        return stop, _stop_at(config, 'fallback_stop_endpoint')
    return stop, None


def _stop_at(config: Config, key: str) -> Endpoint:
    given = getattr(config.executive.guards, key)
    endpoint = find_endpoint(config, given)
    if endpoint is None:
        raise ConfigError(
            f'executive.yaml: guards.{key} is {given!r}, which `topics` does not have.'
        )
    if endpoint.kind != 'service':
        raise ConfigError(
            f'executive.yaml: guards.{key} is {given!r}, an action ({endpoint.type}): name a '
            'service, which stops at once.'
        )
    return endpoint
