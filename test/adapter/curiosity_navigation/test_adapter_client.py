"""What the navigator reads in the adapter's status, and that nothing else breaks it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curiosity_navigation.adapter_status_monitor import read_status
from rover_common.adapter_status import AdapterStatus, NavigationReport
from rover_common.message_order import RunNumber
from rover_common.permit import NO_PERMIT_ID, Permit
from rover_common.setpoint import Stage

ANSWER = NavigationReport(
    'me', 3, Stage.RUNNING, motion=9, motion_stage=Stage.ENDING, at_rest=False
)
STATUS = AdapterStatus(
    sender='abc',
    moving=True,
    at_rest=False,
    heartbeat=RunNumber('executive', 77),
    executive_alive=True,
    permit=Permit('navigate_to_pose', 5),
    setpoint=RunNumber('me', 12),
    navigation_goal=ANSWER,
    details={'mast_moves': False},
)


def test_what_concerns_this_navigator_is_read() -> None:
    status = read_status(STATUS, 'me')
    assert (status.taken, status.permit) == (('me', 12), ('executive', 5))
    assert status.answer is not None
    assert (status.answer.number, status.answer.motion_stage) == (3, Stage.ENDING)


def test_what_concerns_another_life_is_not_an_answer() -> None:
    status = read_status(STATUS, 'another')
    assert not status.taken.reaches(RunNumber('another', 1))
    assert status.answer is None


def test_the_permission_for_another_motion_is_none_for_a_navigation_goal() -> None:
    other = replace(STATUS, permit=Permit('move_forward', 5))
    assert read_status(other, 'me').permit == NO_PERMIT_ID


@pytest.mark.parametrize('alive', [False, None])
def test_an_executive_that_is_not_heard_permits_nothing(alive: bool | None) -> None:
    status = read_status(replace(STATUS, executive_alive=alive), 'me')
    assert (status.by_hand, status.permit) == (False, NO_PERMIT_ID)


@pytest.mark.parametrize('alive', [True, False, None])
@pytest.mark.parametrize('manual', [True, False, None])
def test_by_hand_no_permission_is_needed_unless_an_executive_is_there(
    manual: bool | None, alive: bool | None
) -> None:
    status = read_status(replace(STATUS, executive_alive=alive, manual_mode=manual), 'me')
    assert status.by_hand is (manual is True and alive is not True)


def test_what_is_not_known_of_the_mast_and_of_rest_is_no_good_value() -> None:
    for moves in (None, 1, 'no'):
        unknown = replace(STATUS, at_rest=None, details={'mast_moves': moves})
        status = read_status(unknown, 'me')
        assert (status.at_rest, status.mast_moves) == (False, None)
