"""What another process gives for a number may be anything."""

from __future__ import annotations

import math
import sys
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.finite_number import finite_number

LARGEST = int(sys.float_info.max)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-LARGEST, LARGEST))
def test_a_finite_number_is_taken(value: float) -> None:
    number = finite_number(value)
    assert isinstance(number, float)
    assert number == float(value)


@pytest.mark.parametrize(
    'value', [None, True, False, '1.5', [1.0], {}, math.nan, math.inf, -math.inf, 1j]
)
def test_everything_else_is_none(value: Any) -> None:
    assert finite_number(value) is None


@pytest.mark.parametrize('value', [2 * LARGEST, -2 * LARGEST, 10**400])
def test_an_integer_that_no_float_can_hold_is_none(value: int) -> None:
    assert finite_number(value) is None
