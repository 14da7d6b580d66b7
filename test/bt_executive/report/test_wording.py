"""Lengths of time in words."""

from __future__ import annotations

import pytest

from bt_executive.report.wording import duration


@pytest.mark.parametrize(
    ('seconds', 'words'),
    [(0.0, '0 ms'), (0.04, '40 ms'), (1.0, '1.0 s'), (59.94, '59.9 s'), (59.97, '1 min 00 s'),
     (125.0, '2 min 05 s'), (3600.0, '1 h 00 min')],
)  # fmt: skip
def test_times_are_told_as_exactly_as_matters(seconds: float, words: str) -> None:
    assert duration(seconds) == words
