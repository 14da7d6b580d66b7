"""Shows received events to the operator, each once and in order.

The end of a goal is received from the action, its last steps from the trace: the end is held back
until the trace has reported it too, so that both are shown in order. The result of an answer to a
request is received from the service and from the trace: the first of them is shown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
import time
from typing import Any

from bt_executive.client.front_end_events import (
    GoalEnded,
    PendingApprovals,
    Problem,
    ServiceReply,
    StreamedText,
)
from bt_executive.client.front_end_requests import RESOLVE
from bt_executive.console.console_line_order_goals_and_exit import Repl
from bt_executive.console.console_output import Display
from bt_executive.view.current_presence_events_and_scores import question_change
from rover_common.trace_event import TraceEvent

MOST_RULINGS = 16
TRACE_LAG_S = 1.0  # after which the end of a goal is no longer held back


class Narrator:
    """Passes events of the executive to the conversation and the display.

    Args:
        repl: The conversation.
        display: The output.
        echo: Whether every typed line is shown.
        clock: Steady time in s.
    """

    def __init__(
        self,
        repl: Repl,
        display: Display,
        echo: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._repl = repl
        self._display = display
        self._echo = echo
        self._clock = clock
        self._held_ends: deque[tuple[GoalEnded, float]] = deque()  # with the time of their release
        # Tickets of this console's goals by their ids in the trace, which has not reported their
        # ends; None: that end was shown without it.
        self._own: dict[str, int | None] = {}
        # Rulings that either the reply or the trace has reported, but not both.
        self._reported_rulings: deque[str] = deque(maxlen=MOST_RULINGS)
        # Ends that the trace but not the action has reported, by ticket: time, and whether the
        # goal waited.
        self._traced_ends: dict[int, tuple[float, bool]] = {}

    def echo_line(self, text: str) -> None:
        """Shows a typed line, if it is to be echoed."""
        if self._echo and text.strip():
            self._display.echo(text)

    def add_own_goal(self, task_id: str, ticket: int) -> None:
        """Notes a goal of this console that was accepted."""
        self._own[task_id] = ticket

    def hold_end(self, end: GoalEnded) -> None:
        """Holds the end of a goal of this console until the trace has reported it, too."""
        self._held_ends.append((end, self._clock() + TRACE_LAG_S))

    def apply(self, event: TraceEvent | StreamedText | PendingApprovals | Problem) -> None:
        """Shows a received event."""
        match event:
            case TraceEvent() as trace_event:
                self._trace(trace_event)
            case StreamedText(kind, text):
                self._display.show_streamed_text(kind, text)
            case PendingApprovals(requests, _):
                self._repl.requests.set_pending(str(request.get('id')) for request in requests)
            case Problem(text):
                self._display.error(text)

    def handle_reply(self, reply: ServiceReply) -> None:
        """Passes a reply on, without a ruling that was shown already."""
        if reply.service == RESOLVE and self._is_repeated(reply.text):
            reply = replace(reply, ok=True, text='')
        self._repl.handle_reply(reply)

    def release_ends(self) -> None:
        """Passes on the ends that no longer have to be held back."""
        while self._held_ends:
            end, due = self._held_ends[0]
            traced = self._traced_ends.pop(end.ticket, None)
            if traced is None and self._clock() < due:
                return
            self._held_ends.popleft()
            if traced is None:
                self._own.update(
                    {each: None for each, of in self._own.items() if of == end.ticket}
                )
            ts, waited = traced or (None, False)
            self._repl.handle_goal_end(replace(end, ts=ts, waited=waited))

    def _trace(self, event: TraceEvent) -> None:
        question = question_change(event)
        if question is not None:
            self._repl.handle_question(question.text)
        data = event.data or {}
        if isinstance(data.get('approval'), dict) and self._is_reported(data['approval']):
            return
        if 'goal_ended' not in data:
            self._display.trace(event)
            return
        task_id = str(data.get('task_id'))
        if task_id not in self._own:
            self._display.trace(event)
            return
        ticket = self._own.pop(task_id)
        if ticket is not None:  # the action reports it, too
            self._traced_ends[ticket] = event.ts, bool(data.get('waited'))

    def _is_reported(self, approval: dict[str, Any]) -> bool:
        """Note the request or the ruling of a trace event; return whether it was shown already."""
        if 'ruling' in approval:
            return self._is_repeated(str(approval['ruling']))
        if 'id' in approval:
            self._repl.requests.add(str(approval['id']))
        return False

    def _is_repeated(self, ruling: str) -> bool:
        if ruling in self._reported_rulings:
            self._reported_rulings.remove(ruling)
            return True
        self._reported_rulings.append(ruling)
        return False
