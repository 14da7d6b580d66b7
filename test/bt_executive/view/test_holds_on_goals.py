"""Holds on goals, as they are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_executive.client.front_end_events import StateReceived
from bt_executive.core.causes_of_safe import SILENCES
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, Mode, TasksState
from bt_executive.core.surroundings_state import WorldState
from bt_executive.view.holds_on_goals import holds_of
from bt_executive.view.run_view import RunView
from rover_common.trace_event import TraceEvent

TAKEN_OVER, OVER = '(taken over from the run before)', 'only a reset ends SAFE'
HEARD = RobotState(status_at=1.0, pose_at=1.0, battery_at=1.0)


def safe(reason: str, robot: RobotState = HEARD, since: float = 100.0) -> BrainState:
    return BrainState(
        tasks=TasksState(mode=Mode.SAFE, held_since=since),
        world=WorldState(safety_reason=reason),
        robot=robot,
    )


def cause(state: BrainState, resumed_at: float | None = None) -> str:
    (hold,) = holds_of(state, None, resumed_at)
    assert hold.cause.startswith(state.world.safety_reason)
    return hold.cause


@pytest.mark.parametrize(
    ('since', 'resumed_at', 'taken_over'),
    [(100.0, 200.0, True), (100.0, 50.0, False), (100.0, None, False), (0.0, 200.0, False)],
)
def test_safe_of_a_previous_run_is_described_as_such(
    since: float, resumed_at: float | None, taken_over: bool
) -> None:
    assert (TAKEN_OVER in cause(safe('tilt', since=since), resumed_at)) is taken_over


@pytest.mark.parametrize('reason', SILENCES)
@pytest.mark.parametrize(
    ('robot', 'over'),
    [
        (HEARD, True),
        (RobotState(), False),
        (replace(HEARD, ages=dict.fromkeys(SILENCES.values(), 9.0)), False),
    ],
    ids=['heard', 'never heard', 'old'],
)
def test_a_silence_ends_only_with_a_new_reading(
    reason: str, robot: RobotState, over: bool
) -> None:
    assert (OVER in cause(safe(reason, robot))) is over


@pytest.mark.parametrize('reason', ['tilt', 'the adapter is silent; a cliff', ''])
def test_no_other_cause_is_described_as_over(reason: str) -> None:
    assert OVER not in cause(safe(reason))


def test_a_stale_battery_does_not_count_as_a_new_reading() -> None:
    assert OVER not in cause(
        safe('the battery state is stale', replace(HEARD, battery_stale=True))
    )


def test_the_view_notes_when_a_run_took_over_from_the_one_before() -> None:
    def holds_after(**data: Any) -> str:
        view = RunView()
        view.apply(TraceEvent('r-1', 200.0, 'OBSERVE', 'Resumed', data=data), 0.0)
        view.apply(StateReceived(safe('tilt'), 201.0), 1.0)
        return view.holds[0].cause

    assert holds_after(lives={'this': 'b', 'before': 'a'}, goes_on=None) == f'tilt {TAKEN_OVER}'
    assert holds_after(mode='SAFE') == 'tilt'
