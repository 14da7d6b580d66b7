"""Finds the services that stop the robot."""

from __future__ import annotations

from rover_common.config.endpoints import GATES_STOP, find_endpoint
from rover_common.config.settings import Config, Endpoint, Skill
from rover_common.errors import ConfigError

NO_STOP = 'none'  # the robot has no service that stops it, and no tool that drives


def is_stop(config: Config, skill: Skill) -> bool:
    """Return whether a tool only calls a configured stop, of the base or of a motion."""
    endpoint = find_endpoint(config, skill.endpoint)
    if endpoint is None or skill.motion is not None or skill.steps or skill.plan:
        return False
    guards = config.executive.guards
    motions = (each.motion.stop for each in config.robot.tools.values() if each.motion)
    stops = (guards.stop_endpoint, guards.fallback_stop_endpoint, *motions)
    return any(endpoint == find_endpoint(config, each) for each in stops)


def stop_endpoints(config: Config) -> tuple[Endpoint | None, Endpoint | None]:
    """Return the stop services of the base: the adapter's, and the robot's for a silent adapter.

    A robot with gates is by default stopped by these, and past them by zero velocities. None: no
    service is configured, or there is none.

    Raises:
        ConfigError: A key of `executive` names no service of `topics`, or a robot with a tool that
            drives has no stop.
    """
    guards, has_gates = config.executive.guards, bool(config.robot.gates)
    stop: Endpoint | None = GATES_STOP
    if guards.stop_endpoint or not has_gates:
        stop = _stop_at(config, 'stop_endpoint')
    if guards.fallback_stop_endpoint or not has_gates:
        return stop, _stop_at(config, 'fallback_stop_endpoint')
    return stop, None


def _stop_at(config: Config, key: str) -> Endpoint | None:
    given = getattr(config.executive.guards, key)
    if given == NO_STOP:
        _check_nothing_drives(config, key)
        return None
    endpoint = find_endpoint(config, given)
    if endpoint is None:
        raise ConfigError(
            f'executive.guards.{key} is {given!r}, which `topics` does not have; name the service '
            f'that stops the robot, or give it gates; without tools that drive, write {NO_STOP!r}.'
        )
    if endpoint.kind != 'service':
        raise ConfigError(
            f'executive.guards.{key} is {given!r}, an action ({endpoint.type}): name a '
            'service, which stops at once.'
        )
    return endpoint


def _check_nothing_drives(config: Config, key: str) -> None:
    for name, skill in config.robot.tools.items():
        if skill.motion is not None or 'base' in skill.resources_required:
            raise ConfigError(
                f'executive.guards.{key} is {NO_STOP!r}, but {name} drives: name the '
                'service that stops the robot, or give it a gate (docs/gates.md).'
            )
