"""Folds the entries of a goal into where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from bt_executive.core.journal_records import (
    BudgetUsed,
    CallChanged,
    CallOpened,
    GoalMoved,
    GoalReceived,
    Judged,
    LeaseChanged,
    Message,
    Proposed,
    Record,
    RoundEnded,
)
from bt_executive.core.ports import Proposal, ToolResult
from bt_executive.journal.past import OpenCall, OpenGoal, OpenRound
from bt_executive.journal.rows import Entry
from bt_executive.journal.tasks import task_of

Kind = TypeVar('Kind', bound=Record)


def open_goal(entries: Iterable[Entry[Record]]) -> OpenGoal:
    """Where a goal stands by its entries, the record of its arrival among them."""
    latest: dict[type[Record], Entry[Any]] = {}
    messages: list[Message] = []
    history: list[tuple[Proposal, ToolResult]] = []
    begun: set[str] = set()
    calls: dict[str, OpenCall] = {}
    for entry in entries:
        record = entry.record
        latest[type(record)] = entry
        _note_call(entry, begun, calls)
        if isinstance(record, Message):
            messages.append(record)
        elif isinstance(record, RoundEnded):
            history.extend(_step(latest.pop(Proposed, None), record))
    received = cast(Entry[GoalReceived], latest[GoalReceived])
    moved = _of(latest, GoalMoved)
    return OpenGoal(
        task=task_of(received.record, moved.record if moved else None),
        received=received,
        moved=moved,
        budget=_of(latest, BudgetUsed),
        history=tuple(history),
        round=_round(_of(latest, Proposed), _of(latest, Judged), begun, calls),
        messages=tuple(messages),
    )


def _step(
    proposed: Entry[Proposed] | None, ended: RoundEnded
) -> Iterable[tuple[Proposal, ToolResult]]:
    """The pair that the planner is told of; none for rounds that do not count."""
    if proposed is None or proposed.record.call_id != ended.call_id or not ended.counted:
        return
    asked = proposed.record
    units = {name: str(unit) for name, unit in ended.units.items()}
    yield (
        Proposal(asked.proposal_id, asked.tool, asked.arguments, asked.thought),
        ToolResult(ended.ok, ended.error_reason, ended.data, units),
    )


def _note_call(entry: Entry[Any], begun: set[str], calls: dict[str, OpenCall]) -> None:
    """Notes which tools were started, and how their calls stand."""
    record = entry.record
    if isinstance(record, LeaseChanged) and record.held:
        begun.add(record.call_id)
    elif isinstance(record, CallOpened):
        calls[record.session_id] = OpenCall(entry, None)
    elif isinstance(record, CallChanged) and record.session_id in calls:
        calls[record.session_id] = replace(calls[record.session_id], changed=entry)


def _round(
    proposed: Entry[Proposed] | None,
    judged: Entry[Judged] | None,
    begun: set[str],
    calls: Mapping[str, OpenCall],
) -> OpenRound | None:
    if proposed is None:
        return None
    call_id = proposed.record.call_id
    fits = judged is not None and judged.record.call_id == call_id
    own = tuple(each for each in calls.values() if each.opened.record.call_id == call_id)
    return OpenRound(proposed, judged if fits else None, call_id in begun or bool(own), own)


def _of(latest: dict[type[Record], Entry[Any]], kind: type[Kind]) -> Entry[Kind] | None:
    return latest.get(kind)
