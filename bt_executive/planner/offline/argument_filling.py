"""Fills a tool's arguments from a clause: numbers by their units, words, “on” and “off”."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
import math
import re
from typing import Any

from jsonschema.exceptions import best_match

from bt_executive.planner.offline.amounts import MASK, Amount
from bt_executive.planner.offline.clause_parsing import Clause
from bt_executive.planner.offline.offered_tools import OfflineTool
from rover_common.json_values import finite_number
from rover_common.tool_schema import ToolSchema

_RATE = re.compile(r'_([cmk]?m|rad|deg)_(per_)?(s|sec|min|h)$')
_UNITS = {  # the unit in names and descriptions of arguments, its dimension and its factor
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
_UNIT_WORDS = re.compile(
    r"(?<!['’/\w])(?<!per )(?:"
    + '|'.join(f'(?P<{unit}>{words})' for unit, (words, *_) in _UNITS.items())
    + r')(?![/\w]| per )'
)
_UNIT_NAMES = {'s': 'seconds', 'm': 'metres', 'deg': 'degrees', 'rad': 'radians'}
# Without a unit: those of REP 103.
_BY_NAME = {'duration': 's', 'distance': 'm', 'x': 'm', 'y': 'm', 'z': 'm'}
_FOR = re.compile(r'\b(?:for|per|por|durante|pendant|für|voor|a count of) *$')
_BY_NAME |= dict.fromkeys(('angle', 'heading', 'yaw'), 'rad')


def fill(tool: OfflineTool, clause: Clause, given: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return the arguments for a command, or the rest of a sentence why there are none.

    `given`: arguments that are already known.
    """
    filled = dict(given)
    switch, switches = tool.switch, switched(clause.text)
    if not switch and clause.text.endswith(' off'):
        return f'{tool.name} is not switched on and “off”'
    if switch and len(switches) > 1:
        return 'it is to be both on and off'
    if switch and switches:
        filled[switch] = True in switches
    has_manner = any(each.startswith('manner') for each in clause.modifiers)
    excluded = frozenset() if has_manner else tool.rates  # only for “every”
    # A number of an example is replaced by one that is said.
    taken = {*excluded, *(name for name, each in filled.items() if finite_number(each) is None)}
    for amount in _as_place(tool, _with_seconds(tool, clause)):
        name = argument_for(tool, amount, taken)
        if name is None:
            quantity = _UNIT_NAMES.get(amount.unit, f'“{amount.surface}” without a unit')
            return f'{tool.name} takes no {quantity}'
        unit = unit_of(tool, name)
        taken.add(name)
        filled[name] = value_in(amount, unit, tool.properties[name])
        if (amount.unit, unit) == ('', 'rad') and abs(filled[name]) > 2 * math.pi:
            return f'“{amount.surface}” without a unit is more than a whole turn in radians'
    fault = best_match(ToolSchema(tool.schema).iter_errors(filled))
    return filled if fault is None else f'{tool.name} does not take that: {fault.message:.120}'


def _with_seconds(tool: OfflineTool, clause: Clause) -> Sequence[Amount]:
    """Return the amounts; a bare one is in seconds where the tool measures nothing else.

    That is, of a tool that moves nothing (“wait 5”), or behind “for” (“left for three”).
    """
    if len(tool.numbers) != 1 or _dimension(unit_of(tool, tool.numbers[0])) != 'time':
        return clause.amounts
    if any(each.unit for each in clause.amounts):
        return clause.amounts
    texts = clause.masked.split(MASK)
    return [
        replace(each, unit='s', is_inherited=True)
        if not (each.unit or each.key) and (not tool.resources or _FOR.search(before))
        else each
        for each, before in zip(clause.amounts, texts, strict=False)
    ]


def _as_place(tool: OfflineTool, amounts: Sequence[Amount]) -> Sequence[Amount]:
    """Return the amounts; two without units are x and y if the tool requires both."""
    are_bare = all(not each.unit and not each.key for each in amounts)
    if len(amounts) == 2 and are_bare and {'x', 'y'} <= tool.required:
        return [replace(each, unit='m', key=key) for each, key in zip(amounts, 'xy', strict=True)]
    return amounts


def unit_of(tool: OfflineTool, name: str) -> str:
    """Return the unit of an argument, as in `_UNITS`; empty: another one, or none."""
    if _RATE.search(name.lower()):
        return ''
    last = name.lower().split('_')[-1]
    text = str(tool.properties[name].get('description', '')).lower()
    found = _UNIT_WORDS.fullmatch(last) or _UNIT_WORDS.search(text)
    return str(found.lastgroup) if found else _BY_NAME.get(last, '')


def argument_for(tool: OfflineTool, amount: Amount, taken: set[str]) -> str | None:
    """Return the argument for an amount; None: there is none, or more than one."""
    fitting = [
        name
        for name in tool.numbers
        if name not in taken
        and amount.key in ('', name.lower())
        and _dimension(amount.unit) in (_dimension(unit_of(tool, name)), '' if amount.key else '-')
    ]
    fitting = [name for name in fitting if name in tool.required] or fitting
    return fitting[0] if len(fitting) == 1 else None


def _dimension(unit: str) -> str:
    return _UNITS[unit][1] if unit else ''


def value_in(amount: Amount, unit: str, schema: Any) -> float | int:
    """Return an amount in the unit of an argument with this schema."""
    value = amount.value
    if amount.unit and amount.unit != unit:
        value = float(f'{value * _UNITS[amount.unit][2] / _UNITS[unit][2]:.12g}')
    return int(value) if schema['type'] == 'integer' and value.is_integer() else value


_SWITCHED = {
    True: re.compile(
        r'(?<!\beye )(?<!\beyes )\bon\b|オン|つけ|点け|点灯|打开|開|开'
        r'|\b(?:an(?=\W*$)|ein|einschalten|allume\w*|enciende|accendi|liga|aan|włącz)\b'
    ),
    False: re.compile(
        r'\boff\b|オフ|消し|消灯|关|關|\b(?:aus|ausschalten|éteins|apaga|spegni|desliga|uit|wyłącz)\b'
    ),
}


def switched(text: str) -> frozenset[bool]:
    """Return whether a text switches something on (True), off (False), both or neither."""
    return frozenset(each for each, words in _SWITCHED.items() if words.search(text))
