from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.console.sparkline import bar, sparkline
from bt_executive.core.result_text import span

ANY_NUMBER = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize(
    ('values', 'line'),
    [([], ''), ([0.0, 1.0], '▁█'), ([0.0, 0.5, 0.97, 2.0, -1.0, math.nan], '▅██▁▁')],
)
def test_the_latest_values_are_drawn(values: Any, line: str) -> None:
    assert sparkline(values, 5) == line


@pytest.mark.parametrize(('share', 'drawn'), [(0.0, '░░░░'), (0.5, '▇▇░░'), (3.0, '▇▇▇▇')])
def test_a_bar(share: float, drawn: str) -> None:
    assert bar(share, 4) == drawn


@pytest.mark.parametrize(
    ('seconds', 'words'),
    [
        (-3.0, '0 s'),
        (7.9, '7 s'),
        (125.0, '2 min 5 s'),
        (4320.0, '1 h 12 min'),
        (3600.0, '1 h'),
        (math.nan, '0 s'),
    ],
)
def test_spans_of_time(seconds: Any, words: str) -> None:
    assert span(seconds) == words


@given(st.lists(ANY_NUMBER, max_size=20), ANY_NUMBER, st.integers(0, 12))
def test_whatever_is_measured_the_room_is_kept(
    values: list[float], share: float, cells: int
) -> None:
    assert len(sparkline(values, cells)) == min(len(values), cells)
    assert len(bar(share, cells)) == cells
    assert span(share)
