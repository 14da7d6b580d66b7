"""Faults of keys and values of the configuration, in sentences with what to write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import difflib
from typing import Any

from pydantic import BaseModel

from rover_common.config.robot_file import default_folder
from rover_common.config.settings import Config

SLIP = 0.85  # likeness of a key with a slip of the pen


def nearest_key(dotted: str) -> str:
    """Returns the key that an unknown one is probably meant to be; empty: none is spelled so."""
    close = difflib.get_close_matches(dotted, _keys(), n=1, cutoff=SLIP)
    return close[0] if close else ''


def _keys() -> set[str]:
    return {'.'.join(path[1:end]) for path in _paths(Config) for end in range(2, len(path) + 1)}


def unknown_key(dotted: str) -> str:
    """Return the sentence about a key that there is not."""
    hint = did_you_mean(dotted, _keys())
    return f'unknown key {dotted!r}{hint or f"; the keys are those of {default_folder()}/*.yaml."}'


def _paths(model: Any, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(model, type) and issubclass(model, BaseModel):
        for name, field in model.model_fields.items():
            yield from _paths(field.annotation, (*prefix, name))
    else:
        yield prefix


def did_you_mean(text: str, candidates: Iterable[str]) -> str:
    """Return the end of a sentence with the nearest candidate; empty: none is near."""
    close = difflib.get_close_matches(text, list(candidates), n=1, cutoff=0.6)
    return f'; did you mean {close[0]!r}?' if close else ''


def unknown_names(kind: str, names: Iterable[str], choices: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each name that is not among the choices."""
    known = sorted(choices)
    for name in names:
        if name not in known:
            all_names = f'; known are {", ".join(known)}.' if known else '; there is none.'
            yield f'{kind} {name!r} is not known{did_you_mean(name, known) or all_names}'


# For kinds of faults of which pydantic's message does not have the remedy.
REMEDIES = {
    'bool_type': 'Write true or false',
    'tuple_type': 'Write it as a list, like [a, b]',
    'dict_type': 'Write keys with values, like { a: b }',
    'model_type': 'Write keys with values, like { a: b }',
    'string_type': 'Write a text',
    'finite_number': 'Write a finite number',
}


def fault_sentence(key: tuple[str, ...], fault: Any) -> str:
    """Returns what is wrong with the value of a key, from an error of pydantic."""
    dotted = '.'.join(key) or 'the file'
    if fault['type'] == 'missing':
        return f'key {dotted!r} is missing; add it.'
    if fault['type'] == 'extra_forbidden':
        return unknown_key(dotted)
    message = REMEDIES.get(fault['type']) or fault['msg'].removeprefix('Value error, ')
    if fault['type'] == 'invalid_key':
        return f'key {fault["input"]!r:.200} is no text: write it in quotes.'
    if isinstance(fault['input'], dict) and fault['type'] == 'value_error':
        return f'{dotted!r}: {message}.' if key else f'{message}.'  # it names what is wrong itself
    return f'{dotted!r} is {fault["input"]!r:.200}: {message[0].lower()}{message[1:]}.'
