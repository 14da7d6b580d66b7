"""The motion of the robot, as it is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_executive.core.robot_state import RobotState, Twist
from bt_executive.view.shown_motion import Motion, motion_of

TAKEN_OVER, OVER = '(taken over from the run before)', 'only a reset ends SAFE'
HEARD = RobotState(status_at=1.0, pose_at=1.0, battery_at=1.0)


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
