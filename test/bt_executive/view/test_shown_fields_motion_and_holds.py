"""Holds on goals and motion of the robot, as they are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_executive.client.front_end_events import StateReceived
from bt_executive.core.causes_of_safe import SILENCES
from bt_executive.core.robot_state import RobotState, Twist
from bt_executive.core.state import BrainState, Mode, TasksState
from bt_executive.core.surroundings_state import WorldState
from bt_executive.view.run_view import RunView
from bt_executive.view.shown_fields_motion_and_holds import Motion, holds_of, motion_of
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


DRIVES = RobotState(at_rest=False, moving=True, pose_at=1.0, twist=Twist(linear_x=0.2431))


@pytest.mark.parametrize(
    ('changes', 'standing', 'speed_m_s'),
    [
        ({}, 'moves', 0.24),
        ({'twist': Twist(linear_x=-0.2431)}, 'moves', 0.24),
        ({'twist': Twist()}, 'moves', None),  # a part of it moves
        ({'twist': Twist(linear_x=float('nan'))}, 'moves', None),
        ({'ages': {'pose': 3.0}}, 'moves', None),
        ({'pose_at': None}, 'moves', None),
        ({'moving': False}, 'moves', 0.24),  # somebody else drives it
        ({'moving': False, 'twist': Twist(angular_z=0.1)}, 'moves', None),
        ({'moving': False, 'twist': Twist()}, 'unknown', None),  # a stop is not confirmed yet
        ({'moving': None, 'pose_at': None}, 'unknown', None),
        ({'at_rest': True}, 'stands', None),
        ({'at_rest': None}, 'unknown', None),
        ({'at_rest': True, 'ages': {'status': 2.0}}, 'unknown', None),
    ],
)
def test_the_motion_state_of_a_robot_state(
    changes: dict[str, Any], standing: str, speed_m_s: float | None
) -> None:
    found = motion_of(replace(DRIVES, **changes), 7.0, Motion())
    assert (found.standing, found.speed_m_s, found.since) == (standing, speed_m_s, 7.0)


def test_it_is_so_since_it_was_first_seen_so() -> None:
    first = motion_of(DRIVES, 7.0, Motion())
    second = motion_of(replace(DRIVES, twist=Twist(linear_x=0.2551)), 8.0, first)
    assert (second.since, second.speed_m_s) == (7.0, 0.24)  # so little is no other speed
    third = motion_of(replace(DRIVES, twist=Twist(linear_x=0.485)), 9.0, second)
    assert (third.since, third.speed_m_s) == (7.0, 0.48)
    assert motion_of(replace(DRIVES, at_rest=True), 10.0, third) == Motion('stands', 10.0)


@pytest.mark.parametrize(
    ('metres', 'shown'),
    [(0.0, 0.0), (3.14159, 3.1), (44.44, 44.0), (float('inf'), 0.0), (float('nan'), 0.0)],
)
def test_how_far_it_still_drives_is_short(metres: float, shown: float) -> None:
    found = motion_of(replace(DRIVES, distance_to_target=metres), 7.0, Motion())
    assert found.to_go_m == shown
