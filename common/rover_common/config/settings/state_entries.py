"""`state` of a robot's file: what is known of the robot, by its adapter or from any topic."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag

from rover_common.config.settings.section import Seconds, Section
from rover_common.config.settings.state_types_and_guards import (
    ANY,
    BOOLEAN,
    NUMBER,
    PartType,
    PluginName,
)
from rover_common.config.settings.topics import RosName

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
        topic: Its name.
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


def _kind_of_entry(raw: Any) -> str:
    return 'of a topic' if isinstance(raw, (dict, TopicField)) else 'of the adapter'


StateEntry = Annotated[
    Annotated[TopicField, Tag('of a topic')] | Annotated[PartType, Tag('of the adapter')],
    Discriminator(_kind_of_entry),
]
