"""Fills a tool's arguments from the numbers of a command, or says why that cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
import math
import re
from typing import Any

from jsonschema.exceptions import best_match

from bt_executive.planner.offline.clauses import GoalPart
from bt_executive.planner.offline.function_words import switched
from bt_executive.planner.offline.numbers_with_units import Amount
from bt_executive.planner.offline.offered_tools import OfflineTool
from rover_common.tool_schema import ToolSchema

_RATE = re.compile(r'_([cmk]?m|rad|deg)_(per_)?(s|sec|min|h)$')
_UNITS = {  # how arguments and their descriptions tell their unit; what it measures, and how much
    's': (r's|sec|seconds?', 'time', 1.0),
    'ms': (r'ms|milliseconds?', 'time', 0.001),
    'min': (r'mins|minutes?|min(?=\W?$)', 'time', 60.0),  # elsewhere "min" is a minimum
    'h': (r'h|hours?', 'time', 3600.0),
    'm': (r'm|met(?:er|re)s?', 'length', 1.0),
    'mm': (r'mm|millimet(?:er|re)s?', 'length', 0.001),
    'cm': (r'cm|centimet(?:er|re)s?', 'length', 0.01),
    'km': (r'km|kilomet(?:er|re)s?', 'length', 1000.0),
    'deg': (r'deg|degrees?', 'angle', math.radians(1)),
    'rad': (r'rad|radians?', 'angle', 1.0),
}
_TOLD = re.compile(
    r"(?<!['’/\w])(?<!per )(?:"
    + '|'.join(f'(?P<{unit}>{words})' for unit, (words, *_) in _UNITS.items())
    + r')(?![/\w]| per )'
)
_IN_WORDS = {'s': 'seconds', 'm': 'metres', 'deg': 'degrees', 'rad': 'radians'}
# Where nothing is told: the units of REP 103.
_BY_NAME = {'duration': 's', 'distance': 'm', 'x': 'm', 'y': 'm', 'z': 'm'}
_BY_NAME |= dict.fromkeys(('angle', 'heading', 'yaw'), 'rad')


def fill(tool: OfflineTool, part: GoalPart, given: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return the arguments for a command, or the rest of a sentence why there are none.

    Args:
        tool: The tool.
        part: What was said.
        given: Arguments that are known already.
    """
    filled = dict(given)
    switch, switches = tool.switch, switched(part.text)
    if not switch and part.text.endswith(' off'):
        return f'{tool.name} is not switched on and “off”'
    if switch and len(switches) > 1:
        return 'it is to be both on and off'
    if switch and switches:
        filled[switch] = True in switches
    says_how = any(each.startswith('manner') for each in part.kinds)
    unsaid = frozenset() if says_how else tool.rates  # how often: only for what is said so
    for amount in _in_order(tool, part.amounts):
        name = argument_for(tool, amount, {*filled, *unsaid})
        if name is None:
            what = _IN_WORDS.get(amount.unit, f'“{amount.said}” without a unit')
            return f'{tool.name} takes no {what}'
        unit = unit_of(tool, name)
        filled[name] = value_in(amount, unit, tool.properties[name])
        if (amount.unit, unit) == ('', 'rad') and abs(filled[name]) > 2 * math.pi:
            return f'“{amount.said}” without a unit is more than a whole turn in radians'
    fault = best_match(ToolSchema(tool.schema).iter_errors(filled))
    return filled if fault is None else f'{tool.name} does not take that: {fault.message:.120}'


def _in_order(tool: OfflineTool, amounts: Sequence[Amount]) -> Sequence[Amount]:
    """Return the amounts; two bare ones are the x and y of a tool that needs both."""
    bare = all(not each.unit and not each.key for each in amounts)
    if len(amounts) == 2 and bare and {'x', 'y'} <= tool.required:
        return [replace(each, unit='m', key=key) for each, key in zip(amounts, 'xy', strict=True)]
    return amounts


def unit_of(tool: OfflineTool, name: str) -> str:
    """Return the unit of an argument, as in `_UNITS`; nothing if it has another or none."""
    if _RATE.search(name.lower()):
        return ''
    last = name.lower().split('_')[-1]
    text = str(tool.properties[name].get('description', '')).lower()
    told = _TOLD.fullmatch(last) or _TOLD.search(text)
    return str(told.lastgroup) if told else _BY_NAME.get(last, '')


def argument_for(tool: OfflineTool, amount: Amount, taken: set[str]) -> str | None:
    """Return the argument that a number is for; None: there is none, or more than one."""
    fits = [
        name
        for name, schema in tool.properties.items()
        if schema.get('type') in ('number', 'integer')
        and name not in taken
        and amount.key in ('', name.lower())
        and _dimension(amount.unit) in (_dimension(unit_of(tool, name)), '' if amount.key else '-')
    ]
    fits = [name for name in fits if name in tool.required] or fits
    return fits[0] if len(fits) == 1 else None


def _dimension(unit: str) -> str:
    return _UNITS[unit][1] if unit else ''


def value_in(amount: Amount, unit: str, schema: Any) -> float | int:
    """Return how much an amount is in the unit of an argument with this schema."""
    value = amount.value
    if amount.unit and amount.unit != unit:
        value = float(f'{value * _UNITS[amount.unit][2] / _UNITS[unit][2]:.12g}')
    return int(value) if schema['type'] == 'integer' and value.is_integer() else value
