"""The current view of the executive: one immutable value, and how each event changes it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from bt_executive.client.front_end_events import (
    ClientEvent,
    ClientFailed,
    ExecutiveLost,
    ExecutiveQuiet,
    ExecutiveReady,
    PendingApprovals,
    StateReceived,
    SteppingReceived,
    StreamedText,
)
from bt_executive.client.tree_fold import TreeNode
from bt_executive.core.state import BrainState
from rover_common.text_sanitizing import one_line
from rover_common.trace_event import TraceEvent

MAX_EVENTS = 500
MAX_SCORES = 200
MAX_STREAMED_CHARS = 400  # from the end of the streamed text

Presence = Literal['starting', 'ready', 'quiet', 'lost']


@dataclass(frozen=True)
class Score:
    """A scored picture: brightness 0 to 1."""

    value: float
    is_good: bool


@dataclass(frozen=True)
class CurrentView:
    """The current state as people are shown it.

    Attributes:
        lost_reason: Why the executive is lost.
        since: Steady time in s at which `presence` began.
        state: The executive's; None before the first report, and while it is lost.
        now: ROS time of `state` in s.
        queue: Id and text of the open goals; the first one may be active.
        requests: Requests for approval, as on ~/approvals.
        clock_offset_s: System time minus steady time in s; requests expire in system time.
        streamed_text: The end of the message that the model is streaming.
        question: The open question to the operator.
        step: Whether each proposal needs approval.
        resumed_at: ROS time in s at which this run resumed the previous one; None: not known.
        break_at: Names of tools, guards and outcomes that are breakpoints.
    """

    presence: Presence = 'starting'
    lost_reason: str = ''
    since: float = 0.0
    state: BrainState | None = None
    now: float = 0.0
    tree: TreeNode | None = None
    queue: tuple[tuple[str, str], ...] = ()
    requests: tuple[Mapping[str, Any], ...] = ()
    clock_offset_s: float = 0.0
    events: tuple[TraceEvent, ...] = ()
    scores: tuple[Score, ...] = ()
    streamed_text: str = ''
    question: str | None = None
    resumed_at: float | None = None
    step: bool = False
    break_at: tuple[str, ...] = ()


@dataclass(frozen=True)
class QuestionChange:
    """The open question to the operator from now on; None: there is none."""

    text: str | None


def update_view(view: CurrentView, event: ClientEvent, clock: float) -> CurrentView:
    """Return the view after an event. `clock`: steady time in s."""
    match event:
        case TraceEvent() as trace_event:
            return _with_trace_event(view, trace_event)
        case StreamedText('end', _):
            return replace(view, streamed_text='')
        case StreamedText(_, text):
            text = (view.streamed_text + text)[-MAX_STREAMED_CHARS:]
            return replace(view, streamed_text=text)
        case StateReceived(state, now):
            return replace(view, state=state, now=now, question=state.hci.question or None)
        case TreeNode() as root:
            return replace(view, tree=root)
        case PendingApprovals(requests, now):
            return replace(view, requests=requests, clock_offset_s=now - clock)
        case SteppingReceived(step, break_at):
            return replace(view, step=step, break_at=break_at)
        case ExecutiveReady():
            return replace(view, presence='ready', lost_reason='', since=clock)
        case ExecutiveQuiet(quiet) if view.presence in ('ready', 'quiet'):
            return replace(view, presence='quiet' if quiet else 'ready')
        case ExecutiveLost(reason):
            return _lost(view, reason, clock)
        case ClientFailed(fault):
            return _lost(view, f'The connection to ROS is lost: {fault!r}', clock)
    return view


def question_change(event: TraceEvent) -> QuestionChange | None:
    """Return how an event changes the question to the operator; None if it does not."""
    data = event.data or {}
    if 'question' in data:
        return QuestionChange(str(data['question']))
    answered = event.tool_name == 'ask_operator' and event.kind in ('RESULT', 'ERROR')
    goal_ended = 'goal_ended' in data and not data.get('waited')
    return QuestionChange(None) if answered or goal_ended else None


def _with_trace_event(view: CurrentView, event: TraceEvent) -> CurrentView:
    data = event.data or {}
    question = question_change(event)
    scores = view.scores
    result = data.get('result')
    if event.score is not None and isinstance(result, dict):
        scores = (*scores, Score(event.score, bool(result.get('is_good'))))[-MAX_SCORES:]
    return replace(
        view,
        events=(*view.events, event)[-MAX_EVENTS:],
        scores=scores,
        question=view.question if question is None else question.text,
        resumed_at=event.ts if 'lives' in data else view.resumed_at,
        **_stepping(data.get('parameters')),
    )


def _stepping(parameters: Any) -> dict[str, Any]:
    """Return `step` and `break_at` as a parameter event, of any client, sets them."""
    if not isinstance(parameters, dict):
        return {}
    fields: dict[str, Any] = {}
    step = parameters.get('executive.approval.step')
    break_at = parameters.get('executive.approval.break_at')
    if isinstance(step, bool):
        fields['step'] = step
    if isinstance(break_at, list):
        fields['break_at'] = tuple(one_line(str(name)) for name in break_at)
    return fields


def _lost(view: CurrentView, reason: str, clock: float) -> CurrentView:
    """Return the view without the reports of a lost executive; measurements stay."""
    since = view.since if view.presence == 'lost' else clock
    lost = CurrentView(presence='lost', lost_reason=reason, since=since)
    return replace(lost, events=view.events, scores=view.scores)
