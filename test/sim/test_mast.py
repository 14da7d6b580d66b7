"""The mast's timeline."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_sim.rover.mast import CAMERAS, JOINTS, PAN, TILT, Mast, TrajectoryError, Waypoint


def waypoint(time: float, tilt: float, pan: float) -> Waypoint:
    return Waypoint(time, {TILT: tilt, PAN: pan, CAMERAS: 0.0})


CLOSE = [waypoint(1.0, 1.57, -1.57)]
ROTATE = [waypoint(2.0, 0.0, -1.57), waypoint(4.0, 0.0, -3.14), waypoint(6.0, 0.0, -6.28)]


def test_closing_takes_one_second_in_a_straight_line() -> None:
    mast = Mast()
    mast.follow(CLOSE)
    mast.step(0.25)
    assert mast.positions == pytest.approx({TILT: 0.3925, PAN: -0.3925, CAMERAS: 0.0})
    assert mast.velocities[TILT] == pytest.approx(1.57)
    mast.step(0.75)
    assert mast.positions == pytest.approx({TILT: 1.57, PAN: -1.57, CAMERAS: 0.0})
    assert not mast.moving
    assert mast.velocities[TILT] == 0.0


@pytest.mark.parametrize(
    ('seconds', 'pan'), [(1.0, -0.785), (2.0, -1.57), (3.0, -2.355), (5.0, -4.71), (9.0, -6.28)]
)
def test_the_sweep(seconds: float, pan: float) -> None:
    mast = Mast()
    mast.follow(ROTATE)
    mast.step(seconds)
    assert mast.positions[PAN] == pytest.approx(pan)


def test_a_new_trajectory_replaces_the_old_one_from_where_the_joints_are() -> None:
    mast = Mast()
    mast.follow(CLOSE)
    mast.step(0.5)
    mast.follow([Waypoint(1.0, {TILT: 0.0})])
    mast.step(0.5)
    assert mast.positions[TILT] == pytest.approx(0.3925)
    mast.step(5.0)
    assert mast.positions == pytest.approx({TILT: 0.0, PAN: -0.785, CAMERAS: 0.0})


def test_a_trajectory_without_points_stops_the_mast() -> None:
    mast = Mast()
    mast.follow(CLOSE)
    mast.step(0.5)
    mast.follow([])
    mast.step(1.0)
    assert mast.positions[TILT] == pytest.approx(0.785)
    assert not mast.moving


@given(st.floats(-10.0, 10.0), st.lists(st.floats(0.01, 0.5), min_size=1, max_size=20))
def test_limits_hold_at_every_step(tilt: float, steps: list[float]) -> None:
    mast = Mast()
    mast.follow([Waypoint(1.0, {TILT: tilt})])
    for seconds in steps:
        mast.step(seconds)
        assert 0.0 <= mast.positions[TILT] <= 1.57


@pytest.mark.parametrize(
    ('waypoints', 'words'),
    [
        ([waypoint(0.0, 0.0, 0.0)], 'times must be positive'),
        ([waypoint(2.0, 0.0, 0.0), waypoint(1.0, 0.0, 0.0)], 'not later than 2.0 s'),
        ([Waypoint(1.0, {'arm_01_joint': 0.0})], "'arm_01_joint'"),
        ([Waypoint(1.0, {TILT: math.nan})], 'nan rad'),
        ([Waypoint(1.0, {PAN: 1e308})], '1e\\+308 rad'),
    ],
)
def test_a_bad_trajectory_is_refused_and_the_old_one_goes_on(
    waypoints: list[Waypoint], words: str
) -> None:
    mast = Mast()
    mast.follow(CLOSE)
    with pytest.raises(TrajectoryError, match=words):
        mast.follow(waypoints)
    mast.step(1.0)
    assert mast.positions[TILT] == pytest.approx(1.57)
    assert set(mast.positions) == set(JOINTS)
