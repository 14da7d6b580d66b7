"""Fills a tool's arguments from the numbers and texts of a command, or says why that cannot be."""

from __future__ import annotations

from collections.abc import Mapping
import math
import re
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from bt_executive.planner.offline.goal import Amount, Part
from bt_executive.planner.offline.toolbox import Tool, choices

_NUMBERS = ('number', 'integer')
_RATE = re.compile(r'_(m|rad|deg|pct)_(per_)?s(ec)?$')
# The unit of an argument by the last word of its name, by its description, or by REP 103.
_BY_NAME = re.compile(r'(?:^|_)(?:(s|sec|seconds?|duration)|(m|met(?:er|re)s?|distance)'
                      r'|(deg|degrees?)|(rad|radians?))$')  # fmt: skip
_BY_TEXT = re.compile(r"(?<!['’\w])(?:(s|sec|seconds?)|(m|met(?:er|re)s?)|(deg|degrees?)|(rad|radians?))"
                      r'(?![/\w])')  # fmt: skip
_BY_HABIT = {**dict.fromkeys('xyz', 'm'), **dict.fromkeys(('angle', 'heading', 'yaw'), 'rad')}
_UNITS = ('s', 'm', 'deg', 'rad')
_IN_WORDS = {'s': 'seconds', 'm': 'metres', 'deg': 'degrees', 'rad': 'radians'}


def fill(tool: Tool, part: Part) -> dict[str, Any] | str:
    """The arguments for a command, or the rest of a sentence about why there are none."""
    filled: dict[str, Any] = {}
    for amount in part.amounts:
        name = _argument_for(tool, amount, filled)
        if name is None:
            what = _IN_WORDS.get(amount.unit, f'“{amount.said.strip()}” without a unit')
            return f'{tool.name} takes no {what}'
        filled[name] = _value(tool.properties[name], amount, unit_of(tool, name))
    for text in part.texts:
        name = _argument_for_text(tool, filled)
        if name is None:
            return f'{tool.name} takes no text “{text:.40}”'
        filled[name] = text
    filled |= _chosen(tool, part)
    fault = best_match(Draft202012Validator(tool.schema).iter_errors(filled))
    return filled if fault is None else f'{tool.name} does not take that: {fault.message:.120}'


def unit_of(tool: Tool, name: str) -> str:
    """The unit of an argument: s, m, deg, rad, or nothing if it has another or none."""
    lower = name.lower()
    if _RATE.search(lower):
        return ''
    text = str(tool.properties[name].get('description', '')).lower()
    found = _BY_NAME.search(lower) or _BY_TEXT.search(text)
    if found and found.lastindex:
        return _UNITS[found.lastindex - 1]
    return _BY_HABIT.get(lower, '')


def _argument_for(tool: Tool, amount: Amount, filled: Mapping[str, Any]) -> str | None:
    """The one argument that is meant by a number; None if there is none or there are several."""
    free = [
        name
        for name, schema in tool.properties.items()
        if schema.get('type') in _NUMBERS and name not in filled
    ]
    if amount.key:
        free = [name for name in free if name.lower() == amount.key]
    fits = [name for name in free if _fits(amount, unit_of(tool, name))]
    return _only(tool, fits)


def _argument_for_text(tool: Tool, filled: Mapping[str, Any]) -> str | None:
    free = [
        name
        for name, schema in tool.properties.items()
        if schema.get('type') == 'string' and not choices(schema) and name not in filled
    ]
    return _only(tool, free)


def _only(tool: Tool, names: list[str]) -> str | None:
    """The one that is meant: required arguments come first."""
    names = [name for name in names if name in tool.required] or names
    return names[0] if len(names) == 1 else None


def _chosen(tool: Tool, part: Part) -> dict[str, Any]:
    """Arguments that are given by on and off, or by one of the values in the schema."""
    said = {said for _, said in part.words}
    chosen = {
        name: value
        for name, schema in tool.properties.items()
        for value in choices(schema)
        if str(value) in said
    }
    switched = part.meanings & {'on', 'off'}
    if tool.switch and len(switched) == 1:
        chosen[tool.switch] = 'on' in switched
    return chosen


def _fits(amount: Amount, unit: str) -> bool:
    said = _dimension(amount.unit)
    return said == _dimension(unit) or (bool(amount.key) and not said)


def _dimension(unit: str) -> str:
    return 'angle' if unit in ('deg', 'rad') else unit


def _value(schema: Mapping[str, Any], amount: Amount, unit: str) -> float | int:
    value = amount.value
    if {amount.unit, unit} == {'deg', 'rad'}:
        value = round(math.radians(value) if unit == 'rad' else math.degrees(value), 6)
    return int(value) if schema.get('type') == 'integer' and value.is_integer() else value
