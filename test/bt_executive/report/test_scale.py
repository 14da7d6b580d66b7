"""Axes: round numbers in their places."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.report.scale import Scale, number, round_step
from bt_executive.report.wording import duration, figure

finite = st.floats(min_value=-1e6, max_value=1e6)


@given(low=finite, span=st.floats(min_value=1e-3, max_value=1e6), about=st.integers(2, 12))
def test_ticks_lie_within_and_are_neither_few_nor_many(
    low: float, span: float, about: int
) -> None:
    scale = Scale(low, low + span, 0.0, 1000.0)
    ticks = scale.ticks(about)
    assert all(-0.2 <= scale(tick) <= 1000.2 for tick in ticks)
    assert about / 5 - 1 <= len(ticks) <= about + 1


@pytest.mark.parametrize(('rough', 'step'), [(0.3, 0.5), (1.0, 1.0), (7.0, 10.0), (21.0, 50.0)])
def test_steps_are_round(rough: float, step: float) -> None:
    assert round_step(rough) == pytest.approx(step)


def test_a_scale_without_extent_has_one_place() -> None:
    assert Scale(2.0, 2.0, 0.0, 10.0)(2.0) == 5.0
    assert Scale(2.0, 2.0, 0.0, 10.0).ticks(5) == [2.0]


def test_numbers_are_short() -> None:
    assert [number(value) for value in (0.5, 10.0, -3.0, 1e-9)] == ['0.5', '10', '−3', '1e−09']


@pytest.mark.parametrize(
    ('seconds', 'words'),
    [(0.0, '0 ms'), (0.04, '40 ms'), (1.0, '1.0 s'), (59.94, '59.9 s'), (59.97, '1 min 00 s'),
     (125.0, '2 min 05 s'), (3600.0, '1 h 00 min')],
)  # fmt: skip
def test_times_are_told_as_exactly_as_matters(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_what_was_not_measured_is_a_dash() -> None:
    assert [figure(None, '.2f'), figure('x', '.2f'), figure(True, 'd')] == ['–'] * 3
    assert figure(2.5, '.2f', ' m') == '2.50 m'
