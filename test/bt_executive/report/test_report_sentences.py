"""Lengths of time in words."""

from __future__ import annotations

import math

import pytest

from bt_executive.report.report_sentences import duration, moment


@pytest.mark.parametrize(
    ('seconds', 'words'),
    [(0.0, '0 ms'), (0.04, '40 ms'), (1.0, '1.0 s'), (59.94, '59.9 s'), (59.97, '1 min 00 s'),
     (125.0, '2 min 05 s'), (3600.0, '1 h 00 min'), (-4.0, 'unknown'), (math.inf, 'unknown'),
     (math.nan, 'unknown')],
)  # fmt: skip
def test_times_are_told_as_exactly_as_matters(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ('ts', 'words'),
    [(12.25, '12.2 s of simulated time'), (1763807020.0, '2025-11-22 10:23:40 UTC'),
     (1e308, '1e+308 s, which is not a date'), (-1e308, '-1e+308 s, which is not a date')],
)  # fmt: skip
def test_a_moment_is_a_date_or_simulated_seconds(ts: float, words: str) -> None:
    assert moment(ts) == words
