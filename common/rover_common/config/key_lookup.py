"""Dotted keys of the configuration: which key is meant, with its section or without.

For an unknown one, the nearest that there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import difflib
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from rover_common.config.robot_file import default_folder
from rover_common.config.settings import Config
from rover_common.config.yaml_text import types_of
from rover_common.errors import ConfigError

SLIP = 0.85  # likeness of a key with a slip of the pen


def resolve_key(key: tuple[str, ...], override: str) -> tuple[str, ...]:
    """Return the key with its section in front; a prescribed key before an entry of that name."""
    if key[0] in Config.model_fields and _accepts(Config, key) is not None:
        return key
    found = {
        (section, *key): entries
        for section in Config.model_fields
        if (entries := _accepts(Config, (section, *key))) is not None
    }
    matches = [match for match in found if found[match] == min(found.values())]
    if len(matches) == 1:
        return matches[0]
    dotted = '.'.join(key)
    if matches:
        choices = ' or '.join('.'.join(match) for match in matches)
        raise ConfigError(f'--set {override!r:.200}: {dotted!r} is ambiguous; write {choices}.')
    raise ConfigError(f'--set {override!r:.200}: {unknown_key(dotted)}')


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


def _accepts(model: Any, key: tuple[str, ...]) -> int | None:
    """Return how many of the keys name an entry, not a prescribed key; None: no such key."""
    if not key:
        return 0
    found = (_accepts_one(each, key) for each in types_of(model))
    return min((each for each in found if each is not None), default=None)


def _accepts_one(model: Any, key: tuple[str, ...]) -> int | None:
    if get_origin(model) is dict:
        entries = _accepts(get_args(model)[1], key[1:])
        return None if entries is None else entries + 1
    if isinstance(model, type) and issubclass(model, BaseModel):
        field = model.model_fields.get(key[0])
        if field is not None:
            return _accepts(field.annotation, key[1:])
        return 1 if model.model_config.get('extra') == 'allow' else None
    return 0 if model is Any else None


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
