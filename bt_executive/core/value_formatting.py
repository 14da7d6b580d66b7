"""Formats values, durations and results for people: rounded, with units. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import math
import re
from typing import Any, TypeVar, cast

from bt_executive.core.executive_ports import ToolResult
from rover_common.text_sanitizing import one_line

Plain = TypeVar('Plain')

DIGITS = 3  # significant ones of a number below `DIGITS_BEGIN`
DIGITS_BEGIN = 1000.0
MOST_EXACT = 1e15
MOST_ITEMS = 8  # of a list
# The unit by the end of a key, longest first.
ENDINGS = {'_m_s': 'm/s', '_rad': 'rad', '_deg': '°', '_pct': '%', '_m': 'm', '_s': 's'}


def format_fields(fields: Mapping[str, Any], units: Mapping[str, str] | None = None) -> str:
    """Return the fields, separated by commas. `units`: of fields whose names do not end in one."""
    return ', '.join(_field(key, value, units or {}) for key, value in fields.items())


def format_empty(names: Iterable[str]) -> str:
    """Return one list of the fields without a value, as null may say either; empty: none."""
    text = ', '.join(_label(name)[0] for name in names)
    return text and f'none or not known: {text}'


def format_feedback(fields: Mapping[str, Any], units: Mapping[str, str]) -> str:
    """Return the feedback of a server: scalar values, and structures only if there are none.

    Nav2's feedback begins with a whole pose, and ends with how far it is yet.
    """
    single = {key: each for key, each in fields.items() if not isinstance(each, Mapping)}
    return format_fields(single or fields, units)


def one_line_texts(value: Plain) -> Plain:
    """Return JSON values in which each text is one printable line (`one_line`).

    A call runs as a human approved it, so its texts must not have invisible characters or ones
    that change the direction of writing. Keys stay: they are those of a tool's schema.
    """
    plain: Any = value
    match value:
        case str():
            plain = one_line(value)
        case Mapping():
            plain = {key: one_line_texts(each) for key, each in value.items()}
        case list() | tuple():
            plain = [one_line_texts(each) for each in value]
    return cast(Plain, plain)


def format_value(value: Any, unit: str = '') -> str:
    """Return a value, with its unit if it is a number."""
    match value:
        case None:
            return 'unknown'
        case '':
            return 'none'
        case bool():
            return 'yes' if value else 'no'
        case int() | float():
            return f'{_number(value)} {unit}'.rstrip()
        case Mapping():
            return f'({format_fields(value)})'
        case list() | tuple():
            return _items(value, unit)
    return str(value)


def _items(values: Sequence[Any], unit: str) -> str:
    rest = len(values) - MOST_ITEMS
    items = [format_value(each, unit) for each in values[:MOST_ITEMS]]
    text = ', '.join([*items, *([f'and {rest} more'] if rest > 0 else [])]) or 'none'
    return f'({text})' if len(values) > 1 else text


def _field(key: str, value: Any, units: Mapping[str, str]) -> str:
    unit = units.get(key, '')
    label, unit = (str(key).replace('_', ' '), unit) if unit else _label(str(key))
    if isinstance(value, bool):
        return _statement(label, value)
    if value is None and label.endswith('unknown'):
        return f'{label}: none'  # there is no reason why something is unknown
    return f'{label} {format_value(value, unit)}'


def _label(name: str) -> tuple[str, str]:
    """Return a field's name as text, and the unit in which it ends."""
    ending = next((each for each in ENDINGS if name.endswith(each) and name != each), '')
    return name.removesuffix(ending).replace('_', ' '), ENDINGS.get(ending, '')


def _statement(name: str, is_so: bool) -> str:
    """Return a boolean as a statement: `mast is not open`, `move not allowed`, `not merged`."""
    if name.endswith(' moves') and not is_so:
        return f'{name.removesuffix("moves")}does not move'
    subject, verb, state = f' {name}'.rpartition(' is ')
    if not is_so and not verb and ' ' in name and name.endswith('ed'):
        return ' not '.join(name.rsplit(' ', 1))
    if is_so:
        return state if verb and not subject else name
    return (
        f'{subject.strip()} is not {state}' if subject.strip() and verb else f'not {state.strip()}'
    )


def _number(value: float) -> str:
    if isinstance(value, int) and abs(value) >= MOST_EXACT:
        return f'about 2^{value.bit_length()}'  # JSON has integers that no float can hold
    short = f'{value:.{DIGITS}g}'
    if isinstance(value, int) or (abs(float(short)) >= DIGITS_BEGIN and abs(value) < MOST_EXACT):
        return f'{value:.0f}'
    return short


def format_duration(seconds: float) -> str:
    """Return a duration as people write it: 7 s, 2 min 5 s, 1 h, 1 h 12 min."""
    whole = int(seconds) if math.isfinite(seconds) and seconds > 0 else 0
    minutes, rest = divmod(whole, 60)
    if whole < 60:
        return f'{whole} s'
    if whole < 3600:
        return f'{minutes} min' + (f' {rest} s' if rest else '')
    return f'{minutes // 60} h' + (f' {minutes % 60} min' if minutes % 60 else '')


def result_sentence(result: ToolResult) -> str:
    """Return a result as one short sentence."""
    if not result.ok:
        return result.error_reason
    if result.score is not None:
        return f'score {result.score:.2f}, ' + (
            'good' if result.data.get('is_good') else 'too dark'
        )
    answer = result.data.get('answer')
    if isinstance(answer, str) and answer:
        return answer
    fields = {
        key: value
        for key, value in result.data.items()
        if not isinstance(value, dict) and value != ''  # such as no error
    }
    message = str(fields.pop('message', ''))  # a sentence of the server
    fields = {key: value for key, value in fields.items() if not _is_in_text(value, message)}
    known = {key: value for key, value in fields.items() if value is not None}
    empty = format_empty(key for key in fields if key not in known)
    parts = (message, format_fields(known, result.units), empty)
    return '; '.join(filter(None, parts)) or 'done'


def _is_in_text(value: Any, text: str) -> bool:
    """Return whether a text has a number already, rounded, with decimal places."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    numbers = re.findall(r'-?\d+\.\d+', text)
    return any(f'{value:.{len(number.partition(".")[2])}f}' == number for number in numbers)
