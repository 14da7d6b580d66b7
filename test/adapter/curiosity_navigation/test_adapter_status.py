"""What the navigator reads in the adapter's status, and that nothing else breaks it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_navigation.adapter_status import read_status
from rover_common.permit import NO_PERMIT_ID
from rover_common.run_number import RunNumber
from rover_common.setpoint import Stage

JOURNEY: dict[str, Any] = {
    'sender': 'me',
    'number': 3,
    'stage': 'RUNNING',
    'reason': '',
    'motion': 9,
    'motion_stage': 'ENDING',
    'motion_reason': '',
    'at_rest': False,
    'unstopped': '',
}
STATUS: dict[str, Any] = {
    'life': 'abc',
    'at_rest': False,
    'mast_moves': False,
    'deadman': 'armed',
    'permit': {'motion': 'navigate_to_pose', 'number': 5},
    'heartbeat': {'sender': 'executive', 'sequence': 77},
    'setpoint': {'sender': 'me', 'sequence': 12},
    'journey': JOURNEY,
}


def test_what_concerns_this_navigator_is_read() -> None:
    status = read_status(STATUS, 'me')
    assert (status.taken, status.permit, status.executive) == (
        ('me', 12),
        ('executive', 5),
        True,
    )
    assert status.answer is not None
    assert (status.answer.number, status.answer.motion_stage) == (3, Stage.ENDING)


def test_what_concerns_another_life_is_not_an_answer() -> None:
    status = read_status(STATUS, 'another')
    assert not status.taken.reaches(RunNumber('another', 1))
    assert status.answer is None


def test_the_permission_for_another_motion_is_none_for_a_journey() -> None:
    other = {**STATUS, 'permit': {'motion': 'move_forward', 'number': 5}}
    assert read_status(other, 'me').permit == NO_PERMIT_ID


def test_an_adapter_without_an_executive_says_so() -> None:
    manual = {**STATUS, 'deadman': 'manual', 'heartbeat': None, 'mast_moves': None}
    status = read_status(manual, 'me')
    assert (status.executive, status.permit, status.mast_moves) == (False, NO_PERMIT_ID, None)


@pytest.mark.parametrize('deadman', ['manual', 'silent', 'fired'])
def test_an_executive_that_has_fallen_silent_permits_nothing(deadman: str) -> None:
    status = read_status({**STATUS, 'deadman': deadman}, 'me')
    assert (status.executive, status.permit) == (False, NO_PERMIT_ID)


values = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.just({}), st.just([]))


@given(key=st.sampled_from(sorted(STATUS)), value=values, nested=st.sampled_from(sorted(JOURNEY)))
def test_any_other_status_is_read_or_refused(key: str, value: object, nested: str) -> None:
    for content in (
        {**STATUS, key: value},
        {name: each for name, each in STATUS.items() if name != key},
        {**STATUS, 'journey': {**JOURNEY, nested: value}},
    ):
        with suppress(ValueError):  # nothing else may come out
            read_status(content, 'me')


def test_a_stage_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match='cannot be used'):
        read_status({**STATUS, 'journey': {**JOURNEY, 'stage': 'FLYING'}}, 'me')
