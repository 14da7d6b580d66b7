"""What a fresh start leaves behind is ended in the journal, so that nothing stays open there."""

from __future__ import annotations

from collections.abc import Iterator

from bt_executive.core.calls import CallInput, CallState
from bt_executive.core.journal_records import (
    ApprovalChanged,
    CallChanged,
    GoalEnded,
    LeaseChanged,
    Record,
)
from bt_executive.journal.past import Past

WHY = 'Started fresh'


def left_behind(past: Past) -> Iterator[Record]:
    """The last words on all that the lives before have left open."""
    for call in past.calls:
        opened = call.opened.record
        yield CallChanged(
            goal_id=opened.goal_id,
            session_id=opened.session_id,
            happened=CallInput.LOSE.value,
            state=CallState.LOST.value,
            reason=WHY,
        )
    for call_id in past.leases:
        yield LeaseChanged(call_id=call_id, resources=(), held=False)
    for request in past.approvals:
        asked = request.asked.record
        yield ApprovalChanged(
            goal_id=asked.goal_id, request_id=asked.request_id, standing='withdrawn', why=WHY
        )
    for goal in past.goals:
        yield GoalEnded(goal_id=goal.task.task_id, outcome='interrupted', answer=WHY)
