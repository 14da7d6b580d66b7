"""A closed inbox refuses what would have to be decided, and loses nothing that it took."""

from __future__ import annotations

import threading

import pytest

from bt_executive.core import inputs as events
from bt_executive.core.call_states import CallInput
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import SafetyEvent, ServerCallUpdate, StopRequested
from rover_common.adapter_status import AdapterStatus

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
