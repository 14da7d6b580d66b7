"""YAML texts: the one reader and the one writer of this project.

Plain scalars are read by the core schema of YAML 1.2, not by the rules of PyYAML, which are those
of 1.1: `020` is 20 and not 16, `1e1` is a number, and `yes`, `1:30`, `1_000` and `2026-01-01` are
texts. Where a text is wanted, a number or a switch is taken as it is written: `4.1` is "4.1".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
import re
import types
from typing import (
    Any,
    ClassVar,
    Literal,
    Protocol,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    runtime_checkable,
)

from pydantic import BaseModel
from pydantic.fields import FieldInfo
import yaml
from yaml.constructor import ConstructorError

STANDARD = 'tag:yaml.org,2002:'
Resolvers: TypeAlias = dict[str, list[tuple[str, re.Pattern[str]]]]
NULL, BOOL, INT, FLOAT, TEXT = (
    f'{STANDARD}{name}' for name in ('null', 'bool', 'int', 'float', 'str')
)
NULLS = ('~', 'null', 'Null', 'NULL')
# https://yaml.org/spec/1.2.2/#1032-tag-resolution, with the first characters of what matches.
CORE = (
    (NULL, re.compile(rf'(?:{"|".join(NULLS)}|)$'), ['~', 'n', 'N', '']),
    (BOOL, re.compile(r'(?:true|True|TRUE|false|False|FALSE)$'), list('tTfF')),
    (INT, re.compile(r'(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$'), list('-+0123456789')),
    (
        FLOAT,
        re.compile(
            r'(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?'
            r'|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$'
        ),
        list('-+.0123456789'),
    ),
    (f'{STANDARD}merge', re.compile(r'<<$'), ['<']),
)
NO_TYPE = type(None)  # of a value that cannot be there
LONGEST_NUMBER = 400  # characters; the largest float has 309 digits
DEEPEST = 200  # sections within sections; libyaml would use up the stack
LARGEST = 60_000  # values, those counted again that an alias repeats; Curiosity has 22,000
NUMBER_BASES = {'0o': 8, '0x': 16}


@runtime_checkable
class KeyTypes(Protocol):
    """A section whose keys are not those of a model: has the type of each value."""

    def type_of(self, key: str) -> Any:
        """Returns the type of the value of a key, Any if none is prescribed."""


def _core_resolvers() -> Resolvers:
    resolvers: Resolvers = {}
    for tag, pattern, first in CORE:
        for character in first:
            resolvers.setdefault(character, []).append((tag, pattern))
    return resolvers


class _CoreConstructor(yaml.constructor.SafeConstructor):
    """Builds values of the core schema alone; a key given twice is an error."""

    yaml_implicit_resolvers: ClassVar[Resolvers] = _core_resolvers()

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Builds a mapping."""
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConstructorError(None, None, 'a key must be a text', key_node.start_mark)
            if key in seen and key != '<<':
                raise ConstructorError(
                    None, None, f'key {key!r} occurs twice in one section', key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        """Builds an integer or a float from its text."""
        text = self._short(node)
        try:
            if node.tag == INT:
                base = NUMBER_BASES.get(text[:2].lower(), 10)
                return int(text[2:] if base != 10 else text, base)
            return float(re.sub(r'\.(inf|nan)$', r'\1', text.lower()))
        except ValueError:
            raise ConstructorError(
                None, None, f'{text!r:.60} is no number', node.start_mark
            ) from None

    def construct_switch(self, node: yaml.ScalarNode) -> bool:
        """Builds true or false."""
        text = self._short(node).lower()
        if text not in ('true', 'false'):
            raise ConstructorError(
                None, None, f'{text!r:.60} is neither true nor false', node.start_mark
            )
        return text == 'true'

    def _short(self, node: yaml.ScalarNode) -> str:
        text = str(self.construct_scalar(node))
        if len(text) > LONGEST_NUMBER:
            raise ConstructorError(
                None, None, f'a number of {len(text)} characters is too long', node.start_mark
            )
        return text


_CoreConstructor.yaml_constructors = {
    NULL: _CoreConstructor.construct_yaml_null,
    BOOL: _CoreConstructor.construct_switch,
    INT: _CoreConstructor.construct_number,
    FLOAT: _CoreConstructor.construct_number,
    TEXT: _CoreConstructor.construct_yaml_str,
    f'{STANDARD}seq': _CoreConstructor.construct_yaml_seq,
    f'{STANDARD}map': _CoreConstructor.construct_yaml_map,
    None: _CoreConstructor.construct_undefined,
}


class SlowLoader(_CoreConstructor, yaml.SafeLoader):
    """Reads in Python: slow, with a good sentence for each fault."""


class FastLoader(_CoreConstructor, getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):  # type: ignore[misc]
    """Reads with libyaml, if PyYAML was built with it."""


class _Dumper(getattr(yaml, 'CSafeDumper', yaml.SafeDumper)):  # type: ignore[misc]
    """Quotes each text that a reader of YAML 1.1 or 1.2 would read as another type."""

    yaml_implicit_resolvers: ClassVar[Resolvers] = {
        first: [
            *yaml.SafeDumper.yaml_implicit_resolvers.get(first, []),
            *_core_resolvers().get(first, []),
        ]
        for first in {*yaml.SafeDumper.yaml_implicit_resolvers, *_core_resolvers()}
    }


def read_yaml(text: str, wanted: Any = Any) -> Any:
    """Return the content of a text.

    Args:
        text: A whole document, or a single value.
        wanted: The type that it is for, a model of the configuration or a type in one: where it
            is text, a number is read as text.

    Raises:
        yaml.YAMLError: It is not valid YAML, or it is nested too deeply.
    """
    try:
        return _read(text, wanted, FastLoader)
    except yaml.YAMLError as error:
        if isinstance(error, ConstructorError) and error.problem_mark is None:
            raise  # of its size or depth
        return _read(text, wanted, SlowLoader)  # the same fault, with its message


def problem_of(error: yaml.YAMLError) -> str:
    """Return what is wrong with a text, without the place."""
    return str(getattr(error, 'problem', None) or error).partition('\n')[0]


def type_below(wanted: Any, path: Iterable[str]) -> Any:
    """Return the type of the value at a path of keys; NO_TYPE where there is none."""
    for key in path:
        wanted = _only(_field(option, key) for option in types_of(wanted))
    return wanted


def write_yaml(content: Any) -> str:
    """Returns the text from which `read_yaml` reads this content again."""
    text: str = yaml.dump(content, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=99)
    return text


def _read(text: str, wanted: Any, loader_type: Any) -> Any:
    try:
        _check_events(text, loader_type)
    except UnicodeEncodeError:
        raise ConstructorError(None, None, 'it is not Unicode text', None) from None
    loader = loader_type(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _check_size(node, {})
        _mark_texts(node, wanted)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _check_events(text: str, loader_type: Any) -> None:
    """Reads on no further than what is too deep or too large."""
    depth = count = 0
    for event in yaml.parse(text, Loader=loader_type):
        count += isinstance(event, yaml.NodeEvent)
        if count > LARGEST:
            problem = f'it has more than {LARGEST} values'
            raise ConstructorError(None, None, problem, None)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            problem = f'more than {DEEPEST} sections stand within each other'
            raise ConstructorError(None, None, problem, None)


def _check_size(node: yaml.Node, seen: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Returns the numbers of values and of levels below a node; each alias counts as its anchor.

    Raises:
        ConstructorError: There are too many, or an anchor contains its own alias.
    """
    if id(node) in seen:
        return seen[id(node)]
    if isinstance(node, yaml.ScalarNode):
        return 1, 0
    seen[id(node)] = LARGEST, DEEPEST  # a recursive node: it contains itself
    children = node.value
    if isinstance(node, yaml.MappingNode):
        children = [each for pair in children for each in pair]
    sizes = [_check_size(each, seen) for each in children]
    size = 1 + sum(size for size, _ in sizes)
    depth = 1 + max((depth for _, depth in sizes), default=0)
    if size > LARGEST or depth > DEEPEST:
        raise ConstructorError(None, None, 'aliases make it too large', None)
    seen[id(node)] = size, depth
    return size, depth


def _mark_texts(node: yaml.Node, wanted: Any) -> None:
    """Mark as texts the plain numbers and switches below a node where a text is wanted."""
    options = tuple(types_of(wanted))
    if isinstance(node, yaml.ScalarNode):
        if node.tag in (BOOL, INT, FLOAT) and is_text_type(wanted):
            node.tag = TEXT
    elif isinstance(node, yaml.SequenceNode):
        for place, each in enumerate(node.value):
            _mark_texts(each, _only(_item(option, place) for option in options))
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if any(
                get_origin(option) is dict and get_args(option)[0] is not int for option in options
            ):
                _mark_texts(key, str)
            _mark_texts(value, _only(_field(option, key.value) for option in options))


@cache
def fields_by_key(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Return the fields of a model by their keys in a file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def types_of(wanted: Any) -> Iterator[Any]:
    """Yield the types that a value may have, without None."""
    if hasattr(wanted, '__metadata__'):  # Annotated
        yield from types_of(get_args(wanted)[0])
    elif get_origin(wanted) in (Union, types.UnionType):
        for each in get_args(wanted):
            yield from types_of(each)
    elif wanted not in (None, type(None)):
        yield wanted


def is_number_type(wanted: Any, in_list: bool = False) -> bool:
    """Returns whether a value of this type is a number with a fraction; or each of its list is."""
    options = [_item(each, 0) if in_list else each for each in types_of(wanted)]
    return bool(options) and all(tuple(types_of(each)) == (float,) for each in options)


def is_text_type(wanted: Any) -> bool:
    """Return whether the type is text, or text and null."""
    options = tuple(types_of(wanted))
    return bool(options) and all(map(_is_text, options))


def _is_text(wanted: Any) -> bool:
    if get_origin(wanted) is Literal:
        return all(isinstance(each, str) for each in get_args(wanted))
    return isinstance(wanted, type) and issubclass(wanted, str)


def _item(wanted: Any, place: int) -> Any:
    """The type of an item of a list or tuple."""
    inner = get_args(wanted)
    if get_origin(wanted) not in (list, tuple) or not inner:
        return NO_TYPE
    if get_origin(wanted) is list or inner[-1] is Ellipsis:
        return inner[0]
    return inner[place] if place < len(inner) else NO_TYPE


def _field(wanted: Any, key: Any) -> Any:
    """The type of the value of a key."""
    if get_origin(wanted) is dict:
        return get_args(wanted)[1]
    if not isinstance(wanted, type) and isinstance(wanted, KeyTypes):
        return wanted.type_of(str(key))
    if isinstance(wanted, type) and issubclass(wanted, BaseModel):
        field = fields_by_key(wanted).get(key) if isinstance(key, str) else None
        return NO_TYPE if field is None else field.annotation
    return Any if wanted is Any else NO_TYPE


def _only(types_: Iterable[Any]) -> Any:
    """The one type of several; anything if there are more of them."""
    found = [each for each in types_ if each is not NO_TYPE]
    if not found:
        return NO_TYPE
    return found[0] if len(found) == 1 else Any
