"""What waits in a full inbox, and what may be dropped of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.call_states import CallInput
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    ApprovalGiven,
    GoalCancelled,
    GoalReceived,
    ParametersSet,
    PauseRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)

# Whoever sent one of these was told that it is done, or waits for what comes of it.
COUNTED_ON = [
    SafetyEvent('cliff', 'a test'),
    StopRequested('a test'),
    PauseRequested('a test'),
    ResumeRequested('a test'),
    GoalCancelled('one', 'a test'),
    GoalReceived(Task('one', 'go')),
    ParametersSet({}),
    ServerCallUpdate('s', CallInput.SUCCEED),
    ServerCallUpdate('s', CallInput.CANCELLED),
]
FEEDBACK = ServerCallUpdate('s', CallInput.PROGRESS)


@pytest.mark.parametrize('event', COUNTED_ON, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize('noise', [FEEDBACK, ApprovalGiven('ask-0a1b2c-1', 'approve')])
def test_what_somebody_counts_on_is_never_dropped(event: Any, noise: Any) -> None:
    inbox = Inbox(capacity=5)
    inbox.put(event)
    for _ in range(50):
        inbox.put(noise)
    assert event in inbox.drain()
    assert inbox.dropped == 46


@pytest.mark.slow
@pytest.mark.parametrize('event', COUNTED_ON[:4], ids=lambda event: type(event).__name__)
def test_a_word_that_is_repeated_takes_no_room(event: Any) -> None:
    inbox = Inbox(capacity=5)
    for _ in range(100_000):
        inbox.put(event)
    assert inbox.drain() == [event]


@given(st.lists(st.sampled_from([*COUNTED_ON, FEEDBACK])))
def test_the_last_word_of_the_operator_stays_the_last(events: list[Any]) -> None:
    inbox = Inbox(capacity=2)
    for event in events:
        inbox.put(event)
    drained = inbox.drain()
    orders = (StopRequested, PauseRequested, ResumeRequested)
    assert [e for e in drained if isinstance(e, orders)][-1:] == [
        e for e in events if isinstance(e, orders)
    ][-1:]
    assert sum(e in COUNTED_ON for e in drained) <= sum(e in COUNTED_ON for e in events)
