from __future__ import annotations

from typing import Any

import pytest

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ApprovalGiven, ResetRequested, SafetyEvent


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
