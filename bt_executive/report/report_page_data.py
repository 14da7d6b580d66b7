"""A recording as PageData: what the page about a run that is over has room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone
import json
import math
from typing import Any

from bt_executive.report.recording_data import Recording
from bt_executive.report.report_pictures import fair_shares, show_pictures
from bt_executive.report.view_of_recording import ticks_in_a_moment, view_of
from bt_executive.view.goal_story import GoalStory
from bt_executive.view.page_data import (
    Moment,
    PageData,
    PageGoal,
    PageTree,
    Poses,
    RunInfo,
    Series,
)
from bt_executive.view.reading_series import thin
from bt_executive.view.run_clock import EPOCH_FROM_S
from bt_executive.view.state_fields import MAX_VALUE_CHARS
from rover_common.trace_event import TraceEvent


def run_facts(recording: Recording, goals: Sequence[GoalStory]) -> Iterator[tuple[str, str]]:
    """The facts, the most asked for first."""
    events = recording.events
    ends = Counter(goal.outcome for goal in goals)
    told = [f'{ends[each]} {each}' for each in ('reached', 'answered', 'claimed') if ends[each]]
    yield 'Began', moment(recording.began)
    yield 'Duration', duration(sum(map(_seconds, recording.processes)))
    yield 'Goals', f'{len(goals)}, of which {", ".join(told) or "0 reached"}'
    yield 'Events', str(len(events))
    if len(recording.processes) > 1:
        yield 'Executive started', f'{len(recording.processes)} times'
    config = recording.config
    if config is not None:
        planner = config.executive.planner
        yield 'Planner', ' '.join(part for part in (planner.provider, planner.model) if part)
        yield 'Variant', config.executive.variant
        if config.has_world:
            yield 'World', config.world.name


def _seconds(process: Sequence[TraceEvent]) -> float:
    """How long a process of the executive was; its clock may begin anew with the next one."""
    times = [event.ts for event in process]
    return max(times, default=0.0) - min(times, default=0.0)


def duration(seconds: float) -> str:
    """A length of time, to what a reader needs of it."""
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
    """A ROS time as date and time in UTC, or as seconds of simulated time."""
    if abs(ts) < EPOCH_FROM_S:
        return f'{ts:.1f} s of simulated time'
    try:
        return datetime.fromtimestamp(ts, timezone.utc).strftime('%Y-%m-%d %H:%M:%S UTC')
    except (OverflowError, OSError, ValueError):
        return f'{ts:g} s, which is not a date'


MOST_ROWS = 3000  # of the goals' tools and remarks, all together
MOST_EVENTS = 12_000
MOST_POSES = 6000
MOST_CHARGES = 600
MOST_CHARACTERS = 1_500_000  # of the state's values; beyond it they are shown at fewer moments


def page_data(recording: Recording, goes_on: bool = False) -> PageData:
    """Everything that the page shows of a recording. `goes_on`: whether its run does."""
    view = view_of(recording)
    goals = view.story.goals
    is_pursued = any(not goal.over for goal in goals)
    made_at = _latest(recording) if goes_on and is_pursued else None
    merged = ticks_in_a_moment(recording) > 1
    shown = [each[0] for each in view.events[-1:]] + [each[0] for each in view.stages[-1:]]
    whole = view.data(
        recording.folder.resolve().name,
        recording.began,
        made_at or max(shown),
        _info(recording, goals, made_at),
    )
    return replace(
        whole,
        goals=list(_goals(whole.goals)),
        between=whole.between[:MOST_ROWS],
        trees=[replace(_with_fewer_fields(tree), merged=merged) for tree in whole.trees],
        poses=_thinned_poses(whole.poses),
        charge=_thinned(whole.charge),
        cost=_thinned(whole.cost) if any(whole.cost.value) else Series(),
        tokens=_thinned(whole.tokens),
        pictures=show_pictures(goals, recording),
        events=whole.events[:MOST_EVENTS],
    )


def _latest(recording: Recording) -> float:
    """The last moment of which anything was recorded: what is measured outlasts the events."""
    moments = [event.ts for event in recording.events]
    moments += [tick.ts for process in recording.trees for tick in process.ticks]
    moments += [pose.ts for pose in recording.poses]
    moments += [charge.ts for charge in recording.charges]
    return max(moments)


def _goals(goals: Sequence[PageGoal]) -> Iterator[PageGoal]:
    shares = fair_shares([len(goal.story.rows) for goal in goals], MOST_ROWS)
    for goal, most in zip(goals, shares, strict=True):
        left_out = max(len(goal.story.rows) - most, 0)
        story = replace(goal.story, rows=goal.story.rows[:most])
        yield replace(goal, story=story, left_out=left_out)


def _thinned_poses(poses: Poses) -> Poses:
    """About so many poses, evenly chosen; the last one and those beside a gap stay."""
    step = len(poses.ts) // MOST_POSES + 1
    beside = {index for index, gap in enumerate(poses.gap) if gap}
    chosen = {*range(0, len(poses.ts), step), *range(len(poses.ts))[-1:], *beside}
    kept = sorted(chosen | {index - 1 for index in beside if index})
    return Poses(*([column[index] for index in kept] for column in vars(poses).values()))


def _thinned(series: Series) -> Series:
    kept = thin(list(zip(series.ts, series.value, strict=True)), MOST_CHARGES)
    return Series([ts for ts, _ in kept], [value for _, value in kept])


def _with_fewer_fields(tree: PageTree) -> PageTree:
    """The tree with the state's values at the last moment of each group, if they are too many."""
    fields = [moment[-1] for moment in tree.moments]
    if sum(len(text) for each in fields for text in each.values()) <= MOST_CHARACTERS:
        return tree
    size = len(fields) * MAX_VALUE_CHARS * len(tree.fields) // MOST_CHARACTERS + 1
    moments: list[Moment] = []
    for begin in range(0, len(fields), size):
        group = tree.moments[begin : begin + size]
        together = {number: text for moment in group for number, text in moment[-1].items()}
        moments += [(*moment[:-1], {}) for moment in group[:-1]]
        moments.append((*group[-1][:-1], together))
    return replace(tree, moments=moments)


def _info(recording: Recording, goals: Sequence[GoalStory], made_at: float | None) -> RunInfo:
    facts = list(run_facts(recording, goals))
    versions = recording.facts.get('versions')
    if isinstance(versions, dict):
        facts += [(str(name), str(version)) for name, version in versions.items()]
    overrides = recording.facts.get('overrides')
    return RunInfo(
        facts=facts,
        notes=recording.notes,
        overrides=[_text(each) for each in overrides] if isinstance(overrides, list) else (),
        files=recording.files,
        logs={name: text for name, text in recording.logs.items() if text.strip()},
        made_at=made_at,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
