"""A base behind one gate beside an arm behind another: when a drive may begin."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.inputs import StatusReceived
from bt_executive.core.reduce_robot_inputs import with_status
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from rover_common.adapter_status import MOVING_AT, AdapterStatus
from rover_common.run_number import RunNumber

KNOWN = st.sampled_from([True, False, None])


def robot(base: bool | None, arm: bool | None) -> RobotState:
    """As a status of two gates says it."""
    each = (base, arm)
    moves = True if any(each) else None if None in each else False
    status = AdapterStatus(
        sender='gates',
        moving=moves,
        at_rest=None if moves is None else not moves,
        heartbeat=RunNumber('', 0),
        details={MOVING_AT: {'base': base, 'arm': arm}},
    )
    return with_status(BrainState(), StatusReceived(1.0, status), {}).robot


@pytest.mark.parametrize(
    ('base', 'arm', 'moved', 'stands'),
    [
        (False, False, {}, True),
        (False, True, {'arm'}, True),  # the executive itself moves the arm
        (False, True, {}, False),  # somebody else does
        (False, True, {'base'}, False),
        (False, None, {'arm'}, None),  # nothing is known of the arm
        (True, True, {'arm'}, False),
        (True, False, {'base'}, False),
        (None, True, {'arm'}, False),
    ],
)
def test_a_drive_begins_beside_an_arm_that_the_executive_moves(
    base: bool | None, arm: bool | None, moved: set[str], stands: bool | None
) -> None:
    assert robot(base, arm).stands_at('base', moved) is stands


@given(KNOWN, KNOWN, st.sets(st.sampled_from(['base', 'arm'])))
def test_a_base_that_is_not_measured_to_stand_never_counts_as_standing(
    base: bool | None, arm: bool | None, moved: set[str]
) -> None:
    seen = robot(base, arm)
    if base is not False or arm is None or (arm and 'arm' not in moved):
        assert seen.stands_at('base', moved) is not True
    assert seen.stands_at('', moved) is seen.stands  # a tool without a gate


def test_a_status_with_anything_else_in_their_place_says_nothing_of_gates() -> None:
    for odd in (None, 7, [True]):
        status = AdapterStatus(
            'a', True, False, heartbeat=RunNumber('', 0), details={MOVING_AT: odd}
        )
        seen = with_status(BrainState(), StatusReceived(1.0, status), {}).robot
        assert (seen.moving_at, seen.stands_at('base', {'arm'})) == ({}, False)
    status = AdapterStatus(
        'a', True, False, heartbeat=RunNumber('', 0), details={MOVING_AT: {'base': 0, 'arm': True}}
    )
    seen = with_status(BrainState(), StatusReceived(1.0, status), {}).robot
    assert seen.moving_at == {'base': None, 'arm': True}
