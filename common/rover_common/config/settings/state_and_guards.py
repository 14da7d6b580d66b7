"""`state` and `guards` of a robot's file: what is known of the robot, and conditions on it."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    Tag,
    model_validator,
)

from rover_common.config.settings.section import Seconds, Section, Variant, by_mapping
from rover_common.config.settings.topics import RosName

BOOLEAN, NUMBER, STRING = 'boolean', 'number', 'string'  # as in args_schema
ANY = 'any'  # of a topic's field: the type that its condition requires
PartValue: TypeAlias = bool | int | float | str
PartName = Annotated[str, Field(pattern=r'^[A-Za-z][A-Za-z0-9_]*$')]
ConditionName = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$')]
LONGEST_TEXT = 200  # characters of a sentence, and of a text in the adapter's status


def _part_type(raw: Any) -> Any:
    """The type of a field, or its allowed texts."""
    if raw in (BOOLEAN, NUMBER, STRING):
        return raw
    words = list(raw) if isinstance(raw, (list, tuple)) else []
    if not words or not all(isinstance(word, str) and not _is_switch(word) for word in words):
        raise ValueError(
            f'write {BOOLEAN}, {NUMBER}, {STRING}, or the list of its words, such as '
            '[open, closed]'
        )
    return tuple(words)


def _is_switch(word: str) -> bool:
    return word.lower() in ('true', 'false')


PartType = Annotated[str | tuple[str, ...], BeforeValidator(_part_type)]


class Bounds(Section):
    """Where a number must lie, bounds included."""

    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode='after')
    def _bounded(self) -> Bounds:
        low, high = self.at_least, self.at_most
        if low is None and high is None:
            raise ValueError('give at_least, at_most or both')
        if low is not None and high is not None and low > high:
            raise ValueError(f'at_least ({low:g}) must not be above at_most ({high:g})')
        return self


def _wanted(raw: Any) -> Any:
    """One value or several of them."""
    values = tuple(raw) if isinstance(raw, (list, tuple)) else (raw,)
    if not values or not all(isinstance(value, (bool, int, float, str)) for value in values):
        raise ValueError(
            'write the value that allows it, a list of such values, or bounds of a number, such '
            'as { at_most: 2.5 }'
        )
    return values


Wanted = Annotated[
    Annotated[tuple[PartValue, ...], BeforeValidator(_wanted), Tag('values')]
    | Annotated[Bounds, Tag('bounds')],
    by_mapping(Bounds, 'bounds', 'values'),
]


def _sentence(text: str) -> str:
    if not text.strip() or not text.isprintable() or len(text) > LONGEST_TEXT:
        raise ValueError(
            f'write one line of 1 to {LONGEST_TEXT} characters, which model and operator read'
        )
    return text


def _sentence_or_nothing(text: str) -> str:
    return _sentence(text) if text else text


Sentence = Annotated[str, AfterValidator(_sentence)]
SentenceOrNothing = Annotated[str, AfterValidator(_sentence_or_nothing)]


Where: TypeAlias = dict[PartName, Wanted]


PluginName = Annotated[str, Field(pattern=r'^[A-Za-z][A-Za-z0-9_.-]*$', max_length=100)]


class PartCondition(Section):
    """A precondition on the state: each field has one of its values, or is in bounds.

    Or one that installed code decides: `plugin` with its `options`.

    Attributes:
        where: Field of `state` → what allows it; all must hold.
        any_of: Groups of fields, of which one at least must hold as a whole.
        but_not: Fields that must not hold together; `not` in the file.
        at: When it is evaluated: only before the tool begins, or also while it runs.
        plugin: The name of an installed plug-in, instead of all of these.
        options: What it is given.
        reason: The refusal, word for word.
        unknown: The refusal while a field is not known; empty: names the field.
    """

    model_config = ConfigDict(populate_by_name=True)

    where: Where = Field(default_factory=dict)
    any_of: Annotated[
        tuple[Annotated[Where, Field(min_length=1)], ...], Field(strict=False, max_length=20)
    ] = ()
    but_not: Where = Field(default_factory=dict, alias='not')
    at: Literal['start', 'all_the_time'] = 'all_the_time'
    plugin: PluginName | Literal[''] = ''
    options: dict[str, Any] = Field(default_factory=dict)
    reason: Sentence
    unknown: SentenceOrNothing = ''
    variants: Annotated[tuple[Variant, ...], Field(strict=False)] = ('A', 'B')

    @property
    def fields(self) -> dict[str, None]:
        """The fields that it reads, each once."""
        return {name: None for part in (self.where, *self.any_of, self.but_not) for name in part}

    @model_validator(mode='after')
    def _asks_something(self) -> PartCondition:
        if not self.fields and not self.plugin:
            raise ValueError('write where, any_of or not, with what must be so')
        if self.fields and self.plugin:
            raise ValueError('it has a plugin and fields: write a guard for each of them')
        if self.options and not self.plugin:
            raise ValueError('it has options and no plugin')
        return self


MessageType = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*/msg/[A-Z][A-Za-z0-9]*$')]
BUILT_IN_REDUCERS = ('min', 'max', 'mean', 'any', 'all', 'count')
_STEP = re.compile(r'([A-Za-z][A-Za-z0-9_]*)(?:\[(-?\d{1,9})\]|\[(-?\d{0,9}):(-?\d{0,9})\])?')
LONGEST_PATH = 200
MOST_STEPS = 16


def steps_of(path: str) -> tuple[tuple[str, int | slice | None], ...]:
    """Return the steps of a field's path: a name, and what is chosen of its list.

    Raises:
        ValueError: It is no path.
    """
    found = [_STEP.fullmatch(each) for each in path.split('.')]
    if len(path) > LONGEST_PATH or len(found) > MOST_STEPS or not all(found):
        raise ValueError(
            f'{path!r:.80} is no path of a field: write one such as pose.position.x, '
            '"ranges[0]" or "ranges[10:20]"'
        )
    return tuple(_step(*each.groups()) for each in found if each)


def _step(
    name: str, index: str | None, start: str | None, end: str | None
) -> tuple[str, int | slice | None]:
    if index is not None:
        return name, int(index)
    if start is None:
        return name, None
    return name, slice(*(int(each) if each else None for each in (start, end)))


def _path(text: str) -> str:
    steps_of(text)
    return text


FieldPath = Annotated[str, AfterValidator(_path)]


def _not_zero(number: float) -> float:
    if not number:
        raise ValueError('every value would be 0: write another number')
    return number


class TopicField(Section):
    """A field of a topic's messages, as it is now.

    Attributes:
        type: Of its messages; left out: the one that the graph has.
        field: Its path, with `[3]` or `[10:20]` behind a list.
        reduce: What becomes one value of a list: by a built-in reducer, or an installed plug-in.
        scale: A number is multiplied by it.
        if_infinite: The number that replaces +inf, such as the range of a scanner.
        words: The allowed texts; left out: all.
        max_age_s: A value that is older is not known.
    """

    topic: RosName
    type: MessageType | None = None
    field: FieldPath
    reduce: PluginName | None = None
    scale: Annotated[float, Field(allow_inf_nan=False), AfterValidator(_not_zero)] = 1.0
    if_infinite: Annotated[float, Field(allow_inf_nan=False)] | None = None
    words: Annotated[tuple[str, ...], Field(strict=False)] = ()
    max_age_s: Seconds = 2.0

    @property
    def kind(self) -> PartType:
        """The type of its value, as far as the file defines it."""
        if self.reduce in ('any', 'all'):
            return BOOLEAN
        if self.reduce in BUILT_IN_REDUCERS or self.scale != 1.0 or self.if_infinite is not None:
            return NUMBER
        return self.words or ANY


StateEntry = Annotated[
    Annotated[TopicField, Tag('of a topic')] | Annotated[PartType, Tag('of the adapter')],
    by_mapping(TopicField, 'of a topic', 'of the adapter'),
]
