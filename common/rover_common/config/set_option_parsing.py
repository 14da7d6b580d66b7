"""Overrides of the configuration: `dotted.key=value`, as after --set."""

from __future__ import annotations

from typing import Any, get_args, get_origin

from pydantic import BaseModel
import yaml

from rover_common.config.key_and_value_faults import unknown_key
from rover_common.config.settings import Config
from rover_common.config.yaml_text import is_text_type, read_yaml, type_below, types_of
from rover_common.errors import ConfigError
from rover_common.text_sanitizing import without_invisible

# With these YAML begins what is no plain text: a comment, an anchor, a tag, a block, a directive.
NO_TEXT_IN_YAML = tuple('#&*!|>%@`')


def parse_override(override: str) -> tuple[tuple[str, ...], Any]:
    """Return the key with its section, and the value."""
    key, equals, text = without_invisible(override).partition('=')
    if not equals or not key.strip():
        raise ConfigError(f'--set {override!r:.200}: write it as dotted.key=value.')
    path = resolve_key(tuple(key.strip().split('.')), override)
    wanted = type_below(Config, path)
    if is_text_type(wanted) and (not text.strip() or text.strip().startswith(NO_TEXT_IN_YAML)):
        return path, text.strip()
    try:
        return path, read_yaml(text, wanted)
    except yaml.YAMLError as error:
        problem = getattr(error, 'problem', None) or str(error)
        raise ConfigError(
            f'--set {override!r:.200}: the value {text!r:.100} is not valid YAML: {problem}.'
        ) from None


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
        field = model.model_fields.get(key[0])
        if field is not None:
            return _accepts(field.annotation, key[1:])
        return 1 if model.model_config.get('extra') == 'allow' else None
    return 0 if model is Any else None
