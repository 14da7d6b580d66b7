"""Validation of the arguments for a motion's duration and for a tool's destination."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rover_common.config.settings import Skill


def number_faults(skill: Skill) -> Iterator[str]:
    """Yield faults of duration and destination, which the executive needs as numbers."""
    arguments = skill.args_schema.get('properties', {})
    argument = skill.motion.duration_arg if skill.motion else ''
    if argument and argument not in arguments:
        yield f'motion.duration_arg {argument!r} is not in args.'
    elif argument and not _is_number(arguments[argument]):
        yield f'motion.duration_arg {argument!r} must be of type number in args.'
    for key, name in _destination_arguments(skill):
        if name not in skill.args_schema.get('required', ()):
            yield f'destination.{key} is {name!r}, which args does not require.'
        elif not _is_number(arguments.get(name)):
            yield f'destination.{key}: {name!r} must be of type number in args.'


def _destination_arguments(skill: Skill) -> Iterator[tuple[str, str]]:
    if skill.destination is not None:
        yield 'x', skill.destination.x
        yield 'y', skill.destination.y


def _is_number(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get('type') in ('number', 'integer')
