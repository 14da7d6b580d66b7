"""Which poses show that a timed motion did what it should, and which that it did not."""

from __future__ import annotations

from dataclasses import replace
import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.drive_progress import DriveProgress, measured_at
from bt_executive.core.gauges import Odometer
from bt_executive.core.guards import MotionAhead
from bt_executive.core.state import RobotState
from rover_common.clocks import Now
from rover_common.config.load import load_config

LIMITS = load_config().executive.guards
FORWARD, LEFT = MotionAhead(0.485, 0.0, 8.0), MotionAhead(0.243, 7.5, 8.0)
PERIOD_S = 0.1  # of the poses
MOTIONS = st.sampled_from([FORWARD, LEFT, replace(LEFT, radius_m=-7.5)])


def begun(motion: MotionAhead) -> DriveProgress:
    return DriveProgress(motion, yaw=3.0, began=0.0, moved_at=0.0)


class Drive:
    """A robot that does something else from a moment on, and what is seen of it.

    Args:
        share: Of the speed that reaches the ground until then.
        late_s: How late it sets out.
    """

    def __init__(self, motion: MotionAhead, share: float = 1.0, late_s: float = 0.0) -> None:
        self.progress = begun(motion)
        self.motion, self._share, self._late_s = motion, share, late_s
        self._odometer = Odometer()
        self._x = 0.0
        self._yaw = 3.0
        self._driven = self._odometer.driven(0.0, 0.0, 0.0)
        self.now = 0.0

    def fault(self, until: float, then: MotionAhead | None = None) -> str | None:
        """The first fault up to that time; `then`: what it does instead of its motion."""
        motion = then or replace(self.motion, speed_m_s=self.motion.speed_m_s * self._share)
        while self.now < until:
            self.now += PERIOD_S
            if self.now > self._late_s:
                step = motion.speed_m_s * PERIOD_S
                self._x += step
                self._yaw += step / motion.radius_m if motion.radius_m else 0.0
            self._driven += self._odometer.driven(self._x, 0.0, self.now)
            self.progress = self.progress.seen(self.now, self._driven)
            fault = self.progress.fault(self.now, self._yaw, LIMITS)
            if fault:
                return fault
        return None

    def contradiction(self) -> str | None:
        return self.progress.contradiction(self.now, LIMITS)


@given(MOTIONS, st.floats(0.6, 1.3), st.floats(0.0, 1.0), st.floats(0.3, 25.0))
def test_a_motion_that_is_carried_out_has_no_fault(
    motion: MotionAhead, share: float, late_s: float, seconds: float
) -> None:
    drive = Drive(replace(motion, seconds=seconds), share, late_s)
    assert drive.fault(late_s + seconds) is None
    assert drive.contradiction() is None


@given(MOTIONS, st.floats(0.2, 1.0), st.floats(0.2, 6.0))
def test_a_robot_that_is_stopped_is_seen_to_stand(
    motion: MotionAhead, share: float, stopped_at: float
) -> None:
    drive = Drive(motion, share)
    assert drive.fault(stopped_at) is None
    still = MotionAhead(0.0, 0.0, 8.0)
    slowest_step_s = 0.05 / (motion.speed_m_s * share)
    bound = max(1.6, 0.8 + 4.0 * slowest_step_s + 2.0 * PERIOD_S)
    assert 'the robot stands since it came' in (drive.fault(stopped_at + bound, still) or '')


@given(st.floats(0.1, 3.0))
def test_a_robot_that_turns_instead_of_driving_straight_is_seen(turned_at: float) -> None:
    drive = Drive(FORWARD)
    assert drive.fault(turned_at) is None
    assert 'has turned by 9° where about 0° were due' in (drive.fault(8.0, LEFT) or '')


@given(st.floats(0.1, 3.0))
def test_a_robot_that_goes_straight_instead_of_turning_is_seen(straight_at: float) -> None:
    drive = Drive(LEFT)
    assert drive.fault(straight_at) is None
    assert 'were due: its wheels slip, or somebody else turns it' in (
        drive.fault(8, FORWARD) or ''
    )


def test_a_motion_that_came_farther_than_it_should_has_failed() -> None:
    drive = Drive(FORWARD, share=1.8)
    assert drive.fault(8.0) is None
    assert 'came 7.1 m where about 3.9 m were due' in (drive.contradiction() or '')


@given(MOTIONS, st.floats(0.2, 0.6))
def test_a_robot_that_slips_all_the_time_has_moved(motion: MotionAhead, share: float) -> None:
    drive = Drive(motion, share)
    assert drive.fault(8.0) is None
    assert drive.contradiction() is None


def test_a_robot_that_never_moves_stands() -> None:
    assert Drive(FORWARD, share=0.0).fault(1.4) is None
    assert 'stands since it came 0.0 m' in (Drive(FORWARD, share=0.0).fault(1.7) or '')


def test_a_slow_robot_has_time_for_its_first_step() -> None:
    crawling = MotionAhead(0.02, 0.0, 20.0)
    assert Drive(crawling).fault(20.0) is None


def test_a_short_motion_that_did_not_happen_has_failed() -> None:
    assert begun(replace(LEFT, seconds=0.5)).contradiction(1.0, LIMITS)


def test_of_a_motion_whose_speed_nobody_says_nothing_is_asked() -> None:
    drive = Drive(MotionAhead(0.0, 0.0, 8.0))
    assert drive.fault(8.0) is None
    assert drive.contradiction() is None


def test_a_turn_across_the_end_of_the_circle_is_no_fault() -> None:
    it = replace(begun(LEFT), driven_m=1.5)
    assert it.fault(0.1, 3.0 + 0.2 - math.tau, LIMITS) is None


# --- when a pose was -----------------------------------------------------------------------------


def test_a_robot_without_a_pose_is_not_measured() -> None:
    assert measured_at(RobotState(), Now.at(10.0)) is None


def test_a_pose_counts_from_its_stamp_and_not_from_when_it_came() -> None:
    late = RobotState(pose_at=10.0, pose_stamp=1007.0)
    assert measured_at(late, Now(ros=1010.0, robot=20.0, steady=10.0)) == pytest.approx(17.0)


@pytest.mark.parametrize('stamp', [1011.0, 1010.5])
def test_no_pose_is_of_a_time_to_come(stamp: float) -> None:
    early = RobotState(pose_at=10.0, pose_stamp=stamp)
    assert measured_at(early, Now(ros=1010.0, robot=20.0, steady=10.0)) == pytest.approx(20.0)


@pytest.mark.parametrize('stamp', [0.0, 5000.0])
def test_a_pose_of_another_clock_counts_from_when_it_came(stamp: float) -> None:
    other = RobotState(pose_at=9.5, pose_stamp=stamp)
    assert measured_at(other, Now(ros=1010.0, robot=20.0, steady=10.0)) == pytest.approx(19.5)
