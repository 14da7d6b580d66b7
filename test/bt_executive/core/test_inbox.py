"""What waits in a full or closed inbox, what is dropped, and what is refused."""

from __future__ import annotations

import threading
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core import inputs as events
from bt_executive.core.call_states import CallInput
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    ApprovalGiven,
    GoalCancelled,
    GoalReceived,
    ParametersSet,
    PauseRequested,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from rover_common.adapter_status import AdapterStatus

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
    for _ in range(1000):
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


DECIDED = [
    events.GoalReceived(Task(task_id='1', goal='drive')),
    events.GoalCancelled('1', 'not wanted'),
    events.StopRequested('the operator'),
    events.PauseRequested('the operator'),
    events.ResumeRequested('the operator'),
    events.SafetyEvent('cliff', 'the scanner'),
    events.ResetRequested('the operator'),
    events.ApprovalGiven('ask-1', 'approve'),
    events.ParametersSet({}),
]
NEWS = [
    ServerCallUpdate('s', CallInput.SUCCEED),
    events.StatusReceived(0.0, AdapterStatus('a')),
    events.PoseReceived(0.0, 0.0, 0.0, 0.0),
    events.BatteryReceived(0.0, 50.0),
]


@pytest.mark.parametrize('event', DECIDED, ids=lambda event: type(event).__name__)
def test_what_would_be_decided_is_refused_with_the_reason(event: events.Input) -> None:
    inbox = Inbox()
    assert inbox.put(event) == ''
    inbox.close('it ends')
    assert inbox.put(event) == inbox.closed == 'it ends'
    assert inbox.drain() == [event]


@pytest.mark.parametrize('event', NEWS, ids=lambda event: type(event).__name__)
def test_news_of_the_robot_are_still_taken(event: events.Input) -> None:
    inbox = Inbox()
    inbox.close('it ends')
    assert inbox.put(event) == ''
    assert inbox.drain() == [event]


def test_every_event_is_either_refused_or_drained_however_late_it_comes() -> None:
    inbox = Inbox()
    taken: list[str] = []

    def send(sender: int) -> None:
        for number in range(300):
            name = f'{sender}-{number}'
            if not inbox.put(SafetyEvent(name, 'the scanner')):
                taken.append(name)

    senders = [threading.Thread(target=send, args=(each,)) for each in range(3)]
    for each in senders:
        each.start()
    inbox.wait(1.0)
    inbox.close('it ends')
    drained = [each.reason for each in inbox.drain() if isinstance(each, SafetyEvent)]
    for each in senders:
        each.join()
    assert sorted(drained) == sorted(taken)
    assert inbox.drain() == []


def test_in_a_flood_the_same_request_is_kept_once_and_all_are_answered() -> None:
    inbox = Inbox(capacity=5)
    answers: list[tuple[bool, str]] = []

    def reply(accepted: bool, sentence: str) -> None:
        answers.append((accepted, sentence))

    for _ in range(20):
        inbox.put(StopRequested('the operator', reply))
    left = inbox.drain()
    assert len(left) == 5
    assert len(answers) == inbox.dropped == 15
    assert not any(accepted for accepted, _ in answers)


@pytest.mark.parametrize(
    'make',
    [
        lambda reply: ApprovalGiven('', 'approve', reply=reply),
        lambda reply: ResetRequested('x', reply),
    ],
)
def test_a_dropped_answer_is_reported_to_its_sender(make: Any) -> None:
    told: list[tuple[bool, str]] = []
    inbox = Inbox(capacity=2)
    inbox.put(make(lambda *reply: told.append(reply)))
    inbox.put(SafetyEvent('one', 'a test'))
    assert told == []
    inbox.put(SafetyEvent('two', 'a test'))
    assert told == [(False, 'The executive is flooded with events; ask again')]
    assert inbox.dropped == 1
    assert len(inbox.drain()) == 2
