"""Tells the operator what comes in: each thing once, and in its order.

The end of a goal comes by the action, its last steps by the trace: the end is held back until the
trace has told of it too, so that the operator reads both in their order. What became of an answer
to a request comes by the service and by the trace: the first of them tells it.
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
from bt_executive.client.typed_answers import RESOLVE
from bt_executive.console.console_output import Display
from bt_executive.console.repl import Repl
from bt_executive.view.current_view import question_change
from rover_common.trace_event import TraceEvent

RULINGS_KEPT = 16
TRACE_LAG_S = 1.0  # longest time that the end of a goal is held back


class Narrator:
    """Stands between what is heard of the executive, the conversation and the display.

    Args:
        echo: Show every line that was typed.
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
        self._held: deque[tuple[GoalEnded, float]] = deque()  # with the time of their release
        self._own: set[str] = set()  # goals of this console, by their names in the trace
        self._ruled: deque[str] = deque(maxlen=RULINGS_KEPT)  # told by answer or trace, not both
        # When, and whether they waited, of those not matched by the action yet.
        self._ends_traced: deque[tuple[float, bool]] = deque()

    def typed(self, text: str) -> None:
        """The operator has typed a line."""
        if self._echo and text.strip():
            self._display.echo(text)

    def accepted(self, task_id: str) -> None:
        """A goal of this console was accepted."""
        self._own.add(task_id)

    def ended(self, end: GoalEnded) -> None:
        """A goal of this console has ended; it is told once the trace has told it, too."""
        self._held.append((end, self._clock() + TRACE_LAG_S))

    def apply(self, event: TraceEvent | StreamedText | PendingApprovals | Problem) -> None:
        """Tells what was heard."""
        match event:
            case TraceEvent() as trace_event:
                self._trace(trace_event)
            case StreamedText(kind, text):
                self._display.show_piece(kind, text)
            case PendingApprovals(requests, _):
                self._repl.requests.wait(str(each.get('id')) for each in requests)
            case Problem(text):
                self._display.complain(text)

    def answered(self, answer: ServiceReply) -> None:
        """A question was answered."""
        if answer.service == RESOLVE and self._told_twice(answer.text):
            answer = replace(answer, ok=True, text='')
        self._repl.answered(answer)

    def release_ends(self) -> None:
        """Tells the ends that were held back and need not be any more."""
        while self._held and (self._ends_traced or self._held[0][1] <= self._clock()):
            end, _ = self._held.popleft()
            traced = self._ends_traced.popleft() if self._ends_traced else (None, False)
            self._repl.goal_ended(replace(end, ts=traced[0], waited=traced[1]))

    def _trace(self, event: TraceEvent) -> None:
        question = question_change(event)
        if question is not None:
            self._repl.operator_asked(question.text)
        data = event.data or {}
        if isinstance(data.get('approval'), dict) and self._is_told(data['approval']):
            return
        if 'goal_ended' not in data:
            self._display.trace(event)
            return
        if self._is_own(data.get('task_id', '')):  # the action tells it
            self._ends_traced.append((event.ts, bool(data.get('waited'))))
        else:
            self._display.trace(event)

    def _is_own(self, task_id: object) -> bool:
        """Whether a goal that ended was this console's; other clients have goals, too."""
        own = not task_id or task_id in self._own
        self._own.discard(str(task_id))
        return own

    def _is_told(self, approval: dict[str, Any]) -> bool:
        """Notes what a trace event says of a request; whether its answer has told it already."""
        if 'ruling' in approval:
            return self._told_twice(str(approval['ruling']))
        if 'id' in approval:
            self._repl.requests.show(str(approval['id']))
        return False

    def _told_twice(self, ruling: str) -> bool:
        if ruling in self._ruled:
            self._ruled.remove(ruling)
            return True
        self._ruled.append(ruling)
        return False
