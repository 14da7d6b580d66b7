"""Fills a tool's arguments from the numbers of a command, or says why that cannot be."""

from __future__ import annotations

import math
import re
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from bt_executive.planner.offline.goal import GoalPart, Token
from bt_executive.planner.offline.toolbox import OfflineTool

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


def fill(tool: OfflineTool, part: GoalPart) -> dict[str, Any] | str:
    """The arguments for a command, or the rest of a sentence about why there are none."""
    filled: dict[str, Any] = {}
    unsaid = _unsaid(tool, part)
    for token in part.numbers:
        name = _argument_for(tool, token, {*filled, *unsaid})
        if name is None:
            what = _IN_WORDS.get(token.unit, f'“{token.said}” without a unit')
            return f'{tool.name} takes no {what}'
        unit = unit_of(tool, name)
        filled[name] = _value(token, unit, tool.properties[name])
        if (token.unit, unit) == ('', 'rad') and abs(filled[name]) > 2 * math.pi:
            return f'“{token.said}” without a unit is more than a whole turn in radians'
    switched = part.meanings & {'on', 'off'}
    if len(switched) > 1:
        return 'it is to be both on and off'
    if tool.switch and switched:
        filled[tool.switch] = switched == {'on'}
    fault = best_match(Draft202012Validator(tool.schema).iter_errors(filled))
    return filled if fault is None else f'{tool.name} does not take that: {fault.message:.120}'


def unit_of(tool: OfflineTool, name: str) -> str:
    """The unit of an argument, as in `_UNITS`; nothing if it has another or none."""
    if _RATE.search(name.lower()):
        return ''
    last = name.lower().split('_')[-1]
    text = str(tool.properties[name].get('description', '')).lower()
    told = _TOLD.fullmatch(last) or _TOLD.search(text)
    return str(told.lastgroup) if told else _BY_NAME.get(last, '')


def _unsaid(tool: OfflineTool, part: GoalPart) -> list[str]:
    """Arguments of how often, for a command that does not say "every"."""
    if 'every' in part.meanings:
        return []
    return [name for name in tool.properties if name.startswith('every_')]


def _argument_for(tool: OfflineTool, token: Token, taken: set[str]) -> str | None:
    """The one argument that a number is for; None if there is none, or more than one."""
    fits = [
        name
        for name, schema in tool.properties.items()
        if schema.get('type') in ('number', 'integer')
        and name not in taken
        and token.key in ('', name.lower())
        and _dimension(token.unit) in (_dimension(unit_of(tool, name)), '' if token.key else '-')
    ]
    fits = [name for name in fits if name in tool.required] or fits
    return fits[0] if len(fits) == 1 else None


def _dimension(unit: str) -> str:
    return _UNITS[unit][1] if unit else ''


def _value(token: Token, unit: str, schema: Any) -> float | int:
    value = token.number or 0.0
    if token.unit and token.unit != unit:
        value = float(f'{value * _UNITS[token.unit][2] / _UNITS[unit][2]:.12g}')
    return int(value) if schema['type'] == 'integer' and value.is_integer() else value
