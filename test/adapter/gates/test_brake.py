"""When the base counts as standing, and for how long it is told to stand."""

from __future__ import annotations

import math

import pytest

from gates.brake import ODOMETRY_AGE_S, Brake

NOW = 100.0
STANDS, DRIVES = (0.0,) * 6, (0.5, 0.0, 0.0, 0.0, 0.0, 0.0)


def brake(*speeds: float) -> Brake:
    subject = Brake()
    subject.update_speeds(speeds, NOW)
    return subject


def test_the_base_moves_as_odometry_says() -> None:
    assert brake(*DRIVES).moves(NOW) is True
    assert brake(0.0, 0.0, 0.0, 0.0, 0.0, -0.5).moves(NOW) is True
    assert brake(*STANDS).moves(NOW) is False


def test_without_odometry_it_is_not_known() -> None:
    assert Brake().moves(NOW) is None
    assert brake(*STANDS).moves(NOW + ODOMETRY_AGE_S + 0.01) is None


def test_it_brakes_until_odometry_shows_a_standstill() -> None:
    subject = brake(*DRIVES)
    subject.apply()
    for speeds, applied in ((DRIVES, True), (STANDS, False)):
        subject.update_speeds(speeds, NOW)
        subject.update(NOW)
        assert subject.applied == applied


def test_it_brakes_from_the_beginning_and_while_no_odometry_comes() -> None:
    subject = Brake()
    subject.update(NOW)
    assert subject.applied
    subject.update_speeds(STANDS, NOW)
    subject.update(NOW)
    assert not subject.applied


def test_odometry_of_before_says_nothing_of_a_base_that_was_told_to_move_or_to_stand() -> None:
    subject = brake(*STANDS)
    subject.release()
    assert subject.moves(NOW) is None
    assert subject.why_unknown(NOW) == 'no odometry has come since the latest command'
    subject.update_speeds(STANDS, NOW)  # it was on its way when the base was told to move
    subject.apply()
    subject.update(NOW)
    assert subject.applied
    assert subject.moves(NOW) is None
    subject.update_speeds(STANDS, NOW)
    subject.update(NOW)
    assert (subject.applied, subject.holds) == (False, True)
    subject.release()
    assert not subject.holds


def test_odometry_that_says_nothing_shows_nothing_and_a_standstill_goes_on_being_commanded() -> (
    None
):
    subject = brake(*STANDS)
    subject.update(NOW)
    subject.blind('2 publishers on /odom')
    subject.update_speeds(STANDS, NOW)
    assert (subject.moves(NOW), subject.holds) == (None, False)
    assert subject.why_unknown(NOW) == 'there are 2 publishers on /odom'
    subject.apply()
    subject.update(NOW)
    assert subject.applied
    subject.blind('')
    assert subject.moves(NOW) is None
    subject.update_speeds(STANDS, NOW)
    assert subject.moves(NOW) is False


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize('place', range(6))
def test_what_is_no_number_shows_no_standstill(bad: float, place: int) -> None:
    subject = brake(*DRIVES)
    subject.apply()
    speeds = [0.0] * 6
    speeds[place] = bad
    subject.update_speeds(speeds, NOW + ODOMETRY_AGE_S)
    subject.update(NOW + ODOMETRY_AGE_S)
    assert subject.applied
    assert subject.moves(NOW + ODOMETRY_AGE_S) is None
    assert subject.moves(NOW + ODOMETRY_AGE_S + 0.1) is None
