"""The charge of a battery: a fraction, nothing, or a fault of its driver."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.state_values import charge_pct


@given(st.floats(0.0, 1.0))
def test_a_fraction_becomes_per_cent(fraction: float) -> None:
    assert charge_pct(fraction) == pytest.approx(100.0 * fraction)


def test_what_was_not_measured_is_no_charge() -> None:
    assert charge_pct(math.nan) is None


@pytest.mark.parametrize('percentage', [87.0, 1.01, -0.1, math.inf, -math.inf])
def test_what_is_no_fraction_is_refused_with_the_value_and_what_to_do(percentage: float) -> None:
    with pytest.raises(ValueError, match=f'percentage {percentage:g};.* from 0 to 1 .*driver'):
        charge_pct(percentage)
