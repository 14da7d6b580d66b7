"""Validation of the robot's state and of the guards on it, at start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_executive.core.done_when import MEASURED
from bt_executive.core.guards import BUILT_IN
from bt_executive.core.robot_state import ROBOT_KEYS
from bt_executive.plugins.installed_plugins import load_faults
from bt_executive.plugins.plugin_interfaces import GUARDS, REDUCERS
from rover_common.config.dotted_keys import unknown_names
from rover_common.config.settings import (
    Bounds,
    DoneWhen,
    PartCondition,
    PartType,
    PartValue,
    Robot,
)
from rover_common.config.settings.state_and_guards import ANY, BUILT_IN_REDUCERS, NUMBER, steps_of
from rover_common.interface_field_checks import TIMES, Resolve, type_at, why_missing
from rover_common.state_values import is_valid_value


def part_faults(robot: Robot) -> Iterator[str]:
    """Yield a sentence with its key for each fault of the state and of the guards."""
    yield from unknown_names('moving_resources: resource', robot.moving_resources, robot.resources)
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
        yield from (f'guards.{name}: {fault}' for fault in _guard_faults(name, condition, robot))
    for name, skill in robot.tools.items():
        for fault in _where_faults(skill.postcondition, robot.types, 'postcondition'):
            yield f'tools.{name}: {fault}'


def field_type_faults(robot: Robot, resolve: Resolve | None) -> Iterator[str]:
    """Yield a sentence for each field that a topic's `type` does not have.

    A topic without `type` is checked when its messages are received.
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
            field_type = type_at(shape, path)
            if field_type is None:
                reason = why_missing(shape, path)
                yield f'state.{name}.field is {entry.field!r:.80}, not of {entry.type}: {reason}.'
            if field_type is None or field_type in TIMES:  # these have fixed fields
                break


def done_when_faults(done_when: DoneWhen, robot: Robot, key: str) -> Iterator[str]:
    """Yield a sentence with its key for each condition that cannot be met."""
    types = {**robot.types, **MEASURED}
    yield from _where_faults(done_when.where, types, f'{key}.where', f'{key}.where: field')


def _guard_faults(name: str, condition: PartCondition, robot: Robot) -> Iterator[str]:
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
    yield from unknown_names(what, where, types)
    for field, expected in where.items():
        kind = types.get(field)
        if kind is not None:
            yield from (f'{key}.{field} {fault}' for fault in _value_faults(expected, kind))


def _value_faults(expected: tuple[PartValue, ...] | Bounds, kind: PartType) -> Iterator[str]:
    if isinstance(expected, Bounds):
        if kind not in (NUMBER, ANY):
            yield f'has bounds, but it is {_type_text(kind)}.'
        return
    for value in expected if kind != ANY else ():
        if not is_valid_value(value, kind):
            yield f'is {value!r}, but it is {_type_text(kind)}.'


def _type_text(kind: PartType) -> str:
    return f'a {kind}' if isinstance(kind, str) else f'one of {", ".join(kind)}'
