"""Converts a recording to the PageData of a report, within the limits of each series."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
import json
from typing import Any

from bt_executive.report.read_and_join_run_folders import Recording
from bt_executive.report.report_pictures import fair_shares, show_pictures
from bt_executive.report.run_facts import run_summary
from bt_executive.report.view_of_recording import ticks_in_a_moment, view_of
from bt_executive.store.run_folder_formats import TRACE_FILE
from bt_executive.view.chart_series import thin
from bt_executive.view.goals_of_a_run import GoalStory
from bt_executive.view.page_data_fields_and_json import (
    Moment,
    PageData,
    PageGoal,
    PageTree,
    RunInfo,
    Series,
)
from bt_executive.view.shown_state_fields import MAX_VALUE_CHARS

MAX_ROWS = 3000  # of tools and remarks, over all goals
MAX_EVENTS = 12_000
MAX_POSES = 6000
MAX_VALUES = 600
MAX_FIELD_CHARS = 1_500_000  # of the state's values; beyond it they are included at fewer times


def page_data(recording: Recording, in_progress: bool = False) -> PageData:
    """Return the page's data of a recording. `in_progress`: whether its run continues."""
    view = view_of(recording)
    goals = view.story.goals
    has_active_goal = any(not goal.over for goal in goals)
    made_at = _latest(recording) if in_progress and has_active_goal else None
    merged = ticks_in_a_moment(recording) > 1
    times = [event[0] for event in view.events] + [row[0] for row in view.stages]
    data = view.data(
        recording.folder.resolve().name,
        recording.began,
        made_at or max(times),
        _info(recording, goals, made_at),
    )
    return replace(
        data,
        run=replace(data.run, notes=(*data.run.notes, *_omissions(data))),
        goals=list(_goals(data.goals)),
        between=data.between[:MAX_ROWS],
        trees=[replace(_with_fewer_fields(tree), merged=merged) for tree in data.trees],
        poses=thin(data.poses, MAX_POSES),
        charge=thin(data.charge, MAX_VALUES),
        cost=thin(data.cost, MAX_VALUES) if any(data.cost.value) else Series(),
        tokens=thin(data.tokens, MAX_VALUES),
        pictures=show_pictures(goals, recording),
        events=data.events[:MAX_EVENTS],
    )


def _omissions(data: PageData) -> Iterator[str]:
    """Yield a note for each list of events whose end is left out; a goal's rows have their own."""
    lists = (
        ('events', data.events, MAX_EVENTS),
        ('remarks between goals', data.between, MAX_ROWS),
    )
    for name, rows, most in lists:
        if len(rows) > most:
            yield f'This page has the first {most} of {len(rows)} {name}: {TRACE_FILE} has all.'


def _latest(recording: Recording) -> float:
    """Return the time of the latest record: readings may be later than events."""
    times = [event.ts for event in recording.events]
    times += [tick.ts for process in recording.trees for tick in process.ticks]
    times += [pose.ts for pose in recording.poses]
    times += [charge.ts for charge in recording.charges]
    return max(times)


def _goals(goals: Sequence[PageGoal]) -> Iterator[PageGoal]:
    shares = fair_shares([len(goal.story.rows) for goal in goals], MAX_ROWS)
    for goal, most in zip(goals, shares, strict=True):
        left_out = max(len(goal.story.rows) - most, 0)
        story = replace(goal.story, rows=goal.story.rows[:most])
        yield replace(goal, story=story, left_out=left_out)


def _with_fewer_fields(tree: PageTree) -> PageTree:
    """Return the tree with fewer values of the state: those at the end of groups of moments."""
    fields = [moment[-1] for moment in tree.moments]
    if sum(len(text) for each in fields for text in each.values()) <= MAX_FIELD_CHARS:
        return tree
    size = len(fields) * MAX_VALUE_CHARS * len(tree.fields) // MAX_FIELD_CHARS + 1
    moments: list[Moment] = []
    for begin in range(0, len(fields), size):
        group = tree.moments[begin : begin + size]
        together = {number: text for moment in group for number, text in moment[-1].items()}
        moments += [(*moment[:-1], {}) for moment in group[:-1]]
        moments.append((*group[-1][:-1], together))
    return replace(tree, moments=moments)


def _info(recording: Recording, goals: Sequence[GoalStory], made_at: float | None) -> RunInfo:
    info = list(run_summary(recording, goals))
    versions = recording.metadata.get('versions')
    if isinstance(versions, dict):
        info += [(str(name), str(version)) for name, version in versions.items()]
    overrides = recording.metadata.get('overrides')
    return RunInfo(
        facts=info,
        notes=recording.notes,
        overrides=[_text(each) for each in overrides] if isinstance(overrides, list) else (),
        files=recording.files,
        logs={name: text for name, text in recording.logs.items() if text.strip()},
        made_at=made_at,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
