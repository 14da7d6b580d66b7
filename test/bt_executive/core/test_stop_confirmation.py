"""A stop is confirmed by a status that is younger than it, and by nothing else."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.robot_state import ReceivedHeartbeat, RobotState
from bt_executive.core.stop_confirmation import REPEAT_S, REPORT_S, StopConfirmation
from rover_common.permit import Heartbeat

RESTS = RobotState(at_rest=True, heard_beat=ReceivedHeartbeat('life', 7))


def stopped(sequence: int = 7) -> StopConfirmation:
    stops = StopConfirmation()
    stops.sent(Heartbeat('life', sequence, 0.0), 10.0)
    return stops


@pytest.mark.parametrize(
    'robot',
    [
        replace(RESTS, heard_beat=ReceivedHeartbeat('life', 6)),
        replace(RESTS, heard_beat=ReceivedHeartbeat('another', 99)),
        replace(RESTS, heard_beat=None),
        replace(RESTS, at_rest=False),
        replace(RESTS, at_rest=None),
    ],
)
def test_it_is_not_confirmed_by(robot: RobotState) -> None:
    stops = stopped()
    assert not stops.confirmed_by(robot)
    assert stops.pending


@given(st.integers(7, 2**64 - 1))
def test_it_is_confirmed_by_any_younger_status(sequence: int) -> None:
    stops = stopped()
    assert stops.confirmed_by(replace(RESTS, heard_beat=ReceivedHeartbeat('life', sequence)))
    assert stops.pending is None
    assert stops.confirmed_by(RobotState())


def test_a_later_stop_wants_a_later_status_and_the_waiting_counts_from_the_first() -> None:
    stops = stopped()
    assert stops.repeat_at() == 10.0 + REPEAT_S
    stops.sent(Heartbeat('life', 9, 0.0), 10.5)
    assert not stops.confirmed_by(RESTS)
    assert (stops.waited_s(11.0), stops.repeat_at()) == (1.0, 10.5 + REPEAT_S)


def test_a_stop_that_is_sent_again_is_confirmed_by_a_status_that_knows_of_the_first() -> None:
    stops = stopped()
    for _ in range(10):  # a status that comes over a slow link knows of none of these
        assert stops.repeat_at() > 10.0
        stops.sent_again(10.5)
    assert stops.repeat_at() == 10.5 + REPEAT_S
    assert stops.waited_s(11.0) == 1.0
    assert stops.confirmed_by(RESTS)
    stops.sent_again(12.0)  # it was confirmed in the meantime
    assert stops.pending is None


def test_what_is_not_confirmed_is_told_once() -> None:
    stops = stopped()
    assert not stops.report_due(10.0)
    assert stops.report_due(10.0 + REPORT_S)
    assert not stops.report_due(20.0)
