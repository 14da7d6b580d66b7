"""Converts a recording to the PageData of a report: facts, pictures, and limits of each series."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone
import io
import json
import math
from pathlib import Path
from typing import Any

from bt_executive.report.read_and_join_run_folders import RecordedPicture, Recording
from bt_executive.report.view_of_recording import ticks_in_a_moment, view_of
from bt_executive.store.run_file_lines_and_damage import read_run_file
from bt_executive.store.run_folder_formats import TRACE_FILE, PictureEntry
from bt_executive.view.goals_of_a_run import GoalStory
from bt_executive.view.map_and_chart_data import thin
from bt_executive.view.page_data_fields_and_json import (
    Moment,
    PageData,
    PageGoal,
    PagePicture,
    PageTree,
    RunInfo,
    Series,
    config_summary,
)
from bt_executive.view.run_clock import EPOCH_FROM_S
from bt_executive.view.shown_fields_motion_and_holds import MAX_VALUE_CHARS
from bt_executive.view.small_picture import make_small
from rover_common.trace_event import TraceEvent

MAX_PICTURES = 100  # in the page; about 25 kB each


def show_pictures(goals: Sequence[GoalStory], recording: Recording) -> list[PagePicture]:
    """Return all pictures; `MAX_PICTURES` of them with content, shared evenly among goals."""
    entries = [each.entry for each in recording.pictures]
    goal_of = [_goal_of(goals, entry) for entry in entries]
    counts = [goal_of.count(number) for number in range(-1, len(goals))]
    chosen: set[int] = set()
    for number, limit in enumerate(fair_shares(counts, MAX_PICTURES), start=-1):
        own = [index for index, goal in enumerate(goal_of) if goal == number]
        best = max(own, key=lambda index: entries[index].score, default=None)
        chosen |= {own[place] for place in _evenly(len(own), limit)} | (
            {best} if best is not None else set()
        )
    return [_show(each, index in chosen) for index, each in enumerate(recording.pictures)]


def _goal_of(goals: Sequence[GoalStory], entry: PictureEntry) -> int:
    """Return the number of the goal during which a picture was scored; -1: none."""
    covering = (number for number, goal in enumerate(goals) if goal.covers(entry.ts))
    return next(covering, -1)


def fair_shares(counts: Sequence[int], limit: int) -> list[int]:
    """Scale counts down, so that their sum is at most `limit`."""
    total = sum(counts)
    return [count if total <= limit else count * limit // total for count in counts]


def _evenly(number: int, limit: int) -> set[int]:
    """Return up to `limit` indices from the first to the last."""
    if number <= limit:
        return set(range(number))
    return {round(index * (number - 1) / max(limit - 1, 1)) for index in range(limit)}


def _show(picture: RecordedPicture, chosen: bool) -> PagePicture:
    entry = picture.entry
    src, why, lift = '', '', 1.0
    if entry.file is None:
        why = 'not kept: the room for pictures was used up'
    elif not chosen:
        why = f'left out of this page: see {entry.file}'
    else:
        src, why, lift = _small(picture.folder, entry.file)
    return PagePicture(
        entry.stamp, entry.ts, entry.score, entry.is_good, src, why, lift, entry.words
    )


def _small(folder: Path, file: str) -> tuple[str, str, float]:
    """Return the picture as a data URI, or why there is none. Reads only files of the folder."""
    try:
        path = (folder / file).resolve()
        if folder.resolve() not in path.parents:
            return '', f'{file!r} is not in the run folder', 1.0
        small = make_small(io.BytesIO(read_run_file(path)))
    except (OSError, ValueError) as error:
        return '', f'{file} cannot be shown: {type(error).__name__}', 1.0
    uri = 'data:image/jpeg;base64,' + base64.b64encode(small.jpeg).decode()
    return uri, '', small.lift


def run_summary(recording: Recording, goals: Sequence[GoalStory]) -> Iterator[tuple[str, str]]:
    """Yield titles and texts about the run, the most important first."""
    events = recording.events
    ends = Counter(goal.outcome for goal in goals)
    outcomes = ('reached', 'answered', 'claimed')
    counts = [f'{ends[outcome]} {outcome}' for outcome in outcomes if ends[outcome]]
    yield 'Began', moment(recording.began)
    yield 'Duration', duration(sum(map(_seconds, recording.processes)))
    yield 'Goals', f'{len(goals)}, of which {", ".join(counts) or "0 reached"}'
    yield 'Events', str(len(events))
    if len(recording.processes) > 1:
        yield 'Executive started', f'{len(recording.processes)} times'
    if recording.config is not None:
        yield from config_summary(recording.config)


def _seconds(process: Sequence[TraceEvent]) -> float:
    """Return the duration of a process in s; the clock may restart with the next one."""
    times = [event.ts for event in process]
    return max(times, default=0.0) - min(times, default=0.0)


def duration(seconds: float) -> str:
    """Format a duration with a readable precision."""
    if not 0.0 <= seconds < math.inf:
        return 'unknown'
    if seconds < 0.95:
        return f'{seconds * 1000:.0f} ms'
    if seconds < 59.95:
        return f'{seconds:.1f} s'
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours} h {minutes:02d} min' if hours else f'{minutes} min {rest:02d} s'


def moment(ts: float) -> str:
    """Format a ROS time as date and time in UTC, or as seconds of simulated time."""
    if abs(ts) < EPOCH_FROM_S:
        return f'{ts:.1f} s of simulated time'
    try:
        return datetime.fromtimestamp(ts, timezone.utc).strftime('%Y-%m-%d %H:%M:%S UTC')
    except (OverflowError, OSError, ValueError):
        return f'{ts:g} s, which is not a date'


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
