"""Validation of what tools publish: no velocities past a gate, and no topic of the executive.

A tool that publishes has no permit, so it must not move the base, neither past a gate nor in its
name.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from bt_executive.skills.endpoint_validation import EXECUTIVES, GATES, SYSTEM
from rover_common.config.settings import ActionGateSettings, Config, Endpoint, Skill

VELOCITIES = ('geometry_msgs/msg/Twist', 'geometry_msgs/msg/TwistStamped')
_OWN = ('executive/heartbeat', 'navigation/setpoint', 'cmd_vel')
_OWN_SEGMENTS = (*EXECUTIVES, GATES, 'adapter', 'memory', 'vision', 'trace')


def topic_faults(config: Config, skill: Skill, endpoint: Endpoint | None) -> Iterator[str]:
    """Yield a sentence for each fault of a tool that publishes."""
    if skill.topic is None:
        return
    if skill.gate or skill.drives:
        yield (
            'it publishes, and moves the base: a topic has no permit and no end; let a gate drive '
            '(`motion: straight`), or call an action.'
        )
    if skill.result.ok or skill.result.reason or skill.result.code or skill.result.json_fields:
        yield 'it publishes, and nothing answers: leave out `result`; `postcondition` is measured.'
    if endpoint is not None and endpoint.kind == 'topic':
        yield from _topic_faults(config, endpoint)


def _topic_faults(config: Config, endpoint: Endpoint) -> Iterator[str]:
    if endpoint.type in VELOCITIES:
        yield (
            f'topic {endpoint.name} has velocities ({endpoint.type}): they pass only by a gate '
            '(docs/gates.md).'
        )
    name = endpoint.name.lstrip('/')
    for reserved, purpose in _reserved_topics(config):
        if name == reserved or name.endswith(f'/{reserved}'):
            yield f'topic {endpoint.name} is {purpose}: choose one of the robot.'
            return
    if is_own(name):
        yield f'topic {endpoint.name} is one of the executive: choose one of the robot.'
    elif '_action' in name.split('/')[:-1]:
        yield f'topic {endpoint.name} is part of an action: call it as `action`.'


def is_own(name: str) -> bool:
    """Return whether a topic belongs to this project's processes, by a segment of its name."""
    return not {*name.split('/')[:-1]}.isdisjoint(_OWN_SEGMENTS)


def _reserved_topics(config: Config) -> Iterator[tuple[str, str]]:
    """Yield reserved names, without the leading slash, and what each is used for."""
    for name, gate in config.robot.gates.items():
        if isinstance(gate, ActionGateSettings):
            moving = config.robot.moving_field(name)
            if moving is not None:
                yield moving.topic.strip('/'), f'of the gate {name!r}'
        else:
            for topic in (gate.velocity.passed, gate.velocity.wanted, gate.odom_topic):
                yield topic.strip('/'), f'of the gate {name!r}'
    for name, entry in config.robot.from_topics.items():
        yield entry.topic.strip('/'), f'what state {name!r} is measured by'
    for topic in (*SYSTEM, *_OWN):
        yield topic, 'one of ROS or of the executive'
    for name in _topic_names(config.topics):
        yield name.strip('/'), 'in `topics`, where the executive uses it'


def _topic_names(section: BaseModel) -> Iterator[str]:
    """Yield the names of the topics in a section of the configuration."""
    for key in type(section).model_fields:
        value = getattr(section, key)
        if isinstance(value, Endpoint):
            yield from (value.name for _ in range(value.kind == 'topic'))
        elif isinstance(value, BaseModel):
            yield from () if key == 'tf' else _topic_names(value)
        elif isinstance(value, str):
            yield value
