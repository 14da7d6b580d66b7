"""The rover's own witness: fresh, moving, jumping."""

from __future__ import annotations

import pytest

from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform
from rover_common.motion_by_transforms import MotionMonitor

SETTINGS = load_config().curiosity.motion


@pytest.fixture
def poses() -> MotionMonitor:
    return MotionMonitor(SETTINGS)


def drive(poses: MotionMonitor, speed: float, seconds: float, start: float = 0.0) -> float:
    """Poses at 10 Hz; returns the last stamp."""
    first = poses.latest.x if poses.latest else 0.0
    for step in range(1, round(seconds * 10) + 1):
        stamp = start + step / 10
        poses.update(Transform.planar(first + speed * step / 10, 0.0, 0.0, stamp), Now.at(stamp))
    return start + seconds


@pytest.mark.parametrize('speed', [0.243, 0.485])
def test_motion_is_seen_soon(poses: MotionMonitor, speed: float) -> None:
    stamp = drive(poses, 0.0, 2.0)
    assert poses.speed() == pytest.approx(0.0)
    drive(poses, speed, 0.6, stamp)
    seen = poses.speed()
    assert seen is not None
    assert seen >= SETTINGS.unasked_speed_m_s


def test_what_it_did_before_it_should_rest_does_not_count(poses: MotionMonitor) -> None:
    stamp = drive(poses, 0.485, 3.0)
    poses.expect_rest()
    stamp = drive(poses, 0.485, 0.3, stamp)
    stamp = drive(poses, 0.0, 3.0, stamp)
    assert poses.speed() == pytest.approx(0.0)


def test_it_rolls_until_two_poses_after_the_stop_are_the_same(poses: MotionMonitor) -> None:
    stamp = drive(poses, 0.243, 1.0)
    assert poses.rolls(stamp)
    poses.expect_rest()
    assert poses.rolls(stamp)  # nothing is known yet
    stamp = drive(poses, 0.243, 0.5, stamp)
    assert poses.rolls(stamp)  # the stop was answered, and the rover rolls on
    stamp = drive(poses, 0.0, 0.3, stamp)
    assert poses.rolls(stamp) is False


def test_it_rolls_however_often_the_poses_come(poses: MotionMonitor) -> None:
    """At 100 Hz two poses of a rover that turns are 2 mm apart."""
    for step in range(100):
        poses.update(
            Transform.planar(0.243 * step / 100, 0.0, 0.0, step / 100), Now.at(step / 100)
        )
    assert poses.rolls(1.0)


def test_without_fresh_poses_it_is_not_known_whether_it_moves(poses: MotionMonitor) -> None:
    assert poses.rolls(0.0) is None
    assert poses.moves(0.0) is None
    for speed in (0.243, 0.0):
        stamp = drive(poses, speed, 2.0)
        old = stamp + SETTINGS.pose_max_age_s + 0.1
        assert poses.rolls(stamp) is (speed > 0.0)
        assert poses.rolls(old) is None
        assert poses.moves(old) is None
        poses = MotionMonitor(SETTINGS)


@pytest.mark.parametrize('stamps', [[5.0], [5.0, 4.9], [5.0, 4.5, 4.9]])
def test_poses_that_are_sent_again_and_again_are_no_news(
    poses: MotionMonitor, stamps: list[float]
) -> None:
    """A copier of transforms goes on with what it has; a late one overtakes none."""
    for step in range(40):
        stamp = stamps[step % len(stamps)]
        poses.update(Transform.planar(1.0, 0.0, 0.0, stamp), Now.at(5.0 + step / 10))
    assert poses.rolls(9.0) is None
    assert poses.pose(9.0) is None


def test_what_it_did_while_no_poses_came_says_nothing_of_now(poses: MotionMonitor) -> None:
    """It stood in the gap and begins to drive at its end: the mean over the gap is small."""
    stamp = drive(poses, 0.0, 2.0)
    stamp += 30.0
    stamp = drive(poses, 0.485, 0.1, stamp)
    assert poses.rolls(stamp) is True
    stamp = drive(poses, 0.0, 0.3, stamp)
    assert poses.rolls(stamp) is False


def test_the_place_of_a_static_frame_is_no_measurement(poses: MotionMonitor) -> None:
    for step in range(5):
        poses.update(Transform.planar(1.0, 0.0, 0.0, 0.0), Now.at(1.0 + step / 10))
    assert not poses.ever_seen


def test_poses_of_before_the_stop_that_come_late_show_no_standstill(
    poses: MotionMonitor,
) -> None:
    """It stood, began to drive and was stopped in vain, all within the 4 s that poses take."""
    for step in range(100):
        now = step / 10
        x = 0.485 * max(now - 4.0 - 5.0, 0.0)  # it drives from 5 s on, and that is seen at 9 s
        if step == 60:
            poses.expect_rest()
        poses.update(Transform.planar(x, 0.0, 0.0, now - 4.0), Now.at(now))
        assert step <= 60 or poses.rolls(now), f'{now} s'


@pytest.mark.parametrize('clock', [0.0, 1e9])
def test_poses_that_come_late_are_no_motion_after_the_stop(
    poses: MotionMonitor, clock: float
) -> None:
    """At 6 times real time on a busy machine: the transforms come 0.7 s late."""
    speed, late_s = 6.0, 0.7
    for step in range(200):
        stamp = step / 10
        seen = stamp + speed * late_s
        x = 0.485 * min(stamp, 10.0)  # it stands at 10 s, and that is known at once
        if 10.0 < seen < 10.2:
            poses.expect_rest()
        now = Now(ros=clock + seen, robot=seen, steady=seen / speed)
        poses.update(Transform.planar(x, 0.0, 0.0, clock + stamp), now)
        if seen > 10.0:
            assert (poses.speed() or 0.0) < SETTINGS.unasked_speed_m_s


def test_a_jump_is_not_a_motion(poses: MotionMonitor) -> None:
    stamp = drive(poses, 0.0, 2.0)
    poses.update(Transform.planar(9.0, 4.0, 0.0, stamp + 0.1), Now.at(stamp + 0.1))
    assert poses.jumps == 1
    assert poses.speed() is None
    poses.update(Transform.planar(9.0, 4.0, 0.0, 0.1), Now.at(stamp + 0.2))
    assert poses.jumps == 2


def test_an_old_pose_is_not_given_whatever_clock_its_stamp_is_of(poses: MotionMonitor) -> None:
    poses.update(Transform.planar(1.0, 0.0, 0.0, stamp=1e9), Now.at(5.0))
    assert poses.pose(5.9) is not None
    poses.update(Transform.planar(1.0, 0.0, 0.0, stamp=1e9), Now.at(6.5))
    assert poses.pose(6.5) is None


@pytest.mark.parametrize('leap_s', [0.4, 5.0, 60.0])
def test_a_rover_that_rolls_does_not_stand_because_a_clock_was_set_forward(
    poses: MotionMonitor, leap_s: float
) -> None:
    """By the stamps, the last tenth of a second before took as long as the leap."""
    stamp = drive(poses, 0.243, 1.0)
    poses.expect_rest()
    for step in range(1, 60):
        now = stamp + step / 10
        leap = leap_s if step >= 10 else 0.0
        pose = Transform.planar(1.0 + 0.0243 * step, 0.0, 0.0, now + leap)
        poses.update(pose, Now.at(now))
        assert poses.rolls(now)
    assert poses.moves(now)


@pytest.mark.parametrize('leap_s', [0.0, 1.0, 60.0])
def test_simulated_time_may_be_fast_but_makes_no_leaps(leap_s: float) -> None:
    poses, steady = MotionMonitor(SETTINGS, simulated=True), 0.0
    for step in range(200):
        steady += 0.005  # 20 times real time
        stamp = 1.0 + step / 10 + leap_s * (step >= 100)
        poses.update(Transform.planar(0.0243 * step, 0.0, 0.0, stamp), Now(stamp, stamp, steady))
        speed = poses.recent_speed(steady)
        assert (speed is None) == (step < 2 or (leap_s == 60.0 and 100 <= step < 102))
        assert leap_s == 1.0 or speed is None or speed == pytest.approx(0.243)
