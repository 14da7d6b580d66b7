"""JSON Schema of a tool's arguments, as it may stand in a file that somebody else has written.

A tick waits for the check of a call, so each takes time that grows with its text alone: regular
expressions are those of Rust, without look-around and references back, and the schemas that
`$ref` repeats are counted, and whether items are unique is found out by hashing them: the library
compares each with all others where it cannot sort them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any

from jsonschema import Draft202012Validator, ValidationError, validators
from pydantic import StringConstraints, TypeAdapter
from pydantic import ValidationError as Misfit

LONGEST_PATTERN = 300  # characters
DEEPEST = 32  # nested lists and mappings: a check descends into each
MOST_SCHEMAS = 2000  # those counted again that a reference repeats
# Keys that would match regular expressions, or choose validators, by the library's own ways.
NOT_TAKEN = ('patternProperties', '$schema', '$dynamicRef', 'unevaluatedProperties')


def _pattern(_: Any, pattern: str, text: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(text, str) and not _fits(pattern, text):
        yield ValidationError(f'{text!r} does not match {pattern!r}')


def _unique_items(_: Any, wanted: bool, items: Any, __: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(items, list) and len({*map(_comparable, items)}) < len(items):
        yield ValidationError(f'{items!r} has non-unique elements')


def _comparable(value: Any) -> Any:
    """Return what is hashable, and equal for what is the same in JSON: 1 and 1.0, not true."""
    if isinstance(value, Mapping):
        return frozenset((key, _comparable(each)) for key, each in value.items())
    if isinstance(value, list):
        return tuple(map(_comparable, value))
    return (bool, value) if isinstance(value, bool) else value


ToolSchema: Any = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {'pattern': _pattern, 'uniqueItems': _unique_items}
)


def allows(schema: Mapping[str, Any], name: str, value: Any) -> bool:
    """Return whether an argument may have a value. `schema`: the whole one, as `$ref` reads it."""
    return bool(ToolSchema(schema).evolve(schema=schema['properties'][name]).is_valid(value))


def schema_faults(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield faults without a full stop; none if checks by this schema take little time."""
    if _is_deeper(schema, DEEPEST):
        yield f'more than {DEEPEST} lists and keys stand within each other'
        return
    faults = dict.fromkeys(_faults_below(schema))
    yield from faults
    if not faults and _size(schema, schema, {}) > MOST_SCHEMAS:
        yield f'its $ref make more than {MOST_SCHEMAS} schemas of it'


def _fits(pattern: str, text: str) -> bool:
    try:
        _compiled(pattern).validate_python(text)
    except Misfit:
        return False
    return True


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> TypeAdapter[str]:
    return TypeAdapter(Annotated[str, StringConstraints(pattern=pattern)])


def _is_deeper(node: Any, than: int) -> bool:
    below = node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ()
    return than < 0 or any(_is_deeper(each, than - 1) for each in below)


def _faults_below(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from _faults_below(each)
    if not isinstance(node, Mapping):
        return
    for key, value in node.items():
        if key in NOT_TAKEN:
            yield f'{key} is not taken: leave it out'
        elif key == 'pattern' and isinstance(value, str):
            yield from _pattern_faults(value)
        yield from _faults_below(value)


def _pattern_faults(pattern: str) -> Iterator[str]:
    if len(pattern) > LONGEST_PATTERN:
        yield f'a pattern has {len(pattern)} characters: write {LONGEST_PATTERN} at most'
        return
    try:
        _compiled(pattern)
    except Exception:  # its class is not one of pydantic's own
        yield (
            f'pattern {pattern!r:.100} is no regular expression that takes linear time: write '
            'one without look-around and references back'
        )


def _size(node: Any, whole: Mapping[str, Any], sizes: dict[str, int]) -> int:
    """Return how many schemas a check may evaluate, up to a few more than `MOST_SCHEMAS`."""
    if isinstance(node, list):
        return min(sum(_size(each, whole, sizes) for each in node), MOST_SCHEMAS + 1)
    if not isinstance(node, Mapping):
        return 0
    size = 1 + sum(_size(each, whole, sizes) for each in node.values())
    reference = node.get('$ref')
    if isinstance(reference, str):
        if reference not in sizes:
            sizes[reference] = 1  # a recursive reference: as deep as the arguments are
            sizes[reference] = _size(_target(whole, reference), whole, sizes)
        size += sizes[reference]
    return min(size, MOST_SCHEMAS + 1)


def _target(whole: Mapping[str, Any], reference: str) -> Any:
    node: Any = whole
    for part in reference.lstrip('#').strip('/').split('/'):
        name = part.replace('~1', '/').replace('~0', '~')
        node = node.get(name) if isinstance(node, Mapping) else None
    return whole if reference == '#' else node
