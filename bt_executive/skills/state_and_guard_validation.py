"""What is wrong with the robot's parts and the conditions on them, found at start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_executive.core.built_in_guards import BUILT_IN
from bt_executive.core.done_when import MEASURED
from bt_executive.core.robot_state import ROBOT_KEYS
from bt_executive.plugins.installed_plugins import load_faults
from bt_executive.plugins.plugin_interfaces import GUARDS, REDUCERS
from bt_executive.skills.unknown_names import unknown
from rover_common.config.settings import (
    Bounds,
    DoneWhen,
    PartCondition,
    PartType,
    PartValue,
    Robot,
)
from rover_common.config.settings.state_entries import BUILT_IN_REDUCERS, steps_of
from rover_common.config.settings.state_types_and_guards import ANY, NUMBER
from rover_common.interface_fields import TIMES, Resolve, type_at, why_missing
from rover_common.part_value import is_valid_value


def part_faults(robot: Robot) -> Iterator[str]:
    """Sentences, each with its key; none if guards can be made of it."""
    yield from unknown('moving_resources: resource', robot.moving_resources, robot.resources)
    for name in robot.state:
        if name in ROBOT_KEYS:
            yield (
                f'state.{name}: the executive keeps a value of this name itself, so nothing '
                'else can have it; give it another name.'
            )
    for name, entry in robot.from_topics.items():
        if entry.reduce and entry.reduce not in BUILT_IN_REDUCERS:
            built_in = ', '.join(BUILT_IN_REDUCERS)
            for fault in load_faults(REDUCERS, entry.reduce, f'state.{name}.reduce'):
                yield f'{fault} Built in are {built_in}.'
    yield from _where_faults(robot.safe_when, robot.types, 'safe_when')
    if robot.done_when is not None:
        yield from done_when_faults(robot.done_when, robot, 'done_when')
    for name, condition in robot.guards.items():
        yield from (f'guards.{name}: {fault}' for fault in _faults(name, condition, robot))
    for name, skill in robot.tools.items():
        for fault in _where_faults(skill.postcondition, robot.types, 'postcondition'):
            yield f'tools.{name}: {fault}'


def field_type_faults(robot: Robot, resolve: Resolve | None) -> Iterator[str]:
    """Yield sentences about fields that the messages of a topic whose type is named do not have.

    A topic without `type` is looked at when its messages come.
    """
    for name, entry in robot.from_topics.items():
        if entry.type is None or resolve is None:
            continue
        try:
            shape = resolve(entry.type).request
        except LookupError as error:
            yield f'state.{name}: {error.args[0]}.'
            continue
        path = ''
        for step, chosen in steps_of(entry.field):
            path = f'{path}.{step}'.lstrip('.') + ('' if chosen is None else '[0]')
            found = type_at(shape, path)
            if found is None:
                why = why_missing(shape, path)
                yield f'state.{name}.field is {entry.field!r:.80}, not of {entry.type}: {why}.'
            if found is None or found in TIMES:  # their parts are known to be there
                break


def done_when_faults(done_when: DoneWhen, robot: Robot, key: str) -> Iterator[str]:
    """Yield sentences about conditions that nothing can meet, each with its key."""
    known = {**robot.types, **MEASURED}
    yield from _where_faults(done_when.where, known, f'{key}.where', f'{key}.where: field')


def _faults(name: str, condition: PartCondition, robot: Robot) -> Iterator[str]:
    if name in BUILT_IN:
        yield 'a guard of this name is built in; choose another name.'
    if condition.plugin:
        yield from load_faults(GUARDS, condition.plugin, 'plugin')
    yield from _where_faults(condition.where, robot.types, 'where')
    for number, group in enumerate(condition.any_of):
        yield from _where_faults(group, robot.types, f'any_of.{number}')
    yield from _where_faults(condition.but_not, robot.types, 'not')


def _where_faults(
    where: Mapping[str, tuple[PartValue, ...] | Bounds],
    types: Mapping[str, PartType],
    key: str,
    what: str = 'state',
) -> Iterator[str]:
    yield from unknown(what, where, types)
    for field, wanted in where.items():
        kind = types.get(field)
        if kind is not None:
            yield from (f'{key}.{field} {fault}' for fault in _value_faults(wanted, kind))


def _value_faults(wanted: tuple[PartValue, ...] | Bounds, kind: PartType) -> Iterator[str]:
    if isinstance(wanted, Bounds):
        if kind not in (NUMBER, ANY):
            yield f'has bounds, but it is {_in_words(kind)}.'
        return
    for value in wanted if kind != ANY else ():
        if not is_valid_value(value, kind):
            yield f'is {value!r}, but it is {_in_words(kind)}.'


def _in_words(kind: PartType) -> str:
    return f'a {kind}' if isinstance(kind, str) else f'one of {", ".join(kind)}'
