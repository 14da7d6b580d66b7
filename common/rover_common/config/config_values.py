"""Single values of the configuration: which there are, their comments, a copy with some replaced.

A value is named by its path: file, section, key. Only what fits a ROS parameter counts: switches,
numbers, texts and lists of texts, each possibly null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
import re
import types
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo
import yaml

from rover_common.config.robot_file import ROBOT_FILE, default_folder
from rover_common.config.settings import Config, Section
from rover_common.config.yaml_text import FastLoader
from rover_common.errors import ConfigError

KeyPath: TypeAlias = tuple[str, ...]
Scalar: TypeAlias = bool | int | float | str | list[str] | None
SCALARS = (bool, int, float, str)


@dataclass(frozen=True)
class Value:
    """One value and what is allowed for it.

    Attributes:
        path: Of file, sections and key.
        kind: bool, int, float, str or list.
        optional: It may be null.
        choices: All that it may be, for a text with a closed set.
        least, most: Bounds of a number, inclusive or not.
    """

    path: KeyPath
    value: Scalar
    kind: type
    optional: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None


def values_below(config: Config, path: KeyPath) -> Iterator[Value]:
    """The values of a section and its subsections, or the one that `path` names."""
    owner = reduce(getattr, path[:-1], config)
    yield from _values(getattr(owner, path[-1]), type(owner).model_fields[path[-1]], path)


def with_values(config: Config, values: Mapping[KeyPath, Scalar]) -> Config:
    """The configuration with these values.

    Raises:
        ConfigError: They are not allowed; the text names them and the reason.
    """
    raw = config.model_dump()
    for path, value in values.items():
        owner = reduce(dict.__getitem__, path[:-1], raw)
        owner[path[-1]] = tuple(value) if isinstance(value, list) else value
    try:
        return Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError('; '.join(map(_sentence, error.errors(include_url=False)))) from None


def _values(value: Any, field: FieldInfo, path: KeyPath) -> Iterator[Value]:
    if isinstance(value, Section):
        for name, inner in type(value).model_fields.items():
            yield from _values(getattr(value, name), inner, (*path, name))
        return
    found = _kind(field.annotation)
    if found is None:
        return
    kind, optional, choices = found
    least, most = _bounds(field)
    plain = list(value) if isinstance(value, tuple) else value
    yield Value(path, plain, kind, optional, choices, least, most)


def _kind(annotation: Any) -> tuple[type, bool, tuple[str, ...]] | None:
    """Kind, whether it may be null, and choices; None for what is no single value."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType) and len(inner) == 2 and type(None) in inner:
        found = _kind(next(each for each in inner if each is not type(None)))
        return found and (found[0], True, found[2])
    if hasattr(annotation, '__metadata__'):  # Annotated
        return _kind(inner[0])
    if origin is Literal:
        return str, False, inner
    if origin is tuple and (inner[0] is str or get_origin(inner[0]) is Literal):
        return list, False, get_args(inner[0])
    return (annotation, False, ()) if annotation in SCALARS else None


def _bounds(field: FieldInfo) -> tuple[float | None, float | None]:
    """From pydantic's ge, gt, le and lt."""
    found = {
        name: getattr(each, name)
        for each in field.metadata
        for name in ('ge', 'gt', 'le', 'lt')
        if hasattr(each, name)
    }
    return found.get('ge', found.get('gt')), found.get('le', found.get('lt'))


def _sentence(fault: Any) -> str:
    key = '.'.join(str(part) for part in fault['loc'][1:])
    message = fault['msg'].removeprefix('Value error, ')
    return f'{key!r} is {fault["input"]!r}: {message[0].lower()}{message[1:]}'


COMMENT = re.compile(r'\s*#\s*(.*)')


def comment(path: tuple[str, ...]) -> str:
    """The comment of a key, by file, sections and key; empty if it has none."""
    return _comments_of(path[0]).get(path, '')


@cache
def _comments_of(section: str) -> dict[tuple[str, ...], str]:
    path = default_folder() / f'{section}.yaml'
    own_file = path.exists()
    text = (path if own_file else default_folder() / ROBOT_FILE).read_text(encoding='utf-8')
    start = (section,) if own_file else ()
    return dict(_comments(yaml.compose(text, FastLoader), text.splitlines(), start))


def _comments(
    node: yaml.Node | None, lines: Sequence[str], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        here = (*path, key.value)
        end = value.end_mark if value.start_mark.line == key.start_mark.line else key.end_mark
        match = COMMENT.fullmatch(lines[end.line][end.column :].lstrip(':'))
        if match:
            yield here, match[1]
        yield from _comments(value, lines, here)
