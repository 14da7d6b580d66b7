"""Odometry alone shows how far a motion has come, and for how long a base is braked."""

from __future__ import annotations

from collections.abc import Callable
import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from gates.motion_and_standstill_by_odometry import (
    ODOMETRY_AGE_S,
    STUCK_S,
    WINDOW_S,
    Brake,
    MeasuredMotion,
    MotionRequest,
    Odometry,
)

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


def test_it_may_take_as_long_to_set_out_however_old_the_pose_is_from_which_it_starts() -> None:
    motion = MeasuredMotion(WANTED[0], 0.2, 0.5)
    motion.start(Odometry(3.0, 0.0, 0.0), seen_at=99.1, now=100.0)
    for waited, is_stuck in ((STUCK_S - 0.1, False), (STUCK_S + 0.1, True)):
        motion.update_pose(Odometry(3.0, 0.0, 0.0), 100.0 + waited)
        assert bool(motion.fault) == is_stuck
    assert motion.distance_m == 0.0


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


NOW = 100.0
STANDS, DRIVES = (0.0,) * 6, (0.5, 0.0, 0.0, 0.0, 0.0, 0.0)
HERE = Odometry(0.0, 0.0, 0.0)


def brake(*speeds: float) -> Brake:
    subject = Brake()
    subject.update_odometry(speeds, HERE, NOW)
    return subject


def test_the_base_moves_as_odometry_says() -> None:
    assert brake(*DRIVES).moves(NOW) is True
    assert brake(0.0, 0.0, 0.0, 0.0, 0.0, -0.5).moves(NOW) is True
    assert brake(*STANDS).moves(NOW) is False


def test_a_base_that_trembles_stands_below_the_speed_of_its_file() -> None:
    subject = Brake(still_below=0.05)
    subject.update_odometry((0.03, -0.04, 0.0, 0.0, 0.0, 0.0), HERE, NOW)
    assert subject.moves(NOW) is False
    subject.update_odometry((0.0, 0.0, 0.06, 0.0, 0.0, 0.0), HERE, NOW)
    assert subject.moves(NOW) is True


def test_without_odometry_it_is_not_known() -> None:
    assert Brake().moves(NOW) is None
    assert brake(*STANDS).moves(NOW + ODOMETRY_AGE_S + 0.01) is None


def test_it_brakes_until_odometry_shows_a_standstill() -> None:
    subject = brake(*DRIVES)
    subject.apply(NOW)
    for speeds, applied in ((DRIVES, True), (STANDS, False)):
        subject.update_odometry(speeds, HERE, NOW)
        subject.update(NOW)
        assert subject.applied == applied


def test_it_brakes_from_the_beginning_and_while_no_odometry_comes() -> None:
    subject = Brake()
    subject.update(NOW)
    assert subject.applied
    subject.update_odometry(STANDS, HERE, NOW)
    subject.update(NOW)
    assert not subject.applied


def test_a_base_that_begins_to_roll_without_a_command_is_braked_again() -> None:
    subject = brake(*STANDS)
    subject.update(NOW)
    assert subject.holds
    subject.update_odometry(DRIVES, HERE, NOW)
    subject.update(NOW)
    assert (subject.applied, subject.holds, subject.moves(NOW)) == (True, False, True)
    subject.release(NOW)
    subject.update_odometry(DRIVES, HERE, NOW)
    subject.update(NOW)
    assert not subject.applied, 'somebody commands it now'


def test_odometry_of_before_says_nothing_of_a_base_that_was_told_to_move_or_to_stand() -> None:
    subject = brake(*STANDS)
    subject.release(NOW)
    assert subject.moves(NOW) is None
    assert subject.why_unknown(NOW) == 'no odometry has come since the latest command'
    subject.update_odometry(STANDS, HERE, NOW)  # it was on its way when the base was told to move
    subject.apply(NOW)
    subject.update(NOW)
    assert subject.applied
    assert subject.moves(NOW) is None
    subject.update_odometry(STANDS, HERE, NOW)
    subject.update(NOW)
    assert (subject.applied, subject.holds) == (False, True)
    subject.release(NOW)
    assert not subject.holds


def test_odometry_that_says_nothing_shows_nothing_and_a_standstill_goes_on_being_commanded() -> (
    None
):
    subject = brake(*STANDS)
    subject.update(NOW)
    subject.invalidate('2 publishers on /odom')
    subject.update_odometry(STANDS, HERE, NOW)
    assert (subject.moves(NOW), subject.holds) == (None, False)
    assert subject.why_unknown(NOW) == 'there are 2 publishers on /odom'
    subject.apply(NOW)
    subject.update(NOW)
    assert subject.applied
    subject.invalidate('')
    assert subject.moves(NOW) is None
    subject.update_odometry(STANDS, HERE, NOW)
    assert subject.moves(NOW) is False


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize('place', range(9))
def test_what_is_no_number_shows_no_standstill(bad: float, place: int) -> None:
    subject = brake(*DRIVES)
    subject.apply(NOW)
    numbers = [*STANDS, *HERE]
    numbers[place] = bad
    late = NOW + ODOMETRY_AGE_S
    subject.update_odometry(numbers[:6], Odometry(*numbers[6:]), late)
    subject.update(late)
    assert subject.applied
    assert subject.moves(late) is None
    assert subject.moves(late + 0.1) is None


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize('place', range(9))
def test_a_standstill_is_not_known_any_more_when_no_numbers_come(bad: float, place: int) -> None:
    """Whether by its speeds or by its poses: it may have set out since."""
    for moved in (Odometry(0.05, 0.0, 0.0), HERE):
        subject = Brake()
        now = drive(subject, NOW, 1.0, moved, *STANDS)
        subject.apply(NOW)
        now = drive(subject, now, 1.0, HERE, *STANDS)
        assert subject.moves(now) is False
        numbers = [*STANDS, *HERE]
        numbers[place] = bad
        for tenths in range(1, 13):
            subject.update_odometry(numbers[:6], Odometry(*numbers[6:]), now + tenths / 10)
        assert subject.moves(now + 1.2) is None


def drive(subject: Brake, begin: float, seconds: float, step: Odometry, *speeds: float) -> float:
    """Odometry comes ten times a second, its pose one step further each time."""
    for number in range(1, round(seconds * 10) + 1):
        now = begin + number / 10
        subject.update_odometry(speeds, Odometry(*(number * each for each in step)), now)
    return begin + seconds


@pytest.mark.parametrize(
    'step', [Odometry(0.05, 0.0, 0.0), Odometry(0.0, -0.03, 0.0), Odometry(0.0, 0.0, 3.1)]
)
def test_odometry_that_leaves_its_speeds_at_zero_does_not_stand_while_its_pose_moves(
    step: Odometry,
) -> None:
    subject = Brake()
    now = drive(subject, NOW, 0.4, step, 0.0, 0.0)
    assert subject.moves(now) is True
    subject.apply(NOW)
    now = drive(subject, now, WINDOW_S, step, 0.0, 0.0)  # it goes on all the same
    subject.update(now)
    assert subject.applied
    subject.apply(NOW)
    now = drive(subject, now, WINDOW_S - 0.1, Odometry(0.0, 0.0, 0.0), 0.0, 0.0)
    assert subject.moves(now) is None, 'poses of a moment show no standstill'
    now = drive(subject, now, 0.2, Odometry(0.0, 0.0, 0.0), 0.0, 0.0)
    subject.update(now)
    assert not subject.applied


def test_speeds_that_stay_at_zero_count_for_nothing_from_the_first_stop_on() -> None:
    """A driver commands a velocity more often than odometry comes."""
    subject, now = Brake(), NOW
    for number in range(100):
        now = NOW + number / 20
        subject.release(now)
        subject.update_odometry(STANDS, Odometry(0.3 * (now - NOW), 0.0, 0.0), now + 0.01)
    subject.apply(now + 0.02)
    subject.update_odometry(STANDS, Odometry(0.3 * (now - NOW) + 0.01, 0.0, 0.0), now + 0.03)
    subject.update(now + 0.03)
    assert subject.moves(now + 0.03) is None
    assert subject.applied


def test_a_base_whose_speeds_are_measured_stands_by_them_at_once() -> None:
    subject = Brake()
    now = drive(subject, NOW, 1.0, Odometry(0.05, 0.0, 0.1), 0.5, 1.0)
    # it rolled on without being told
    subject.update_odometry(STANDS, Odometry(0.52, 0.0, 1.0), now + 0.1)
    assert subject.moves(now + 0.1) is False
    tremble = drive(subject, now, 3.0, Odometry(0.001, 0.001, -0.001), *STANDS)
    assert subject.moves(tremble) is False


AGES = (0.0, 0.3, 0.99, 1.01, 5.0)


@pytest.mark.parametrize('age_s', AGES)
@pytest.mark.parametrize('command', [Brake.apply, Brake.release])
def test_odometry_is_as_old_as_what_it_measured(
    command: Callable[[Brake, float], None], age_s: float
) -> None:
    """What was under way when the base was told to stand showed a standstill of before."""
    subject = Brake()
    subject.update_odometry(STANDS, HERE, NOW, age_s)
    assert (subject.moves(NOW) is False) == (age_s <= ODOMETRY_AGE_S)
    command(subject, NOW)
    assert subject.update_odometry(STANDS, HERE, NOW + 0.9 * age_s, age_s)
    subject.update(NOW + 0.9 * age_s)
    assert subject.moves(NOW + 0.9 * age_s) is (None if age_s else False)
    assert subject.update_odometry(STANDS, HERE, NOW + 1.1 * age_s, age_s)
    is_young = age_s <= ODOMETRY_AGE_S
    assert subject.moves(NOW + 1.1 * age_s) is (False if is_young else None)
    if not is_young:
        late = f'odometry is {age_s:.1f} s old by its stamps when it comes'
        assert subject.why_unknown(NOW + 1.1 * age_s) == late
