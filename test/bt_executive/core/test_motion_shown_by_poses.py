"""Distance by poses with noise and jumps, and poses that contradict the adapter."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.inputs import PoseReceived, StatusReceived
from bt_executive.core.motion_shown_by_poses import (
    NOISE_M,
    TRACK_GAP_S,
    WINDOW_S,
    Driven,
    Odometer,
    Track,
    shows_motion,
    with_pose,
)
from bt_executive.core.observation_and_effects import Observation
from bt_executive.core.reduce import reduce
from bt_executive.core.reduce_robot_inputs import POSE_DIFFERS
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from rover_common.adapter_status import MOVING_AT, AdapterStatus
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import Config

WANDERS = st.floats(-0.4 * NOISE_M, 0.4 * NOISE_M)


@given(wanders=st.lists(st.tuples(WANDERS, WANDERS), min_size=1, max_size=200))
def test_a_robot_that_stands_drives_nothing_however_long_its_localiser_trembles(
    wanders: list[tuple[float, float]],
) -> None:
    odometer, half = Odometer(), math.sqrt(0.5)
    told = [odometer.add_pose(2.0 + half * x, -1.0 + half * y, 0.1) for x, y in wanders]
    assert {each.measured_m for each in told} == {0.0}
    assert odometer.pending_m == 0.0


@pytest.mark.slow
@given(steps=st.lists(st.floats(0.0, 0.9), min_size=1, max_size=60))
def test_a_straight_drive_is_counted_whole_but_for_its_last_centimetres(
    steps: list[float],
) -> None:
    odometer, x = Odometer(), 0.0
    driven = odometer.add_pose(x, 0.0, 0.0).measured_m
    for step in steps:
        x += step
        driven += odometer.add_pose(x, 0.0, 0.0).measured_m
    assert x - NOISE_M <= driven + 1e-9 <= x + 2e-9


@pytest.mark.parametrize('there', [(50.0, 0.0), (0.0, -1.0), (1e6, 1e6), (math.inf, 0.0)])
@pytest.mark.parametrize('away_s', [0.1, 5.0, 600.0])
def test_a_pose_that_begins_anew_is_no_drive_and_what_follows_counts_from_there(
    there: tuple[float, float], away_s: float
) -> None:
    """However long the robot was away: nobody drove it meanwhile."""
    odometer = Odometer()
    odometer.add_pose(0.0, 0.0, 10.0)
    told = odometer.add_pose(*there, 10.0 + away_s)
    assert told.measured_m == told.assumed_m == 0.0
    assert told.jumped_m == math.hypot(*there)
    if math.isfinite(there[0]):
        x, y = there
        assert odometer.add_pose(x + 0.5, y, 10.2 + away_s).measured_m == pytest.approx(0.5)


def test_a_long_way_between_two_poses_is_a_drive_if_one_was_commanded() -> None:
    odometer = Odometer()
    odometer.add_pose(0.0, 0.0, 10.0)
    odometer.assume(0.5, 6.0)
    driven = odometer.add_pose(3.0, 0.0, 16.0)
    assert driven.measured_m == pytest.approx(3.0)
    assert (driven.assumed_m, driven.jumped_m) == (0.0, 0.0)
    odometer.assume(0.5, 2.0)
    driven = odometer.add_pose(-0.5, 0.0, 18.0)
    assert driven == Driven(0.0, 1.0, 3.5), 'more than it can have driven'


@pytest.mark.parametrize('paused_s', [3.0, 30.0])
def test_a_drive_on_while_its_clock_stood_is_measured(paused_s: float) -> None:
    """The robot's time did not pass for 2 s of the pause."""
    odometer = Odometer()
    odometer.add_pose(0.0, 0.0, 10.0)
    odometer.assume(0.5, paused_s - 2.0, longest_s=paused_s)
    driven = odometer.add_pose(0.5 * paused_s, 0.0, 10.0 + paused_s)
    assert driven == Driven(measured_m=0.5 * paused_s)


SPEED_M_S, TICK_S = 0.5, 0.1
# What a pose stream does in a tick: tells the truth, falls silent, lies, or jumps.
STREAMS = st.sampled_from(['true', 'silent', 'constant', 'jumping'])


@pytest.mark.slow
@given(
    streams=st.lists(STREAMS, min_size=1, max_size=200),
    turns=st.booleans(),
    drives=st.lists(st.booleans(), min_size=200, max_size=200),
)
def test_what_is_counted_is_never_less_than_what_was_driven_whatever_the_poses_do(
    streams: list[str], turns: bool, drives: list[bool]
) -> None:
    odometer, counted, way = Odometer(), 0.0, 0.0
    odometer.add_pose(0.0, 0.0, 0.0)
    told = 0.0, 0.0
    for number, stream in enumerate(streams, 1):
        if drives[number // 20]:
            way += SPEED_M_S * TICK_S
            odometer.assume(SPEED_M_S, TICK_S)
        radius = 7.5
        true = (
            (radius * math.sin(way / radius), radius * (1.0 - math.cos(way / radius)))
            if turns
            else (way, 0.0)
        )
        told = {'true': true, 'constant': told, 'jumping': (20.0 * (number % 2), 3.0)}.get(
            stream, told
        )
        if stream != 'silent':
            driven = odometer.add_pose(*told, number * TICK_S)
            counted += driven.measured_m + driven.assumed_m
        assert counted + odometer.pending_m >= way - NOISE_M - 0.01 * way


CONFIG = load_config()
GATED = load_config(default_folder() / 'robots' / 'turtlebot')
BEGIN, PERIOD_S = 50.0, 0.1
Place = Callable[[float], tuple[float, float, float]]  # after s: x and y in m, heading in rad

MOVE: dict[str, Place] = {
    'straight': lambda s: (0.3 * s, 0.0, 0.0),
    'backwards, askew': lambda s: (-0.15 * s, -0.15 * s, 1.0),
    'on the spot': lambda s: (0.0, 0.0, 0.5 * s),
    'over the seam of headings': lambda s: (0.0, 0.0, math.remainder(3.0 + 0.5 * s, math.tau)),
    'in a narrow bend': lambda s: (0.3 * math.sin(s), 0.3 * (1.0 - math.cos(s)), s),
    'in jerks': lambda s: (0.1 * math.floor(4.0 * s), 0.0, 0.0),
    'faster and faster': lambda s: (0.3 * s * s + 0.1 * s, 0.0, 0.0),
}
STAND: dict[str, Place] = {
    'still': lambda _s: (4.0, -2.0, 0.5),
    'trembling': lambda s: (0.05 * math.sin(37.0 * s), 0.05 * math.cos(31.0 * s), 0.05 * s % 0.1),
    'one correction': lambda s: (0.6 if s > 0.7 else 0.0, 0.0, 0.3 if s > 0.7 else 0.0),
    'two corrections': lambda s: (0.3 * (s > 0.3) + 0.3 * (s > 0.9), 0.0, 0.0),
    'to and fro': lambda s: (5.0 * (int(s) % 2), 0.0, 0.0),
    'after a drive': lambda s: (0.3 * min(s, 0.9), 0.0, 0.0),
    'no place': lambda s: (math.nan if s > 0.5 else 0.0, 0.0, 0.0),
}


def track_of(place: Place, seconds: float, period_s: float = PERIOD_S) -> Track:
    track: Track = ()
    for number in range(round(seconds / period_s) + 1):
        track = with_pose(track, pose(place, number * period_s))
    return track


def pose(place: Place, after_s: float) -> PoseReceived:
    x, y, yaw = place(after_s)
    return PoseReceived(BEGIN + after_s, x, y, yaw, stamp=BEGIN + after_s)


@pytest.mark.parametrize('place', MOVE.values(), ids=MOVE)
def test_who_goes_on_moves(place: Place) -> None:
    assert shows_motion(track_of(place, 1.3))
    assert not shows_motion(track_of(place, 0.8)), 'a moment shows nothing'


@pytest.mark.parametrize('seconds', [1.1, 1.3, 2.0])
@pytest.mark.parametrize('place', STAND.values(), ids=STAND)
def test_who_stands_or_is_corrected_does_not(place: Place, seconds: float) -> None:
    assert not shows_motion(track_of(place, seconds))


@given(
    st.floats(0.2, 2.0), st.floats(-math.pi, math.pi), st.floats(0.02, 0.25), st.floats(1.5, 4.0)
)
def test_a_steady_motion_is_always_seen(
    speed: float, heading: float, period_s: float, seconds: float
) -> None:
    along = (speed * math.cos(heading), speed * math.sin(heading))
    assert shows_motion(
        track_of(lambda s: (along[0] * s, along[1] * s, heading), seconds, period_s)
    )


@given(st.lists(st.tuples(*[st.floats(-0.05, 0.05)] * 3), min_size=5, max_size=40))
@pytest.mark.slow
def test_a_pose_that_wanders_near_one_place_is_never_a_motion(
    places: list[tuple[float, float, float]],
) -> None:
    track: Track = ()
    for number, place in enumerate(places):
        after_s = number * PERIOD_S
        track = with_pose(track, PoseReceived(0.0, *place, stamp=BEGIN + after_s))
        assert not shows_motion(track)


@pytest.mark.parametrize('step_s', [0.0, -0.1, -5.0, TRACK_GAP_S + 0.1])
def test_a_pose_from_another_time_begins_anew(step_s: float) -> None:
    track = track_of(MOVE['straight'], 1.5)
    latest = track[-1].stamp
    anew = with_pose(track, PoseReceived(0.0, 9.0, 9.0, 0.0, stamp=latest + step_s))
    assert len(anew) == 1
    assert not shows_motion(anew)


def test_no_more_is_kept_than_is_needed() -> None:
    assert len(track_of(MOVE['straight'], 20.0)) <= round(WINDOW_S / PERIOD_S) + 2


def status(at_s: float, at_rest: bool = True, **details: Any) -> StatusReceived:
    told = AdapterStatus(sender='a', moving=not at_rest, at_rest=at_rest, details=details)
    return StatusReceived(BEGIN + at_s, told)


def seen(config: Config, place: Place, seconds: float, *statuses: StatusReceived) -> RobotState:
    observation = Observation(BrainState())
    for each in statuses[:1]:
        observation = reduce(observation, each, Now.at(BEGIN), config).observation
    for number in range(round(seconds / PERIOD_S) + 1):
        now = Now.at(BEGIN + number * PERIOD_S)
        given_ = pose(place, number * PERIOD_S)
        observation = reduce(observation, given_, now, config).observation
    for each in statuses[1:]:
        observation = reduce(observation, each, Now.at(each.at), config).observation
    return observation.state.robot


@pytest.mark.parametrize('place', MOVE.values(), ids=MOVE)
def test_an_adapter_that_says_it_stands_is_not_believed_while_the_pose_moves(place: Place) -> None:
    for statuses in ([status(0.0)], [status(0.0), status(1.3)]):
        robot = seen(CONFIG, place, 1.3, *statuses)
        assert (robot.at_rest, robot.stands) == (None, None)
        assert robot.standing_unknown == POSE_DIFFERS


@pytest.mark.parametrize('place', STAND.values(), ids=STAND)
def test_it_is_believed_while_the_pose_stands(place: Place) -> None:
    robot = seen(CONFIG, place, 2.0, status(0.0), status(2.0))
    assert (robot.at_rest, robot.standing_unknown) == (True, '')


def test_it_is_believed_again_by_its_next_status_and_while_no_pose_comes() -> None:
    stopped: Place = lambda s: (0.3 * min(s, 1.3), 0.0, 0.0)  # noqa: E731
    assert seen(CONFIG, stopped, 1.9, status(0.0), status(1.9)).stands is True
    old = status(
        1.3 + TRACK_GAP_S + 0.1
    )  # what poses showed is too long ago; its own guards see that
    assert seen(CONFIG, MOVE['straight'], 1.3, status(0.0), old).stands is True


def test_what_moves_by_itself_is_no_contradiction() -> None:
    robot = seen(CONFIG, MOVE['straight'], 1.3, status(0.0, at_rest=False))
    assert (robot.at_rest, robot.standing_unknown) == (False, '')


@pytest.mark.parametrize('arm', [False, True])
def test_a_gate_of_which_the_base_stands_is_not_believed_either(arm: bool) -> None:
    """Whatever another gate moves, and whoever moves it."""
    at_gates = {MOVING_AT: {'base': False, 'arm': arm}}
    robot = seen(GATED, MOVE['straight'], 1.3, status(0.0, at_rest=not arm, **at_gates))
    assert robot.stands_at('base', {'arm'}) is not True
    assert robot.moving_at == {'base': None, 'arm': arm}
    stands = seen(GATED, STAND['still'], 1.3, status(0.0, at_rest=not arm, **at_gates))
    assert stands.stands_at('base', {'arm'}) is True
