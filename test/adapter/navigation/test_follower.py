"""Progress and deviation of a rover that does not drive exactly as it should."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_adapter.navigation.arcs import FORWARD, LEFT, RIGHT, Gait, MotionName, Segment
from curiosity_adapter.navigation.follower import Follower
from rover_common.config.load import load_config
from rover_common.geometry.pose2d import Pose2D

GAIT = Gait.of(load_config().curiosity.navigation)


@given(
    motion=st.sampled_from([FORWARD, LEFT, RIGHT]),
    length=st.floats(0.5, 45.0),
    yaw=st.floats(-math.pi, math.pi),
)
def test_an_exact_rover_has_progress_and_no_deviation(
    motion: MotionName, length: float, yaw: float
) -> None:
    start, segment = Pose2D(3.0, -1.0, yaw), Segment(motion, length)
    follower = Follower(segment, start, GAIT)
    parts = 100
    for part in range(1, parts + 1):
        driven = Segment(motion, length * part / parts)
        follower.take(GAIT.after(start, driven))
        assert follower.progress == pytest.approx(driven.length, abs=1e-6)
        assert follower.left == pytest.approx(length - driven.length, abs=1e-6)
        assert follower.deviation < 1e-6


def test_a_rover_that_drifts_aside_deviates() -> None:
    follower = Follower(Segment(FORWARD, 10.0), Pose2D(0.0, 0.0, 0.0), GAIT)
    follower.take(Pose2D(4.0, 0.5, 0.1))
    assert follower.progress == pytest.approx(4.0)
    assert follower.deviation == pytest.approx(0.5)


def test_a_wider_circle_than_planned_deviates_more_and_more() -> None:
    start, wide = Pose2D(0.0, 0.0, 0.0), Gait(0.485, 0.243, 9.0)
    follower = Follower(Segment(LEFT, 20.0), start, GAIT)
    deviations = []
    for length in (4.0, 8.0, 16.0):
        follower.take(wide.after(start, Segment(LEFT, length)))
        deviations.append(follower.deviation)
    assert deviations == sorted(deviations)
    assert deviations[-1] > 0.4


def test_a_rover_that_stands_has_no_progress() -> None:
    start = Pose2D(1.0, 1.0, 2.0)
    follower = Follower(Segment(RIGHT, 5.0), start, GAIT)
    follower.take(start)
    assert (follower.progress, follower.left, follower.deviation) == (0.0, 5.0, 0.0)
    assert follower.ahead == (Segment(RIGHT, 5.0),)
