"""Series of readings for charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.client.front_end_events import ExecutiveLost, StateReceived
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState
from bt_executive.view.chart_series import thin
from bt_executive.view.page_data_fields_and_json import Series
from bt_executive.web.page_snapshots_and_patches import LivePageData
from rover_common.config.load import load_config

CONFIG = load_config(None)
LONGEST_S = CONFIG.executive.safety.battery_max_age_s
WAITS = st.lists(st.sampled_from([0.5, 1.0, 4.9, 5.1, 30.0]), min_size=1, max_size=30)


def readings(waits: Sequence[float]) -> list[tuple[float, float, float]]:
    """ROS time runs three times as fast as steady time; the value rises with each."""
    at, made = 0.0, []
    for number, wait in enumerate(waits):
        at += wait
        made.append((1000.0 + 3.0 * at, at, float(number)))
    return made


def value_at(rows: Sequence[tuple[float, float | None]], ts: float) -> float | None:
    """What a chart shows at a moment."""
    before = [value for at, value in rows if at <= ts]
    return before[-1] if before else None


def state(at: float, percent: float, stale: bool = False) -> StateReceived:
    robot = RobotState(battery_at=at, battery_pct=percent, battery_stale=stale)
    return StateReceived(BrainState(robot=robot), 0.0)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def live(readings: Sequence[tuple[float, float, float]]) -> Series:
    clock = Clock()
    stage = LivePageData('run', CONFIG, clock)
    for ts, at, value in readings:
        clock.now = ts
        stage.apply(state(at, value))
    return stage.snapshot()[0].charge


@given(WAITS)
@pytest.mark.slow
def test_a_chart_shows_nothing_between_readings_that_are_too_far_apart(
    waits: Sequence[float],
) -> None:
    seen = readings(waits)
    charge = live(seen)
    shown = list(zip(charge.ts, charge.value, strict=True))
    for before, after in pairwise(seen):
        middle = value_at(shown, (before[0] + after[0]) / 2.0)
        assert middle == (None if after[1] - before[1] > LONGEST_S else before[2])
        assert any(at == pytest.approx(after[0]) and value == after[2] for at, value in shown)


@given(WAITS)
@pytest.mark.slow
def test_thinning_keeps_every_gap(waits: Sequence[float]) -> None:
    charge = live(readings(waits))
    rows = list(zip(charge.ts, charge.value, strict=True))
    thinned = thin(charge, 3)
    kept = list(zip(thinned.ts, thinned.value, strict=True))
    assert [row for row in kept if row[1] is None] == [row for row in rows if row[1] is None]
    assert kept[-1] == rows[-1]


def test_what_is_stale_or_of_a_lost_executive_goes_on_no_more() -> None:
    for last in (state(1.0, 5.0, stale=True), ExecutiveLost('gone')):
        clock = Clock()
        stage = LivePageData('run', CONFIG, clock)
        for now, event in ((10.0, state(1.0, 5.0)), (40.0, last), (41.0, last)):
            clock.now = now
            stage.apply(event)
        charge = stage.snapshot()[0].charge
        assert list(zip(charge.ts, charge.value, strict=True)) == [(10.0, 5.0), (10.0, None)]
        clock.now = 60.0
        stage.apply(state(51.0, 91.0))
        assert stage.snapshot()[0].charge.value == [5.0, None, 91.0]


def test_an_unmeasured_path_is_marked() -> None:
    clock = Clock()
    stage = LivePageData('run', CONFIG, clock)
    for now, at, x in ((1.0, 1.0, 0.0), (2.0, 2.0, 0.5), (3.0, 3.0, 0.5), (9.0, 9.0, 0.9)):
        clock.now = now
        robot = RobotState(pose=Pose(x=x), pose_at=at)
        stage.apply(StateReceived(replace(BrainState(), robot=robot), 0.0))
    poses = stage.snapshot()[0].poses
    assert list(poses.ts) == [1.0, 2.0, 3.0, 9.0]
    assert list(poses.gap) == [False, False, False, True]
