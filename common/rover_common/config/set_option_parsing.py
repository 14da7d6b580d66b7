"""Overrides of the configuration: `dotted.key=value`, as after --set."""

from __future__ import annotations

from typing import Any

import yaml

from rover_common.config.key_lookup import resolve_key
from rover_common.config.settings import Config
from rover_common.config.yaml_text import is_text_type, read_yaml, type_below
from rover_common.errors import ConfigError
from rover_common.incoming_text import without_invisible

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
