"""Dotted keys of the configuration: overrides with them, which is meant, what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import difflib
from typing import Any, get_args, get_origin

from pydantic import BaseModel
import yaml

from rover_common.config.robot_file import default_folder, location_of
from rover_common.config.settings import Config
from rover_common.config.yaml_text import (
    NULLS,
    fields_by_key,
    is_text_type,
    problem_of,
    read_yaml,
    type_below,
    types_of,
)
from rover_common.errors import ConfigError
from rover_common.text_sanitizing import without_invisible

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
        for name, field in fields_by_key(model).items():
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


def text_override(key: str, text: str) -> str:
    """Return the override that gives a key this very text, such as a path, whatever it holds.

    All but printable ASCII is escaped, so that nothing on the way composes or removes a sign.
    """
    escaped = (
        each if ' ' <= each <= '~' and each not in '"\\' else f'\\U{ord(each):08x}'
        for each in text
    )
    return f'{key}="{"".join(escaped)}"'


def parse_override(override: str) -> tuple[tuple[str, ...], Any]:
    """Return the key with its section, and the value.

    A text is taken as it is typed, unless it is quoted as YAML has it.
    """
    key, equals, text = override.partition('=')
    key = without_invisible(key)
    if not equals or not key.strip():
        raise ConfigError(f'--set {override!r:.200}: write it as dotted.key=value.')
    path = resolve_key(location_of(tuple(key.strip().split('.'))), override)
    wanted, typed = type_below(Config, path), text.strip()
    try:
        if not is_text_type(wanted):
            return path, read_yaml(without_invisible(text), wanted)
        if typed.startswith(('"', "'")):
            return path, read_yaml(typed, wanted)
    except yaml.YAMLError as error:
        raise ConfigError(
            f'--set {override!r:.200}: the value {text!r:.100} is not valid YAML: '
            f'{problem_of(error)}.'
        ) from None
    return path, None if typed in NULLS and type(None) in get_args(wanted) else typed


def assign(raw: dict[str, Any], path: tuple[str, ...], value: Any, override: str) -> None:
    """Put a value at its place in what was read."""
    node = raw
    for part in path[:-1]:
        node = node.setdefault(part, {})
        if not isinstance(node, dict):
            raise ConfigError(
                f'--set {override!r:.200}: {part!r} is a single value, not a section.'
            )
    node[path[-1]] = value


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
        field = fields_by_key(model).get(key[0])
        if field is not None:
            return _accepts(field.annotation, key[1:])
        return 1 if model.model_config.get('extra') == 'allow' else None
    return 0 if model is Any else None
