"""Odometry alone says how far a motion has come, and when it is done."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from gates.motion_by_odometry import STUCK_S, MeasuredMotion, MotionRequest, Odometry

STEP_S = 0.05
WANTED = (
    MotionRequest('straight', distance_m=1.0),
    MotionRequest('straight', distance_m=-0.4),
    MotionRequest('turn', angle_rad=2.0 * math.pi),
    MotionRequest('turn', angle_rad=-0.5),
    MotionRequest('arc', distance_m=1.5, radius_m=-0.5),
    MotionRequest('arc', distance_m=-0.6, radius_m=0.3),
)


def driven(motion: MeasuredMotion, slip: float = 0.0, patience_s: float = 60.0) -> Odometry:
    """A base that does what is commanded, less what its wheels slip; returns where it ends."""
    pose, now = Odometry(3.0, -2.0, 3.0), 100.0
    motion.update_pose(pose, now)
    while not motion.is_done and not motion.fault and now < 100.0 + patience_s:
        now += STEP_S
        ahead, turn = (each * (1.0 - slip) for each in motion.velocity())
        yaw = pose.yaw + turn * STEP_S / 2.0
        pose = Odometry(
            pose.x + ahead * STEP_S * math.cos(yaw),
            pose.y + ahead * STEP_S * math.sin(yaw),
            math.remainder(pose.yaw + turn * STEP_S, math.tau),
        )
        motion.update_pose(pose, now)
    return pose


@pytest.mark.parametrize('wanted', WANTED, ids=str)
@pytest.mark.parametrize('slip', [0.0, 0.5])
def test_it_is_done_when_odometry_shows_all_of_it(wanted: MotionRequest, slip: float) -> None:
    assert not wanted.fault()
    motion = MeasuredMotion(wanted, 0.2, 0.5)
    driven(motion, slip)
    assert motion.is_done, motion.fault
    done = motion.angle_rad if wanted.kind == 'turn' else motion.distance_m
    assert done == pytest.approx(wanted.amount, abs=0.03)
    if wanted.kind == 'arc':
        assert motion.angle_rad == pytest.approx(wanted.amount / wanted.radius_m, abs=0.1)


def test_a_base_that_does_not_move_is_not_done() -> None:
    motion = MeasuredMotion(WANTED[0], 0.2, 0.5)
    driven(motion, slip=1.0)
    assert not motion.is_done
    assert motion.fault == f'by odometry the base has come no further for {STUCK_S:g} s'


@pytest.mark.parametrize('pose', [Odometry(50.0, 0.0, 0.0), Odometry(0.0, 0.0, 2.5)])
def test_odometry_that_jumps_measures_nothing(pose: Odometry) -> None:
    motion = MeasuredMotion(WANTED[0], 0.2, 0.5)
    motion.update_pose(Odometry(0.0, 0.0, 0.0), 100.0)
    motion.update_pose(pose, 100.05)
    assert 'jumped' in motion.fault
    assert (motion.distance_m, motion.is_done) == (0.0, False)


@given(st.sampled_from(WANTED), st.lists(st.floats(allow_nan=True), min_size=3, max_size=3))
def test_what_is_no_number_measures_nothing_and_no_speed_is_exceeded(
    wanted: MotionRequest, numbers: list[float]
) -> None:
    motion = MeasuredMotion(wanted, 0.2, 0.5)
    motion.update_pose(Odometry(0.0, 0.0, 0.0), 100.0)
    motion.update_pose(Odometry(*numbers), 100.05)
    assert math.isfinite(motion.left)
    ahead, turn = motion.velocity()
    assert abs(ahead) <= 0.2
    assert abs(turn) <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ('wanted', 'said'),
    [
        (MotionRequest('straight'), 'distance_m is 0'),
        (MotionRequest('straight', distance_m=math.nan), 'distance_m is nan'),
        (MotionRequest('straight', distance_m=1e9), 'distance_m is 1e+09: give a number between'),
        (MotionRequest('straight', distance_m=1.0, angle_rad=1.0), 'straight has none'),
        (MotionRequest('turn', distance_m=1.0), 'turn has none'),
        (MotionRequest('turn', angle_rad=math.inf), 'angle_rad is inf'),
        (MotionRequest('arc', distance_m=1.0), 'radius_m is 0'),
        (MotionRequest('arc', distance_m=1.0, radius_m=0.001), 'give at least 0.05'),
    ],
)
def test_what_cannot_be_driven_is_refused_with_the_field(wanted: MotionRequest, said: str) -> None:
    assert said in wanted.fault()
