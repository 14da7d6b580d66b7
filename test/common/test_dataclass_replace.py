"""Values are replaced as the library replaces them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.dataclass_replace import replace


@dataclass(frozen=True)
class Point:
    x: float = 0.0
    y: float = 0.0
    name: str = ''

    @cached_property
    def doubled(self) -> float:
        return 2.0 * self.x


@dataclass(frozen=True)
class Counted:
    """Not all of it comes from its fields."""

    x: float
    halves: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, 'halves', self.x / 2.0)


changes = st.dictionaries(st.sampled_from(['x', 'y']), st.floats(allow_nan=False))


@given(changes, changes)
def test_a_copy_is_that_of_the_library(made: dict[str, Any], changed: dict[str, Any]) -> None:
    point = Point(**made)
    before = dataclasses.asdict(point)
    assert point.doubled == 2.0 * point.x
    copy = replace(point, **changed)
    assert copy == dataclasses.replace(point, **changed)
    assert copy is not point
    assert copy.doubled == 2.0 * copy.x
    assert dataclasses.asdict(point) == before


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(TypeError, match='z'):
        replace(Point(), z=1.0)  # type: ignore[call-arg]


def test_a_class_that_makes_itself_is_made_by_itself() -> None:
    assert replace(Counted(4.0), x=6.0).halves == 3.0
