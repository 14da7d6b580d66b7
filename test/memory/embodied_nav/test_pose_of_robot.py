"""A pose that is not replaced is not the robot's for ever."""

from __future__ import annotations

from fakes.common import ManualClock

from embodied_nav.pose_of_robot import PoseOfRobot
from rover_common.geometry.transforms import Transform


def test_a_pose_that_no_newer_one_replaces_is_not_known_any_more() -> None:
    clock, found = ManualClock(), [Transform.planar(1.0, 2.0, 0.0, stamp=50.0)]
    pose = PoseOfRobot(lambda: found[-1], lambda _stamp: 0.5, 2.0, clock)
    for clock.now in (10.0, 11.0, 11.5):
        assert pose.current() == found[-1]
    clock.now = 11.6
    assert pose.current() is None
    found.append(Transform.planar(8.0, 2.0, 0.0, stamp=51.0))
    assert pose.current() == found[-1]


def test_a_pose_that_arrives_too_late_is_not_known() -> None:
    there = Transform.planar(1.0, 2.0, 0.0, stamp=50.0)
    assert PoseOfRobot(lambda: there, lambda _stamp: 3.0, 2.0, ManualClock()).current() is None


def test_a_pose_that_never_changes_or_is_unknown_has_no_age() -> None:
    clock, there = ManualClock(), Transform.planar(1.0, 2.0, 0.0)
    fixed = PoseOfRobot(lambda: there, lambda _stamp: 0.0, 2.0, clock)
    clock.now = 900.0
    assert fixed.current() == there
    assert PoseOfRobot(lambda: None, lambda _stamp: 0.0, 2.0, clock).current() is None
