"""A recording as StageData: what the page about a run that is over shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bt_executive.report.facts import run_facts
from bt_executive.report.model import Charge, ModelUse, RecordedPose, Recording
from bt_executive.report.pictures import fair_shares, show_pictures
from bt_executive.report.tree import view_trees
from bt_executive.stage.data import Poses, RunInfo, Series, StageData, StageGoal, World
from bt_executive.stage.goal_story import GoalStory
from bt_executive.stage.measured import is_gap, thinned, with_gaps
from bt_executive.stage.scene import is_place, remembered_places, scene_of
from bt_executive.stage.story import tell_goals
from rover_common.config.settings import KeepOutZone

MOST_ROWS = 3000  # of the goals' tools and remarks, all together
MOST_EVENTS = 12_000
MOST_POSES = 6000
MOST_CHARGES = 600
LONGEST_S = 5.0  # between two readings, where no configuration says it; after it is a gap
LONGEST_MESSAGE = 400  # characters of an event's sentence
TOLD_ZONES, REMEMBERED = 'world.keep_out', 'world.places'  # in the state
ZONES: TypeAdapter[list[KeepOutZone]] = TypeAdapter(list[KeepOutZone])


def stage_data(recording: Recording) -> StageData:
    """Everything that the page shows of a recording."""
    goals, between = tell_goals(recording.lives)
    events = recording.events
    settings = recording.config.executive if recording.config else None
    return StageData(
        name=recording.folder.resolve().name,
        began=events[0].ts,
        ended=max(event.ts for event in events),
        world=_world(recording),
        goals=list(_goals(goals)),
        between=between[:MOST_ROWS],
        trees=view_trees(recording),
        poses=_poses(recording.poses, settings.guards.pose_max_age_s if settings else LONGEST_S),
        charge=_charge(
            recording.charges, settings.safety.battery_max_age_s if settings else LONGEST_S
        ),
        cost=_series([(each.ts, each.cost_usd) for each in _from_zero(recording.uses)]),
        tokens=_series(
            [(each.ts, each.input_tokens + each.output_tokens) for each in recording.uses]
        ),
        pictures=show_pictures(goals, recording),
        events=[
            (each.ts, each.kind, each.tool_name or '', each.message[:LONGEST_MESSAGE], each.ok)
            for each in events[:MOST_EVENTS]
        ],
        run=_info(recording, goals),
    )


def _goals(goals: Sequence[GoalStory]) -> Iterator[StageGoal]:
    shares = fair_shares([len(goal.rows) for goal in goals], MOST_ROWS)
    for number, (goal, most) in enumerate(zip(goals, shares, strict=True)):
        left_out = max(len(goal.rows) - most, 0)
        trivial = goal.is_trivial
        goal.rows = goal.rows[:most]
        yield StageGoal(number, goal, trivial, left_out)


def _from_zero(uses: Sequence[ModelUse]) -> Sequence[ModelUse]:
    return uses if any(each.cost_usd for each in uses) else ()


def _world(recording: Recording) -> World:
    told: list[KeepOutZone] = []
    remembered: Any = []
    for tick in (tick for life in recording.trees for tick in life.ticks):
        if TOLD_ZONES in tick.state:
            told = _zones(tick.state[TOLD_ZONES]) or told
        remembered = tick.state.get(REMEMBERED, remembered)
    return scene_of(recording.config, told, remembered_places(remembered))


def _zones(value: Any) -> list[KeepOutZone]:
    try:
        return ZONES.validate_python(value)
    except ValidationError:
        return []


def _poses(poses: Sequence[RecordedPose], longest_s: float) -> Poses:
    known = sorted((each for each in poses if is_place(each.x, each.y)), key=lambda pose: pose.ts)
    gaps = {
        after.ts: before
        for before, after in pairwise(known)
        if is_gap(_arrived(before), _arrived(after), longest_s)
    }
    chosen = {each.ts: each for each in _thinned(known, MOST_POSES)}
    chosen |= {each.ts: each for each in known if each.ts in gaps}
    chosen |= {each.ts: each for each in gaps.values()}
    kept = [chosen[ts] for ts in sorted(chosen)]
    return Poses(
        ts=[round(each.ts, 3) for each in kept],
        x=[round(each.x, 3) for each in kept],
        y=[round(each.y, 3) for each in kept],
        yaw=[round(each.yaw, 4) for each in kept],
        gap=[each.ts in gaps for each in kept],
    )


def _arrived(reading: RecordedPose | Charge) -> float:
    """Steady time in s; of a recording without it ROS time."""
    return reading.ts if reading.at is None else reading.at


def _charge(charges: Sequence[Charge], longest_s: float) -> Series:
    readings = sorted(charges, key=lambda charge: charge.ts)
    rows = with_gaps(
        [(each.ts, _arrived(each), round(each.percent, 6)) for each in readings], longest_s
    )
    kept = thinned(rows, MOST_CHARGES)
    return Series([round(ts, 3) for ts, _ in kept], [value for _, value in kept])


def _series(points: Sequence[tuple[float, float]]) -> Series:
    kept = _thinned(sorted(points), MOST_CHARGES)
    return Series([round(ts, 3) for ts, _ in kept], [round(value, 6) for _, value in kept])


def _thinned(values: Sequence[Any], most: int) -> Sequence[Any]:
    """At most about so many of them, evenly chosen, the last one among them."""
    step = len(values) // most + 1
    return values if step == 1 else [*values[::step], values[-1]]


def _info(recording: Recording, goals: Sequence[GoalStory]) -> RunInfo:
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
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
