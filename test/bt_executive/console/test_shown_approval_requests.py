"""Which request an answer without an id is for."""

from __future__ import annotations

from fakes.common import ManualClock
import pytest

from bt_executive.console.shown_approval_requests import READING_S, ShownRequests
from rover_common.errors import UsageError


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(100.0)


@pytest.fixture
def shown(clock: ManualClock) -> ShownRequests:
    return ShownRequests(clock)


def test_the_only_one_that_is_shown_is_meant(shown: ShownRequests) -> None:
    with pytest.raises(UsageError, match='No request waits'):
        shown.default_id()
    shown.add('ask-1')
    shown.set_pending(['ask-1'])
    assert shown.default_id() == 'ask-1'
    shown.set_pending(['ask-1', 'ask-2'])
    with pytest.raises(UsageError, match='Say which of ask-1, ask-2'):
        shown.default_id()


def test_one_that_has_just_taken_the_place_of_another_is_not(
    shown: ShownRequests, clock: ManualClock
) -> None:
    shown.set_pending(['ask-1'])
    clock.now += 30.0
    shown.set_pending([])
    clock.now += 0.1
    shown.set_pending(['ask-2'])
    clock.now += READING_S - 0.1
    with pytest.raises(UsageError, match='ask-2 has just come'):
        shown.default_id()
    clock.now += 0.1
    assert shown.default_id() == 'ask-2'


def test_one_that_follows_an_answered_one_is_meant_at_once(shown: ShownRequests) -> None:
    shown.set_pending(['ask-1'])
    shown.mark_answered('ask-1')
    shown.set_pending([])
    shown.set_pending(['ask-2'])
    assert shown.default_id() == 'ask-2'
