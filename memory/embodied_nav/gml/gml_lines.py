"""Formats values as lines of GML, one by one: a file is never whole in memory.

The form is that of networkx, which reads it back: a list repeats its key, a number with an
exponent has a point, and what is not ASCII is a numeric character reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import re
from typing import Any

_NOT_PLAIN = re.compile('[^ -~]|[&"]')
_KEY = re.compile('[A-Za-z][0-9A-Za-z_]*')
_ONE = '"_networkx_list_start"'  # before the only value of a list


def record(kind: str, attributes: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a node or an edge."""
    yield f'  {kind} ['
    for key, value in attributes.items():
        yield from _lines(key, value, '    ')
    yield '  ]'


def is_value(value: Any) -> bool:
    """Return whether a value can be written."""
    if isinstance(value, Mapping):
        return all(_KEY.fullmatch(str(key)) and is_value(each) for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return all(is_value(each) for each in value)
    return isinstance(value, (str, int, float))


def _lines(key: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield f'{indent}{key} ['
        for inner, each in value.items():
            yield from _lines(str(inner), each, f'{indent}  ')
        yield f'{indent}]'
    elif isinstance(value, (list, tuple)):
        if not value:
            yield f'{indent}{key} "[]"'
        if len(value) == 1:
            yield f'{indent}{key} {_ONE}'
        for each in value:
            yield from _lines(key, each, indent)
    else:
        yield f'{indent}{key} {_scalar(value)}'


def _scalar(value: str | float) -> str:
    if isinstance(value, str):
        return '"' + _NOT_PLAIN.sub(lambda found: f'&#{ord(found[0])};', value) + '"'
    if isinstance(value, int):
        return str(int(value))
    text = repr(float(value)).upper()
    if text in ('INF', 'NAN'):
        return f'+{text}'
    mantissa, sign, exponent = text.partition('E')
    return text if not sign or '.' in mantissa else f'{mantissa}.{sign}{exponent}'
