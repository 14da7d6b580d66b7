"""Folds events into the steps of a goal: proposal, verdict, approval and result. Times in ROS s.

The fields are those of the page's data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bt_executive.core.error_codes import EARLY_ENDS
from bt_executive.core.value_formatting import format_value
from bt_executive.view.trace_sentences import describe_event
from rover_common.call_text import format_call
from rover_common.trace_event import TraceEvent


@dataclass
class Approval:
    """The approval request of a step, and its answer.

    Attributes:
        asked: Time of the request.
        amounts_to: The effect of the call, after an edit if there was one; empty: not known.
        expiry_s: Period of validity of the request.
        action: approve, edit, reject, or empty.
        word: The operator's message.
        ruling: The outcome of the answer.
        answered: Time of the answer; None: there is none.
    """

    request_id: str
    asked: float
    amounts_to: str = ''
    risk: str = ''
    expiry_s: float | None = None
    action: str = ''
    word: str = ''
    ruling: str = ''
    answered: float | None = None


@dataclass
class ToolStep:
    """A requested tool, and its result.

    Attributes:
        number: Of its first trace event.
        asked: Time of the proposal.
        by: Who proposed it, and who edited it.
        proposed: The proposed arguments, if the operator has edited them.
        verdict: `allowed`, `refused`, `asked` (for approval), `withdrawn` (the goal ended before
            an answer), or empty before a decision.
        guards: Name and reading, as text, of each evaluated guard.
        why: Of a refusal: `reading` and its `age_s`, and the `rule` of the guard.
        began: Time at which the tool started; None: it did not.
        ended: Time of its result.
        ok: Whether it succeeded; None: not known.
        early: Whether it was cancelled, or gives the goal up: neither failure nor success.
    """

    number: int
    asked: float
    tool: str
    by: str = ''
    arguments: Mapping[str, Any] = field(default_factory=dict)
    proposed: Mapping[str, Any] | None = None
    thought: str = ''
    verdict: str = ''
    reason: str = ''
    guard: str = ''
    guards: Sequence[tuple[str, str]] = ()
    why: Mapping[str, Any] = field(default_factory=dict)
    approval: Approval | None = None
    began: float | None = None
    ended: float | None = None
    ok: bool | None = None
    early: bool = False
    result: str = ''
    score: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether a verdict, an answer or a result may follow."""
        return self.ended is None and self.verdict not in ('refused', 'withdrawn')


@dataclass(frozen=True)
class Remark:
    """A trace event that belongs to no tool. `tone`: the label of its sentence."""

    number: int
    ts: float
    tone: str
    text: str


GIVES_UP = 'abort'  # the tool
AS_CHANGED = 'as the operator changed it'
MAX_READING_CHARS = 120


def add_to_rows(rows: list[ToolStep | Remark], event: TraceEvent, number: int) -> None:
    """Adds an event to the step of its tool, or as a separate row."""
    step = _open_step(rows, event.tool_name)
    request = (event.data or {}).get('approval')
    if isinstance(request, dict) and _approval(rows, step, event, number, request):
        return
    if event.kind == 'DECIDE' and event.tool_name and event.ok is not None:
        _decide(rows, step, event, number)
    elif event.kind == 'ACT' and step is not None and step.began is None:
        step.began = event.ts
    elif event.kind in ('RESULT', 'ERROR') and step is not None:
        step.ended, step.ok, step.score = event.ts, event.ok, event.score
        code = str((event.data or {}).get('error_code'))
        step.early = step.tool == GIVES_UP or (event.ok is False and code in EARLY_ENDS)
        message = event.message.removeprefix(f'{step.tool}: ')
        step.result = message if step.proposed is None else f'{AS_CHANGED}: {message}'
    elif event.kind != 'HYPOTHESIZE' or not event.tool_name:  # else the step has the thought
        rows.append(remark_of(event, number))


def _open_step(rows: list[ToolStep | Remark], tool: str | None) -> ToolStep | None:
    """Return the latest step if it is of this tool and has not ended."""
    latest = next((row for row in reversed(rows) if isinstance(row, ToolStep)), None)
    return latest if latest is not None and latest.tool == tool and latest.is_open else None


def _approval(
    rows: list[ToolStep | Remark],
    step: ToolStep | None,
    event: TraceEvent,
    number: int,
    request: Mapping[str, Any],
) -> bool:
    """Adds an approval request or its answer; returns False if its step is unknown."""
    request_id = str(request.get('id'))
    if event.kind == 'DECIDE' and event.tool_name:
        step = _proposed_step(rows, step, event, number)
        step.verdict = 'asked'
        step.approval = Approval(
            request_id,
            event.ts,
            amounts_to=str(request.get('amounts_to') or ''),
            risk=str(request.get('risk') or ''),
            expiry_s=_number(request.get('expiry_s')),
        )
        return True
    steps = (row for row in reversed(rows) if isinstance(row, ToolStep))
    approvals = ((row, row.approval) for row in steps if row.approval)
    match = next((pair for pair in approvals if pair[1].request_id == request_id), None)
    if match is None or 'action' not in request:
        return False
    step, approval = match
    if event.kind == 'OBSERVE':  # else the answer was refused, and another may follow
        approval.answered = event.ts
        approval.action = str(request['action'])
        approval.word = str(request.get('word') or '')
        if approval.action == 'edit':
            _edit(step, approval, request)
    approval.ruling = str(request.get('ruling') or '')
    return True


def _edit(step: ToolStep, approval: Approval, answer: Mapping[str, Any]) -> None:
    """Applies an edit of the operator to a step."""
    if step.proposed is None:
        source = str(answer.get('source') or 'the operator')
        proposal = format_call(step.tool, step.arguments)
        effect = f' ({approval.amounts_to})' if approval.amounts_to else ''
        step.by = f'{step.by}: {proposal}{effect}; changed by {source}'
        step.proposed = step.arguments
    arguments = answer.get('arguments')
    step.arguments = arguments if isinstance(arguments, dict) else {}
    approval.amounts_to = str(answer.get('amounts_to') or '')


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and abs(value) < 1e15 else None


def _decide(
    rows: list[ToolStep | Remark], step: ToolStep | None, event: TraceEvent, number: int
) -> None:
    if step is None or 'arguments' in (event.data or {}):  # else it is the final verdict on a step
        step = _proposed_step(rows, step, event, number)
    data = event.data or {}
    step.verdict = 'allowed' if event.ok else 'refused'
    step.reason = '' if event.ok else event.error_reason or event.message
    step.guard = '' if event.ok else str(data.get('guard') or '')
    step.guards = _readings(data.get('verdict')) or step.guards
    step.why = {} if event.ok else _why(data.get('why'))


def _proposed_step(
    rows: list[ToolStep | Remark], step: ToolStep | None, event: TraceEvent, number: int
) -> ToolStep:
    """Return the step of a proposal: a new one, or the one that waited for approval."""
    data = event.data or {}
    arguments = data.get('arguments')
    if step is None or step.verdict != 'asked':
        step = ToolStep(number=number, asked=event.ts, tool=str(event.tool_name))
        rows.append(step)
    if step.proposed is None:
        step.by = str(data.get('proposed_by') or step.by)
    step.thought = str(data.get('thought') or step.thought)
    step.arguments = arguments if isinstance(arguments, dict) else {}
    step.guards = _readings(data.get('verdict'))
    return step


def _why(why: Any) -> dict[str, Any]:
    """Return why a guard refused; a trace of another version may have other fields."""
    fields = why.items() if isinstance(why, dict) else ()
    tables = ('values', 'rule')
    return {key: value for key, value in fields if key not in tables or isinstance(value, dict)}


def _readings(verdict: Any) -> list[tuple[str, str]]:
    """Return name and reading of each guard of a verdict."""
    readings = verdict.get('asked') if isinstance(verdict, dict) else None
    if not isinstance(readings, dict):
        return []
    return [
        (str(name), format_value(value)[:MAX_READING_CHARS]) for name, value in readings.items()
    ]


def remark_of(event: TraceEvent, number: int) -> Remark:
    """Return the row of an event that belongs to no tool."""
    sentence = describe_event(event)
    return Remark(number, event.ts, sentence.label, sentence.text)
