"""The facts about a run in its report."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from bt_executive.report.read_and_join_run_folders import Recording
from bt_executive.report.run_facts import duration, moment, run_summary
from rover_common.trace_event import TraceEvent


@pytest.mark.parametrize(
    ('processes', 'words'),
    [
        ([[10.0, 14.5]], '4.5 s'),
        ([[10.0, 14.0], [1.0, 2.0]], '5.0 s'),  # a simulation's clock begins anew
        ([[10.0, 14.0], [], [6.0]], '4.0 s'),
        ([[14.0, 10.0]], '4.0 s'),
        ([[-1e308, 1e308]], 'unknown'),
    ],
)
def test_the_duration_is_that_of_all_processes(processes: list[list[float]], words: str) -> None:
    told = tuple(tuple(TraceEvent('e', ts, 'ACT', '') for ts in process) for process in processes)
    assert dict(run_summary(Recording(Path(), told), ()))['Duration'] == words


@pytest.mark.parametrize(
    ('noted', 'began'),
    [
        (1008.5, 1008.5),
        (None, 1010.0),
        ('soon', 1010.0),
        (1011.0, 1010.0),  # after the first event
        (-1e9, 1010.0),  # years before it: another clock, or a broken file
        (float('nan'), 1010.0),
    ],
)
def test_a_run_begins_where_page_and_console_counted_from(noted: object, began: float) -> None:
    process = (TraceEvent('e', 1010.0, 'ACT', ''),)
    metadata = {} if noted is None else {'began': noted}
    assert Recording(Path(), (process,), metadata=metadata).began == began


@pytest.mark.parametrize(
    ('seconds', 'words'),
    [(0.0, '0 ms'), (0.04, '40 ms'), (1.0, '1.0 s'), (59.94, '59.9 s'), (59.97, '1 min 00 s'),
     (125.0, '2 min 05 s'), (3600.0, '1 h 00 min'), (-4.0, 'unknown'), (math.inf, 'unknown'),
     (math.nan, 'unknown')],
)  # fmt: skip
def test_durations_have_a_readable_precision(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ('ts', 'words'),
    [(12.25, '12.2 s of simulated time'), (1763807020.0, '2025-11-22 10:23:40 UTC'),
     (1e308, '1e+308 s, which is not a date'), (-1e308, '-1e+308 s, which is not a date')],
)  # fmt: skip
def test_a_moment_is_a_date_or_simulated_seconds(ts: float, words: str) -> None:
    assert moment(ts) == words
