"""What a report tells of the whole run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_executive.report.report_model import Recording
from bt_executive.report.run_facts import run_facts
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
    assert dict(run_facts(Recording(Path(), told), ()))['Duration'] == words


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
    facts = {} if noted is None else {'began': noted}
    assert Recording(Path(), (process,), facts=facts).began == began
