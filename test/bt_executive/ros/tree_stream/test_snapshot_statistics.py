"""Spans of ticks: never negative, never not a number."""

from __future__ import annotations

import math
import statistics

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.ros.tree_stream.tree_message_of_tick import (
    AVERAGED_TICKS,
    Series,
    TickStatistics,
)


@given(st.lists(st.floats(0.0, 1e6), max_size=30))
def test_the_latest_ten_are_averaged(values: list[float]) -> None:
    series = Series()
    for value in values:
        series.add(value)
    latest, average, variance = series.summary()
    kept = values[-AVERAGED_TICKS:]
    assert all(math.isfinite(each) and each >= 0.0 for each in (latest, average, variance))
    if kept:
        assert latest == kept[-1]
        assert average == pytest.approx(statistics.fmean(kept))
    if len(kept) > 1:
        assert variance == pytest.approx(statistics.variance(kept), rel=1e-6, abs=1e-6)


def test_ticks_are_counted_from_zero() -> None:
    told = TickStatistics()
    assert told.intervals.summary() == (0.0, 0.0, 0.0)
    told.begin()
    assert told.count == 0
    told.end()
    assert told.intervals.summary() == (0.0, 0.0, 0.0)
    told.begin()
    assert told.count == 1
    assert told.intervals.summary()[0] > 0.0
