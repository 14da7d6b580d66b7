"""What a page has room for, and notes of what is left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recorded_run import jpeg

from bt_executive.report.read_and_join_run_folders import (
    Charge,
    RecordedPicture,
    RecordedPose,
    Recording,
    TreeOfProcess,
)
from bt_executive.report.report_html import make_page
from bt_executive.report.report_page_data import page_data
from bt_executive.store.run_folder_formats import PictureEntry, RecordedNode, TreeTick
from rover_common.config.load import load_config
from rover_common.trace_event import TraceEvent

HOUR_S = 3600
BEGAN = 1.8e9


def story() -> Iterator[TraceEvent]:
    """A tool is proposed, starts and ends, every second."""
    yield TraceEvent('e-0', BEGAN, 'OBSERVE', 'New goal: drive about', data={'task_id': 't'})
    for second in range(HOUR_S):
        ts, name = BEGAN + second, f'e-{second}'
        told = {'proposed_by': 'planner', 'thought': 'x' * 100, 'arguments': {'n': second}}
        yield TraceEvent(
            f'{name}a', ts, 'DECIDE', 'go: allowed', tool_name='go', ok=True, data=told
        )
        yield TraceEvent(f'{name}b', ts + 0.1, 'ACT', 'go starts', tool_name='go', data={})
        yield TraceEvent(
            f'{name}c', ts + 0.9, 'RESULT', 'go: done', tool_name='go', ok=True, data={}
        )


@pytest.fixture
def hour(tmp_path: Path) -> Recording:
    folder: Path = tmp_path / 'pictures'
    folder.mkdir()
    (folder / 'one.jpg').write_bytes(jpeg(size=480))
    ticks = tuple(
        TreeTick(
            ts=BEGAN + n / 10,
            mode='EXEC',
            status={0: 'RS'[n % 2]},
            words={0: f'tick {n}'},
            state={f'part.field_{n % 40}': 'x' * 300, 'robot.pose': {'x': n / 7, 'y': n / 9}},
        )
        for n in range(HOUR_S * 10)
    )
    nodes = tuple(
        RecordedNode(name=f'node {n}', kind='leaf', parent=0 if n else None) for n in range(100)
    )
    seconds = [BEGAN + n / 2 for n in range(HOUR_S * 2)]
    return Recording(
        folder=tmp_path,
        processes=(tuple(story()),),
        trees=(TreeOfProcess(nodes, ticks),),
        poses=tuple(RecordedPose(ts, (ts - BEGAN) * 0.1, (ts % 60) * 0.1, 0.0) for ts in seconds),
        charges=tuple(Charge(ts, 90.0 - (ts - BEGAN) / 100.0) for ts in seconds),
        pictures=tuple(
            RecordedPicture(
                tmp_path,
                PictureEntry(
                    stamp=BEGAN + n * 7,
                    ts=BEGAN + n * 7,
                    event_id='e',
                    score=0.5,
                    file='pictures/one.jpg',
                ),
            )
            for n in range(500)
        ),
        config=load_config(None),
    )


@pytest.mark.long
def test_the_page_stays_below_ten_megabytes_and_reports_omissions(
    hour: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = page_data(hour)
    monkeypatch.setattr('bt_executive.report.report_html.page_data', lambda *_: data)
    page = make_page(hour)
    assert len(page.encode()) < 10_000_000
    assert page.count('data:image/jpeg;base64,') == 100
    assert 'left out of this page: see pictures/one.jpg' in page
    assert [goal.left_out for goal in data.goals] == [600]
    assert [tree.merged for tree in data.trees] == [True]
    assert len(data.events) == 1 + 3 * HOUR_S


@pytest.mark.parametrize('first', [100.0, BEGAN])
def test_a_page_has_all_times_though_the_clock_was_set_back(tmp_path: Path, first: float) -> None:
    data = {'task_id': 'a'}
    runs = (
        (
            TraceEvent('one-1', first, 'OBSERVE', 'New goal: look', data=data),
            TraceEvent('one-2', first + 40.0, 'DECIDE', 'waits'),
        ),
        (
            TraceEvent('two-1', 5.0, 'OBSERVE', 'Resumed', data={'lives': {}, 'goes_on': data}),
            TraceEvent('two-2', 9.0, 'RESULT', '', data=data | {'goal_ended': {'answer': 'no'}}),
        ),
    )
    page = page_data(Recording(tmp_path, runs))
    assert (page.began, page.ended) == (5.0, first + 40.0)
    (goal,) = (each.story for each in page.goals)
    assert (goal.began, goal.ended, goal.answer) == (first, first + 40.0, 'no')


@pytest.mark.parametrize(('most', 'notes'), [(3, []), (2, ['events', 'remarks between goals'])])
def test_events_that_are_left_out_are_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, notes: list[str]
) -> None:
    limits = 'bt_executive.report.report_page_data.MAX_'
    for name in ('EVENTS', 'ROWS'):
        monkeypatch.setattr(f'{limits}{name}', most)
    told = tuple(TraceEvent(f'e-{n}', BEGAN + n, 'OBSERVE', 'idle') for n in range(3))
    data = page_data(Recording(tmp_path, (told,)))
    assert len(data.events) == len(data.between) == most
    assert list(data.run.notes) == [
        f'This page has the first 2 of 3 {name}: trace.jsonl has all.' for name in notes
    ]
