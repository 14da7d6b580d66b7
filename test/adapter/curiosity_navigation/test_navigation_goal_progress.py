"""Progress and deviation of a rover that does not drive exactly as it should."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_navigation.navigation_goal_progress import PathTracker
from curiosity_navigation.vehicle_model import (
    FORWARD,
    LEFT,
    RIGHT,
    MotionName,
    Segment,
    VehicleModel,
)
from rover_common.config.load import load_config
from rover_common.geometry.planar_motion import Pose2D

GAIT = VehicleModel.of(load_config().curiosity.navigation)


@given(
    motion=st.sampled_from([FORWARD, LEFT, RIGHT]),
    length=st.floats(0.5, 45.0),
    yaw=st.floats(-math.pi, math.pi),
)
@pytest.mark.slow
def test_an_exact_rover_has_progress_and_no_deviation(
    motion: MotionName, length: float, yaw: float
) -> None:
    start, segment = Pose2D(3.0, -1.0, yaw), Segment(motion, length)
    tracker = PathTracker(segment, start, GAIT)
    parts = 100
    for part in range(1, parts + 1):
        driven = Segment(motion, length * part / parts)
        tracker.update(GAIT.after(start, driven))
        assert tracker.progress == pytest.approx(driven.length, abs=1e-6)
        assert tracker.left == pytest.approx(length - driven.length, abs=1e-6)
        assert tracker.deviation < 1e-6


def test_a_rover_that_drifts_aside_deviates() -> None:
    tracker = PathTracker(Segment(FORWARD, 10.0), Pose2D(0.0, 0.0, 0.0), GAIT)
    tracker.update(Pose2D(4.0, 0.5, 0.1))
    assert tracker.progress == pytest.approx(4.0)
    assert tracker.deviation == pytest.approx(0.5)


def test_a_wider_circle_than_planned_deviates_more_and_more() -> None:
    start, wide = Pose2D(0.0, 0.0, 0.0), VehicleModel(0.485, 0.243, 9.0)
    tracker = PathTracker(Segment(LEFT, 20.0), start, GAIT)
    deviations = []
    for length in (4.0, 8.0, 16.0):
        tracker.update(wide.after(start, Segment(LEFT, length)))
        deviations.append(tracker.deviation)
    assert deviations == sorted(deviations)
    assert deviations[-1] > 0.4


def test_a_rover_that_stands_has_no_progress() -> None:
    start = Pose2D(1.0, 1.0, 2.0)
    tracker = PathTracker(Segment(RIGHT, 5.0), start, GAIT)
    tracker.update(start)
    assert (tracker.progress, tracker.left, tracker.deviation) == (0.0, 5.0, 0.0)
    assert tracker.ahead == (Segment(RIGHT, 5.0),)
