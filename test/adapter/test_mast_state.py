"""What the joints say: states of the mast and the end of each command."""

from __future__ import annotations

from collections.abc import Callable
import itertools
import math
import re

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_adapter.mast_state import MastCommand, MastJoints, MastMove
from rover_common.clocks import Now
from rover_common.config.load import load_config

MAST = load_config().curiosity.mast
NAMES = (MAST.tilt_joint, MAST.pan_joint)
STEP_S = 0.02
LONGEST_S = max(MAST.move_timeout_s, MAST.rotate_timeout_s)


def joints_at(tilt: float, pan: float = 0.0) -> MastJoints:
    joints = MastJoints(MAST)
    joints.update(NAMES, (tilt, pan), Now.at(0.0))
    return joints


@pytest.mark.parametrize(
    ('tilt', 'state'),
    [(0.0, 'open'), (0.09, 'open'), (0.5, 'between'), (1.46, 'between'), (1.5, 'closed')],
)
def test_the_tilt_tells_the_state(tilt: float, state: str) -> None:
    assert joints_at(tilt).state(Now.at(0.0)) == state


def test_nothing_is_known_before_the_first_and_long_after_the_last_joint_state() -> None:
    assert MastJoints(MAST).state(Now.at(0.0)) == 'unknown'
    assert joints_at(1.57).state(Now.at(MAST.joint_states_max_age_s + 0.01)) == 'unknown'


@given(
    st.lists(st.sampled_from([*NAMES, 'wheel'])),
    st.lists(st.floats(allow_nan=True, allow_infinity=True)),
)
def test_no_message_breaks_it(names: list[str], positions: list[float]) -> None:
    joints = MastJoints(MAST)
    joints.update(names, positions, Now.at(0.0))
    assert joints.tilt is None or math.isfinite(joints.tilt)
    assert joints.state(Now.at(0.0)) in ('open', 'closed', 'between', 'unknown')


def test_messages_of_other_joints_do_not_keep_the_mast_known() -> None:
    joints = joints_at(1.57)
    assert not joints.update(['wheel', MAST.pan_joint], [1.0, 2.0], Now.at(5.0))
    assert joints.state(Now.at(5.0)) == 'unknown'


def timeline(points: list[tuple[float, float, float]]) -> Callable[[float], tuple[float, float]]:
    """Tilt and pan over time, straight between (time, tilt, pan) points, as a controller does."""

    def at(now: float) -> tuple[float, float]:
        for (t0, tilt0, pan0), (t1, tilt1, pan1) in itertools.pairwise(points):
            if now < t1:
                share = (now - t0) / (t1 - t0)
                return tilt0 + share * (tilt1 - tilt0), pan0 + share * (pan1 - pan0)
        return points[-1][1:]

    return at


def run(
    command: MastCommand, at: Callable[[float], tuple[float, float]], speed: float = 1.0
) -> Now | None:
    """When the command counts as complete, at a speed of the rover's time; None: it never does."""
    joints = joints_at(*at(0.0))
    move = MastMove(command, MAST, Now.at(0.0))
    move.answered(Now.at(0.0))
    for step in range(1, round(20.0 / STEP_S)):
        robot = step * STEP_S * max(speed, 1.0)
        now = Now(ros=robot, robot=robot, steady=robot / speed)
        joints.update(NAMES, at(robot), now)
        move.update(joints)
        if move.complete(joints, now):
            return now
    return None


def test_close_is_complete_when_the_mast_has_come_to_rest() -> None:
    done = run('mast_close', timeline([(0.0, 0.0, -0.5), (1.0, 1.57, -1.57)]))
    assert done is not None
    assert done.robot == pytest.approx(1.0 + MAST.settle_s, abs=0.1)


def test_open_waits_for_the_pan_to_swing_back() -> None:
    done = run('mast_open', timeline([(0.0, 0.0, -6.28), (0.1, 0.0, -6.28), (1.1, 0.0, -0.5)]))
    assert done is not None
    assert done.robot == pytest.approx(1.1 + MAST.settle_s, abs=0.1)


@pytest.mark.parametrize('start', [0.0, -0.5, -1.57, -6.28])
@pytest.mark.parametrize('wrapped', [False, True])
def test_rotate_is_complete_at_the_end_of_the_sweep_wherever_it_began(
    start: float, wrapped: bool
) -> None:
    sweep = timeline([(0.0, 0.0, start), (2.0, 0.0, -1.57), (4.0, 0.0, -3.14), (6.0, 0.0, -6.28)])

    def at(now: float) -> tuple[float, float]:
        tilt, pan = sweep(now)
        return tilt, math.remainder(pan, math.tau) if wrapped else pan

    done = run('mast_rotate', at)
    assert done is not None
    assert done.robot == pytest.approx(6.0 + MAST.settle_s, abs=0.1)


@pytest.mark.parametrize('halt', [-0.2, -1.57, -3.14, -5.5])
def test_rotate_that_stops_on_its_way_is_not_complete(halt: float) -> None:
    assert run('mast_rotate', timeline([(0.0, 0.0, 0.0), (3.0, 0.0, halt)])) is None


def test_rotate_that_does_not_move_is_not_complete() -> None:
    assert run('mast_rotate', lambda _: (0.0, -6.28)) is None


@pytest.mark.parametrize('speed', [0.5, 4.0, 20.0])
def test_at_any_speed_a_command_is_complete_once_the_rest_has_lasted_on_both_clocks(
    speed: float,
) -> None:
    done = run('mast_close', timeline([(0.0, 0.0, -0.5), (1.0, 1.57, -1.57)]), speed)
    assert done is not None
    rest_s = MAST.settle_s * max(speed, 1.0)  # of the rover's time
    assert done.robot == pytest.approx(1.0 + rest_s, abs=0.1 * max(speed, 1.0))


@pytest.mark.parametrize(
    ('robot', 'steady', 'over'),
    [(100.0, 4.9, False), (4.9, 9.8, False), (5.0, 10.0, True), (100.0, 5.0, True)],
)
def test_the_time_of_a_command_is_over_when_it_is_on_both_clocks(
    robot: float, steady: float, over: bool
) -> None:
    move = MastMove('mast_open', MAST, Now.at(0.0))
    assert move.over(joints_at(1.57), Now(ros=robot, robot=robot, steady=steady)) is over
    assert (move.failure is not None) is over


def test_joints_that_fall_silent_on_the_way_and_are_heard_again_end_no_command() -> None:
    joints, later = joints_at(0.8), 1.0 + MAST.joint_states_max_age_s
    move = MastMove('mast_close', MAST, Now.at(0.0))
    move.answered(Now.at(0.0))
    assert joints.state(Now.at(later)) == 'unknown'
    assert not move.over(joints, Now.at(later))
    joints.update(NAMES, (1.57, 0.0), Now.at(later))
    joints.update(NAMES, (1.57, 0.0), Now.at(later + MAST.settle_s))
    assert move.over(joints, Now.at(later + MAST.settle_s))
    assert move.failure is None


def test_what_is_said_at_the_time_limit_stays_whatever_the_joints_say_later() -> None:
    joints, limit = joints_at(1.57), Now.at(MAST.move_timeout_s)
    move = MastMove('mast_close', MAST, Now.at(0.0))
    move.answered(Now.at(0.0))
    assert move.over(joints, limit)
    joints.update(NAMES, (1.57, 0.0), limit)
    assert move.failure
    assert 'within 5 s: no joint state of' in move.failure.sentence


def test_joint_states_fall_silent_in_steady_time() -> None:
    joints = joints_at(1.57)
    assert joints.state(Now(ros=20.0, robot=20.0, steady=1.0)) == 'closed'
    assert joints.state(Now(ros=0.5, robot=0.5, steady=1.1)) == 'unknown'


@pytest.mark.parametrize('period_s', [0.01, 0.1, 0.9 * MAST.settle_s])
def test_a_mast_is_not_closed_while_another_publisher_shows_it_open(period_s: float) -> None:
    """A process that was left over repeats the closed mast, three times as often."""
    joints = joints_at(0.0)
    for step in range(1, 40):
        now = Now.at(step * period_s / 3.0)
        joints.update(NAMES, (1.57 if step % 4 else 0.0, 0.0), now)
        assert joints.state(now) in ('open', 'between')
    settled = Now.at(now.steady + MAST.settle_s)
    joints.update(NAMES, (1.57, 0.0), settled)
    assert joints.state(settled) == 'closed'


def test_a_mast_is_closed_as_soon_as_its_command_is_complete() -> None:
    joints, tilt_at = joints_at(0.0), timeline([(0.0, 0.0, 0.0), (1.0, 1.57, 0.0)])
    move = MastMove('mast_close', MAST, Now.at(0.0))
    move.answered(Now.at(0.0))
    for step in range(1, 100):
        now = Now.at(step * STEP_S)
        joints.update(NAMES, tilt_at(now.robot), now)
        assert joints.state(now) == 'closed' or not move.complete(joints, now)
    assert move.complete(joints, now)


def test_nothing_is_complete_before_the_rover_answered() -> None:
    joints = joints_at(1.57)
    move = MastMove('mast_close', MAST, Now.at(0.0))
    answered, settled = Now.at(5.0), Now.at(5.0 + MAST.settle_s)
    joints.update(NAMES, (1.57, 0.0), answered)
    assert not move.complete(joints, answered)
    move.answered(answered)
    assert not move.complete(joints, answered)
    joints.update(NAMES, (1.57, 0.0), settled)
    assert move.complete(joints, settled)


@pytest.mark.parametrize(
    ('command', 'joints', 'said'),
    [
        ('mast_close', MastJoints(MAST), 'no joint state of .* ever came'),
        ('mast_close', joints_at(0.4), r'is at 0\.40 rad, wanted 1\.57'),
        ('mast_rotate', joints_at(0.0, -2.0), r'is at -2\.00 rad, the sweep to -6\.28 rad'),
        ('mast_open', joints_at(0.0), 'has not come to rest'),
    ],
)
def test_a_failure_says_what_the_joints_said(
    command: MastCommand, joints: MastJoints, said: str
) -> None:
    move = MastMove(command, MAST, Now.at(0.5 - LONGEST_S))
    assert move.over(joints, Now.at(0.5))
    assert move.failure
    assert re.search(said, move.failure.sentence)
