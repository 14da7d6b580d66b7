"""What is known at this moment: one value, immutable, and how each event changes it. Pure."""

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
    StateSeen,
    SteppingSeen,
    StreamedText,
    Waiting,
)
from bt_executive.client.tree_fold import TreeNode
from bt_executive.core.state import BrainState
from rover_common.trace_event import TraceEvent

EVENTS_KEPT = 500
SCORES_KEPT = 200
WORDS_KEPT = 400  # characters of the end of what the model is saying

Presence = Literal['starting', 'ready', 'quiet', 'lost']


@dataclass(frozen=True)
class Score:
    """A scored picture: brightness 0 to 1."""

    value: float
    is_good: bool


@dataclass(frozen=True)
class CurrentView:
    """Everything that can be shown.

    Attributes:
        why: How the executive was lost.
        since: Steady seconds at which `presence` began.
        state: The executive's; None until it is heard, and when it is gone.
        now: ROS seconds of `state`.
        queue: Id and text of the goals that have not ended; the first one may be under way.
        requests: For approval, as on ~/approvals.
        ahead: System time less steady time in s; requests expire in system time.
        words: The end of what the model is saying at this moment.
        question: What the operator is asked and has not answered, if anything.
        step: Whether each proposal waits for a human.
        resumed_at: When this run took over what the one before had left, ROS s; None: not heard.
        break_at: Names of tools, guards and outcomes at which one waits.
    """

    presence: Presence = 'starting'
    why: str = ''
    since: float = 0.0
    state: BrainState | None = None
    now: float = 0.0
    tree: TreeNode | None = None
    queue: tuple[tuple[str, str], ...] = ()
    requests: tuple[Mapping[str, Any], ...] = ()
    ahead: float = 0.0
    events: tuple[TraceEvent, ...] = ()
    scores: tuple[Score, ...] = ()
    words: str = ''
    question: str | None = None
    resumed_at: float | None = None
    step: bool = False
    break_at: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenQuestion:
    """What the operator is asked from now on; None: nothing any more."""

    text: str | None


def seen(view: CurrentView, event: ClientEvent, clock: float) -> CurrentView:
    """The view after something happened. `clock`: steady seconds."""
    match event:
        case TraceEvent() as trace_event:
            return _traced(view, trace_event)
        case StreamedText('end', _):
            return replace(view, words='')
        case StreamedText(_, text):
            return replace(view, words=(view.words + text)[-WORDS_KEPT:])
        case StateSeen(state, now):
            return replace(view, state=state, now=now, question=state.hci.question or None)
        case TreeNode() as root:
            return replace(view, tree=root)
        case Waiting(requests, now):
            return replace(view, requests=requests, ahead=now - clock)
        case SteppingSeen(step, break_at):
            return replace(view, step=step, break_at=break_at)
        case ExecutiveReady():
            return replace(view, presence='ready', why='', since=clock)
        case ExecutiveQuiet(quiet) if view.presence in ('ready', 'quiet'):
            return replace(view, presence='quiet' if quiet else 'ready')
        case ExecutiveLost(reason):
            return _lost(view, reason, clock)
        case ClientFailed(fault):
            return _lost(view, f'The connection to ROS is lost: {fault!r}', clock)
    return view


def question_in(event: TraceEvent) -> OpenQuestion | None:
    """What an event makes of the question to the operator; None if it is about none."""
    data = event.data or {}
    if 'question' in data:
        return OpenQuestion(str(data['question']))
    ended = event.tool_name == 'ask_operator' and event.kind in ('RESULT', 'ERROR')
    over = ended or ('goal_ended' in data and not data.get('waited'))
    return OpenQuestion(None) if over else None


def _traced(view: CurrentView, event: TraceEvent) -> CurrentView:
    data = event.data or {}
    question = question_in(event)
    scores = view.scores
    result = data.get('result')
    if event.score is not None and isinstance(result, dict):
        scores = (*scores, Score(event.score, bool(result.get('is_good'))))[-SCORES_KEPT:]
    return replace(
        view,
        events=(*view.events, event)[-EVENTS_KEPT:],
        scores=scores,
        question=view.question if question is None else question.text,
        resumed_at=event.ts if 'lives' in data else view.resumed_at,
        **_stepping(data.get('parameters')),
    )


def _stepping(parameters: Any) -> dict[str, Any]:
    """What a change of parameters, by anybody, means for step and breakpoints."""
    if not isinstance(parameters, dict):
        return {}
    names = {'executive.approval.step': 'step', 'executive.approval.break_at': 'break_at'}
    found = {names[key]: value for key, value in parameters.items() if key in names}
    if 'break_at' in found:
        found['break_at'] = tuple(map(str, found['break_at']))
    return found


def _lost(view: CurrentView, why: str, clock: float) -> CurrentView:
    """What an executive that is gone reported means nothing; what was measured stays."""
    since = view.since if view.presence == 'lost' else clock
    gone = CurrentView(presence='lost', why=why, since=since)
    return replace(gone, events=view.events, scores=view.scores)
