"""Which poses show that a timed motion was the one that was asked for, and which do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.guard_view_and_verdict import MotionAhead
from bt_executive.core.robot_state import Pose
from bt_executive.core.timed_motion_check import DriveMeter
from rover_common.config.load import load_config

LIMITS = load_config().executive.guards
FORWARD, LEFT = MotionAhead(0.485, 0.0, 8.0), MotionAhead(0.243, 7.5, 8.0)
STILL = MotionAhead(0.0, 0.0, 8.0)
PERIOD_S = 0.1  # of the poses
MOTIONS = st.sampled_from([FORWARD, LEFT, replace(LEFT, radius_m=-7.5)])
WAIT_S = 30.0  # more than any motion here lasts


def slower(motion: MotionAhead, share: float) -> MotionAhead:
    return replace(motion, speed_m_s=motion.speed_m_s * share)


class Drive:
    """A robot whose poses a meter follows. Its stamps are of a clock of its own."""

    def __init__(self, asked_for: MotionAhead, yaw: float = 3.0, clock_s: float = 0.0) -> None:
        self.meter = DriveMeter(asked_for)
        self.x = self.y = 0.0
        self.yaw, self.now, self._clock_s = yaw, 0.0, clock_s
        self.meter.begin(*self._seen)

    @property
    def _seen(self) -> tuple[Pose, float, float]:
        pose = Pose(x=self.x, y=self.y, yaw=math.remainder(self.yaw, math.tau))
        return pose, self.now + self._clock_s, self.now + 1000.0

    def tell(self) -> None:
        self.meter.update(*self._seen)

    def go(
        self, motion: MotionAhead, seconds: float, silent: bool = False, watched: bool = True
    ) -> str | None:
        """Moves for so long; the first fault that is seen meanwhile. `silent`: tells no pose."""
        steps = round(seconds / PERIOD_S)
        for _ in range(steps):
            self.now += PERIOD_S
            step = motion.speed_m_s * PERIOD_S
            turned = step / motion.radius_m if motion.radius_m else 0.0
            self.yaw += turned / 2.0
            self.x += step * math.cos(self.yaw)
            self.y += step * math.sin(self.yaw)
            self.yaw += turned / 2.0
            if not silent:
                self.tell()
                fault = self.meter.fault(LIMITS) if watched else None
                if fault:
                    return fault
        return None

    def verdict(self) -> str | None:
        assert self.meter.complete
        return self.meter.verdict(LIMITS)


@pytest.mark.slow
@given(
    MOTIONS,
    st.floats(0.2, 1.3),
    st.integers(0, 14),
    st.integers(3, 250),
    st.floats(-math.pi, math.pi),
    st.sampled_from([0.0, -3.0, 3.0, -1e9, 1e9]),
)
def test_a_motion_that_is_carried_out_is_confirmed(
    motion: MotionAhead, share: float, late: int, tenths: int, yaw: float, clock_s: float
) -> None:
    motion = replace(motion, seconds=tenths / 10.0)
    drive = Drive(motion, yaw, clock_s)
    assert drive.go(STILL, late / 10.0) is None
    assert drive.go(slower(motion, share), motion.seconds + 0.2) is None  # a stop takes a moment
    if drive.meter.driven_m < 0.05:
        return  # too short to be told from rest
    drive.go(STILL, WAIT_S)
    assert drive.verdict() is None


@given(MOTIONS, st.floats(0.2, 1.0), st.integers(2, 65))
def test_a_robot_that_is_stopped_is_seen_to_stand(
    motion: MotionAhead, share: float, tenths: int
) -> None:
    drive = Drive(motion)
    assert drive.go(slower(motion, share), tenths / 10.0) is None
    told = drive.go(STILL, 2.2) or ''
    assert 'something holds it, or somebody else stopped it' in told


@given(MOTIONS, st.integers(2, 65))
@pytest.mark.slow
def test_a_stop_is_seen_in_poses_that_come_after_the_end(motion: MotionAhead, tenths: int) -> None:
    drive = Drive(motion)
    drive.go(motion, tenths / 10.0, watched=False)
    drive.go(STILL, 10.0, watched=False)
    assert 'stands after' in (drive.verdict() or '')


@given(st.integers(1, 25))
def test_a_robot_that_turns_instead_of_driving_straight_is_seen(tenths: int) -> None:
    drive = Drive(FORWARD)
    assert drive.go(FORWARD, tenths / 10.0) is None
    told = drive.go(replace(LEFT, radius_m=-7.5), 8.0 - tenths / 10.0) or ''
    assert '° where about 0° were expected: somebody else turns it' in told


@given(st.integers(1, 25))
def test_a_robot_that_goes_straight_instead_of_turning_is_seen(tenths: int) -> None:
    drive = Drive(LEFT)
    assert drive.go(LEFT, tenths / 10.0) is None
    told = drive.go(FORWARD, 8.0 - tenths / 10.0) or ''
    assert 'were expected: somebody else turns it, or it slides' in told


def test_a_robot_that_drives_backwards_is_seen() -> None:
    assert 'did not start to move within 2 s' in (
        Drive(FORWARD).go(slower(FORWARD, -1.0), 8.0) or ''
    )


def test_a_motion_that_comes_too_far_is_not_the_one() -> None:
    drive = Drive(FORWARD)
    assert drive.go(slower(FORWARD, 1.8), 9.0) is None
    assert 'moved 7 m where about 3.9 m were expected' in (drive.verdict() or '')


def test_how_far_it_rolled_on_after_its_end_is_no_fault() -> None:
    drive = Drive(replace(FORWARD, seconds=0.5))
    assert drive.go(FORWARD, 3.0) is None
    assert drive.verdict() is None
    assert drive.meter.driven_m == pytest.approx(1.455)


def test_a_short_motion_that_did_not_happen_is_not_confirmed() -> None:
    drive = Drive(replace(LEFT, seconds=0.5))
    drive.go(STILL, 1.0)
    assert 'moved 0 m where about 0.12 m were expected' in (drive.verdict() or '')


@pytest.mark.parametrize('radius_m', [0.1, 0.5, 1.0, -2.0])
def test_a_small_circle_that_is_not_exact_is_no_fault(radius_m: float) -> None:
    motion = MotionAhead(0.3, radius_m, 60.0)
    assert Drive(motion).go(replace(motion, radius_m=radius_m * 1.1), 60.0) is None


def test_a_little_drift_is_no_fault_on_a_long_way() -> None:
    drift_rad_s = 0.0065
    motion = MotionAhead(0.485, 0.0, 25.0)
    assert Drive(motion).go(replace(motion, radius_m=0.485 / drift_rad_s), 25.0) is None


def jumped(drive: Drive) -> None:
    drive.x += 5.0


def corrected(drive: Drive) -> None:
    drive.yaw += 0.2


def set_clock(drive: Drive) -> None:
    drive._clock_s += 60.0


@pytest.mark.parametrize('happens', [jumped, corrected, set_clock])
def test_a_frame_or_a_clock_that_jumps_is_no_fault(happens: Callable[[Drive], None]) -> None:
    drive = Drive(FORWARD)
    assert drive.go(FORWARD, 4.0) is None
    happens(drive)
    assert drive.go(FORWARD, 4.2) is None
    assert drive.verdict() is None
    assert drive.meter.driven_m == pytest.approx(8.2 * 0.485, abs=0.06)


def test_without_new_poses_nothing_is_said_and_nothing_is_complete() -> None:
    drive = Drive(FORWARD)
    drive.go(FORWARD, 1.0)
    drive.go(STILL, 60.0, silent=True)
    assert drive.meter.fault(LIMITS) is None
    assert not drive.meter.complete


@pytest.mark.slow
@given(MOTIONS, st.integers(1, 19))
def test_how_old_the_pose_before_the_drive_is_says_nothing_of_it(
    motion: MotionAhead, tenths: int
) -> None:
    drive = Drive(motion)
    drive.go(STILL, tenths / 10.0, silent=True)
    assert drive.go(STILL, 1.4) is None
    assert drive.go(motion, motion.seconds) is None
    drive.go(STILL, WAIT_S)
    assert drive.verdict() is None


def test_the_same_pose_again_is_no_news() -> None:
    drive = Drive(FORWARD)
    drive.go(FORWARD, 1.0)
    for _ in range(3):
        drive.tell()
    assert drive.meter.driven_m == pytest.approx(0.485)


def test_of_a_motion_whose_speed_nobody_says_nothing_is_measured() -> None:
    drive = Drive(STILL)
    assert drive.go(FORWARD, 8.0) is None
    assert not drive.meter.measures


def test_without_a_pose_before_it_nothing_is_measured() -> None:
    meter = DriveMeter(FORWARD)
    meter.update(Pose(x=7.0), 1.0, 1.0)
    assert not meter.measures
    assert meter.fault(LIMITS) is None
    assert meter.expected_m == pytest.approx(3.88)
