"""The fields of trace events, in one list.

The trace is one of the two vocabularies of the executive; the other one are the inputs
(`inputs.py`). Store, view and report read these keys and no others. mypy refuses to emit any
other; docs/trace.md shows the events that have them.
"""

from __future__ import annotations

from typing import Any, TypedDict

from bt_executive.core.proposer import Proposer


class TraceData(TypedDict, total=False):
    """The field `data` of a trace event: JSON values."""

    # --- goals
    task_id: str
    goal_ended: dict[str, Any]  # as in summary.json
    waited: bool  # it had not begun when it ended
    waits_for: str  # why it does not begin

    # --- tools
    proposed_by: Proposer
    thought: str  # the model's own, with its proposal
    arguments: dict[str, Any]
    edited: bool  # by the operator
    why: dict[str, Any]  # of a refusal: its reading, the age of that, and its rule
    verdict: dict[str, Any] | None  # of the guards, see `Verdict.as_data`
    guard: str | None  # the one that refused
    error_code: str | None  # of a refusal or a failure
    result: dict[str, Any]  # of the tool
    feedback: dict[str, Any]  # the first of an action
    interruptions: int  # of a continued drive
    late_answer: dict[str, Any]  # of a server whose call had ended

    # --- people
    approval: dict[str, Any]  # a request or an answer
    question: str  # to the operator
    spoken: str  # to the operator, by `speak`

    # --- the run
    mode: str  # from now on
    parameters: dict[str, Any]  # that were set, by dotted name
    lives: dict[str, Any]  # `this`: number of the run; `before`: id of the previous one
    goes_on: dict[str, str] | None  # the resumed goal of the previous run
    ended: list[dict[str, Any]]  # goals that ended in the previous run without a report
    tree: dict[str, Any]  # where the tick ended: branch, tip, guard


class TraceFields(TypedDict, total=False):
    """The optional fields of a trace event; see `TraceEvent`."""

    tool_name: str | None
    ok: bool | None
    error_reason: str | None
    score: float | None
    data: TraceData
