"""Driving, against the closed form of straight lines and circles."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_sim.rover.kinematics import (
    SMALLEST_RADIUS_M,
    DriveCommand,
    advance,
)
from rover_common.config.settings.world import WHEEL_RADIUS_M
from rover_common.geometry.planar_motion import Pose2D

FORWARD, LEFT, RIGHT = DriveCommand(2.0), DriveCommand(1.0, 0.4), DriveCommand(1.0, -0.4)
numbers = st.floats(-3.0, 3.0)


def test_the_demos_commands_give_the_demos_speeds() -> None:
    assert FORWARD.speed == pytest.approx(0.485, abs=0.001)
    assert FORWARD.radius == math.inf
    assert FORWARD.yaw_rate == 0.0
    assert LEFT.speed == pytest.approx(WHEEL_RADIUS_M)
    assert LEFT.radius == pytest.approx(7.5)
    assert RIGHT.radius == pytest.approx(-7.5)


def test_straight_ahead_is_a_line_along_the_heading() -> None:
    pose = advance(Pose2D(1.0, 2.0, math.pi / 2.0), FORWARD, 5.0)
    assert (pose.x, pose.y, pose.yaw) == pytest.approx(
        (1.0, 2.0 + 5.0 * FORWARD.speed, math.pi / 2)
    )


@pytest.mark.parametrize(('command', 'side'), [(LEFT, 1.0), (RIGHT, -1.0)])
def test_a_quarter_circle(command: DriveCommand, side: float) -> None:
    quarter = math.pi / 2.0 * 7.5 / command.speed
    pose = advance(Pose2D(), command, quarter)
    assert (pose.x, pose.y, pose.yaw) == pytest.approx((7.5, side * 7.5, side * math.pi / 2.0))


@given(numbers, numbers, st.floats(0.0, 60.0))
def test_every_path_keeps_its_distance_from_the_circles_centre(
    linear: float, angular: float, seconds: float
) -> None:
    command = DriveCommand(linear, angular)
    pose = advance(Pose2D(), command, seconds)
    if math.isinf(command.radius):
        assert pose.y == 0.0
    else:
        away = math.hypot(pose.x, pose.y - command.radius)
        assert away == pytest.approx(abs(command.radius), abs=1e-6)


@given(numbers, numbers, st.floats(0.01, 20.0), st.integers(1, 50))
def test_many_small_steps_equal_one_large_step(
    linear: float, angular: float, seconds: float, steps: int
) -> None:
    command = DriveCommand(linear, angular)
    once = advance(Pose2D(0.5, -0.5, 1.0), command, seconds)
    often = Pose2D(0.5, -0.5, 1.0)
    for _ in range(steps):
        often = advance(often, command, seconds / steps)
    assert (often.x, often.y) == pytest.approx((once.x, once.y), abs=1e-6)
    assert math.cos(often.yaw - once.yaw) == pytest.approx(1.0)


@given(st.floats(-10.0, 10.0).filter(lambda angular: abs(angular) >= 1e-3))
def test_the_steering_limit_bounds_the_radius(angular: float) -> None:
    radius = DriveCommand(1.0, angular).radius
    assert math.copysign(1.0, radius) == math.copysign(1.0, angular)
    assert SMALLEST_RADIUS_M <= abs(radius) < 17.5
