"""The charge of a battery: a fraction, nothing, or a fault of its driver. Lists as one value."""

from __future__ import annotations

from array import array
import math
import time
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from rover_common.config.settings.state_and_guards import TopicField
from rover_common.state_values import charge_pct, value_of


@given(st.floats(0.0, 1.0))
def test_a_fraction_becomes_per_cent(fraction: float) -> None:
    assert charge_pct(fraction) == pytest.approx(100.0 * fraction)


def test_what_was_not_measured_is_no_charge() -> None:
    assert charge_pct(math.nan) is None


@pytest.mark.parametrize('percentage', [87.0, 1.01, -0.1, math.inf, -math.inf])
def test_what_is_no_fraction_is_refused_with_the_value_and_what_to_do(percentage: float) -> None:
    with pytest.raises(ValueError, match=f'percentage {percentage:g};.* from 0 to 1 .*driver'):
        charge_pct(percentage)


def message_with(values: Any) -> SimpleNamespace:
    return SimpleNamespace(values=values, get_fields_and_field_types=lambda: {'values': ''})


def reduced(values: Any, how: str, **keys: Any) -> Any:
    """The value, or why there is none."""
    entry = TopicField(topic='/t', field='values', reduce=how, **keys)
    try:
        return value_of(message_with(values), entry)
    except ValueError as error:
        return str(error)


@given(
    st.lists(st.floats(width=32) | st.sampled_from([math.inf, math.nan]), min_size=1, max_size=8),
    st.sampled_from(['min', 'max', 'mean']),
    st.sampled_from([{}, {'if_infinite': 30.0}]),
)
def test_an_array_is_reduced_as_a_list_is(
    values: list[float], how: str, keys: dict[str, float]
) -> None:
    by_list = reduced(values, how, **keys)
    for given_as in (array('f', values), array('d', values), np.array(values)):
        found = reduced(given_as, how, **keys)
        assert found == (by_list if isinstance(by_list, str) else pytest.approx(by_list)), given_as


def test_integers_stay_so_and_a_reducer_of_booleans_refuses_them() -> None:
    assert reduced(array('B', [3, 250, 7]), 'max') == 250
    assert reduced(array('B', [3, 250, 7]), 'mean') == pytest.approx(260 / 3)
    assert reduced(array('B', [3, 250, 7]), 'any') == 'values is no list of booleans'
    assert reduced(np.array([True, False]), 'any') is True


@pytest.mark.parametrize('kind', [list, np.array])
def test_a_mean_of_numbers_that_are_too_large_is_not_known(kind: Any) -> None:
    """Some drivers write the largest number for what they do not know."""
    assert reduced(kind([1.7e308, 1.7e308]), 'mean') == (
        'values has numbers that are too large for a mean'
    )


def test_the_data_of_a_picture_is_reduced_at_once() -> None:
    """The thread that does it receives the reasons to stop, too."""
    began = time.thread_time()
    assert reduced(array('B', bytes(640 * 480 * 3)), 'mean') == 0.0
    assert time.thread_time() - began < 0.1
