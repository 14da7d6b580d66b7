"""The summary has every goal of the run, and its cost does not grow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bt_executive.store import goal_summaries as summary
from bt_executive.store.goal_summaries import MAX_GOALS, SummaryFile
from bt_executive.store.json_lines_file import JsonLinesFile
from bt_executive.store.run_folder_formats import GOALS
from bt_executive.store.tree_and_state_changes import LETTERS

DOCS = Path(__file__).resolve().parents[3] / 'docs'
STATUSES = {letter: status for status, letter in LETTERS.items()}


HEADER = json.dumps({'schema': GOALS, 'version': '1.0', 'run_id': 'r.1', 'started_at': 'now'})


def begin(folder: Path, max_mb: float = 1.0) -> SummaryFile:
    """A process of the run."""
    lines = JsonLinesFile(folder / 'goals.jsonl', HEADER, max_mb, lambda _sentence: None)
    return SummaryFile(folder, lines)


def add(subject: SummaryFile, first: int, count: int) -> None:
    for number in range(first, first + count):
        subject.add({'goal': f'goal {number}', 'outcome': 'reached'})


def read(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / 'summary.json').read_text(encoding='utf-8'))
    return content


def names(folder: Path) -> list[str]:
    return [goal['goal'] for goal in read(folder)['goals']]


def test_the_latest_goal_stands_on_top_of_all_of_them(tmp_path: Path) -> None:
    add(begin(tmp_path), 0, 3)
    assert read(tmp_path)['goal'] == 'goal 2'
    assert read(tmp_path)['goal_count'] == 3
    assert names(tmp_path) == ['goal 0', 'goal 1', 'goal 2']


@pytest.mark.slow
def test_a_goal_writes_no_more_after_many_than_after_a_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(summary, 'write_whole', lambda _path, data: sizes.append(len(data)))
    add(begin(tmp_path), 10_000, 10 * MAX_GOALS)
    assert max(sizes) <= sizes[MAX_GOALS - 1] + 10, 'but for the digits of the count'


@pytest.mark.slow
def test_the_end_of_the_run_and_a_next_process_have_every_goal(tmp_path: Path) -> None:
    first = begin(tmp_path)
    add(first, 0, MAX_GOALS + 20)
    assert len(names(tmp_path)) == MAX_GOALS, 'while it runs'
    first.finish()
    everything = [f'goal {number}' for number in range(MAX_GOALS + 20)]
    assert names(tmp_path) == everything
    killed = begin(tmp_path)
    add(killed, MAX_GOALS + 20, 1)
    assert read(tmp_path)['goal_count'] == MAX_GOALS + 21
    last = begin(tmp_path)
    last.finish()
    assert names(tmp_path) == [*everything, f'goal {MAX_GOALS + 20}']


@pytest.mark.slow
def test_goals_missing_from_a_full_goals_file_stay_in_the_summary(tmp_path: Path) -> None:
    subject = begin(tmp_path, max_mb=0.002)
    add(subject, 0, MAX_GOALS + 20)
    subject.finish()
    assert names(tmp_path)[-MAX_GOALS:] == [
        f'goal {number}' for number in range(20, MAX_GOALS + 20)
    ]


def test_a_run_without_goals_leaves_no_summary(tmp_path: Path) -> None:
    begin(tmp_path).finish()
    assert not (tmp_path / 'summary.json').exists()
