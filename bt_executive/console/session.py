"""The console's loop: events in, one at a time, until the conversation is over.

One thread owns everything here. Other threads (standard input, ROS) and signal handlers only put
events into the queue.

The end of a goal comes by the action, its last steps by the trace: the end is held back until the
trace has told of it too, so that the operator reads both in their order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
import time
from typing import Any, Protocol

from bt_executive.client.approvals import RESOLVE
from bt_executive.client.events import (
    Answered,
    ClientEvent,
    ClientFailed,
    EndOfInput,
    ExecutiveLost,
    ExecutiveReady,
    GoalAccepted,
    GoalEnded,
    Heard,
    InputLine,
    Interrupt,
    MessageRefused,
    RecordingFailed,
    Traced,
    Waiting,
)
from bt_executive.console.display import Display
from bt_executive.console.own_command import own_command
from bt_executive.console.repl import NOT_REACHED, Repl
from bt_executive.console.view import question_in
from bt_executive.console.view_store import ViewStore
from bt_executive.launching.nodes import EXECUTIVE
from bt_executive.launching.supervisor import SupervisorNotice
from rover_common.errors import UNUSABLE
from rover_common.printable import sendable
from rover_common.trace_event import TraceEvent

LOOP_S = 0.1  # longest time between two looks at the processes
RULINGS_KEPT = 16
TRACE_LAG_S = 1.0  # longest time that the end of a goal is held back
READY_LIMIT_S = 60.0  # from start to an executive that answers; measured 4 s, 20 s under load


class Link(Protocol):
    """What the loop asks of the ROS side, besides what the conversation asks of it."""

    def executive_died(self) -> None:
        """Told that the executive's process is gone: believe nothing heard of it before."""


class Processes(Protocol):
    """What the loop asks of `launching.supervisor.Supervisor`."""

    def watch(self) -> list[SupervisorNotice]:
        """What happened to them since the last call; starts again what is due. Never waits."""


class ConsoleSession:
    """Runs one conversation with the processes it needs.

    Args:
        store: Is told of every event first.
        inbox: Where events arrive.
        patient: Wait for an absent executive without end, as an operator at a terminal can.
        echo: Show every line that was typed.
    """

    def __init__(
        self,
        repl: Repl,
        display: Display,
        supervisor: Processes,
        link: Link,
        store: ViewStore,
        inbox: SimpleQueue[ClientEvent],
        patient: bool,
        echo: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._repl = repl
        self._display = display
        self._supervisor = supervisor
        self._link = link
        self._store = store
        self._inbox = inbox
        self._patient = patient
        self._echo = echo
        self._clock = clock
        self._absent_since: float | None = clock()
        self._held: deque[tuple[GoalEnded, float]] = deque()  # with the time of their release
        self._hopeless: int | None = None  # exit code, if the executive will not come back
        self._own: set[str] = set()  # goals of this console, by their names in the trace
        self._ruled: deque[str] = deque(maxlen=RULINGS_KEPT)  # told by answer or trace, not both
        self._ends_traced = 0  # that were not matched by the action yet

    def run(self) -> int:
        """Loops until the conversation is over; returns the exit code."""
        while self._repl.exit_code is None:
            with suppress(Empty):
                self._handle(self._inbox.get(timeout=LOOP_S))
            self._look_at_processes()
            self._release_ends()
            self._repl.step()
            if self._hopeless is not None:
                return self._hopeless
            if self._waited_too_long():
                return NOT_REACHED
        return self._repl.exit_code

    def _handle(self, event: ClientEvent) -> None:
        self._store.note(event)
        match event:
            case InputLine() | EndOfInput() | Interrupt():
                self._operator(event)
            case Traced() | Heard() | Waiting():
                self._hear(event)
            case GoalAccepted(task_id):
                self._own.add(task_id)
            case GoalEnded():
                self._held.append((event, self._clock() + TRACE_LAG_S))
            case Answered():
                self._answered(event)
            case ExecutiveReady():
                self._absent_since = None
                self._display.say('The executive is ready')
                self._repl.executive_ready()
            case ExecutiveLost(reason):
                self._lost(reason)
            case RecordingFailed(reason):
                self._display.complain(reason)
            case MessageRefused(topic, reason):
                self._display.complain(f'A message on {topic} is refused: {reason}')
            case ClientFailed(fault):
                raise fault  # a console that cannot stop the robot ends, which stops it

    def _operator(self, event: InputLine | EndOfInput | Interrupt) -> None:
        match event:
            case InputLine(text):
                self._line(text)
            case EndOfInput():
                self._repl.end_of_input()
            case Interrupt():
                self._repl.interrupt()

    def _line(self, text: str) -> None:
        if self._echo and text.strip():
            self._display.echo(text)
        self._repl.line(sendable(text))

    def _hear(self, event: Traced | Heard | Waiting) -> None:
        match event:
            case Traced(trace_event):
                self._trace(trace_event)
            case Heard(kind, text):
                self._display.hear(kind, text)
            case Waiting(requests, _):
                self._repl.requests.wait(str(each.get('id')) for each in requests)

    def _trace(self, event: TraceEvent) -> None:
        question = question_in(event)
        if question is not None:
            self._repl.operator_asked(question.text)
        data = event.data or {}
        if isinstance(data.get('approval'), dict) and self._is_told(data['approval']):
            return
        if 'goal_ended' not in data:
            self._display.trace(event)
            return
        own = self._is_own(data.get('task_id', ''))
        self._ends_traced += own
        if not own or data.get('waited'):  # else the action tells it
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

    def _answered(self, answer: Answered) -> None:
        if answer.question == RESOLVE and self._told_twice(answer.text):
            answer = replace(answer, ok=True, text='')
        self._repl.answered(answer)

    def _told_twice(self, ruling: str) -> bool:
        if ruling in self._ruled:
            self._ruled.remove(ruling)
            return True
        self._ruled.append(ruling)
        return False

    def _release_ends(self) -> None:
        while self._held and (self._ends_traced or self._held[0][1] <= self._clock()):
            self._ends_traced = max(0, self._ends_traced - 1)
            self._repl.goal_ended(self._held.popleft()[0])

    def _look_at_processes(self) -> None:
        for notice in self._supervisor.watch():
            if not notice.died:
                self._display.say(notice.text)
                continue
            self._display.complain(notice.text)
            if notice.name == EXECUTIVE:
                self._link.executive_died()
                if notice.for_good:
                    self._hopeless = UNUSABLE if notice.unusable else NOT_REACHED
                self._handle(ExecutiveLost('The executive ended while it pursued the goal.'))

    def _lost(self, reason: str) -> None:
        if self._absent_since is None:
            self._absent_since = self._clock()
            self._display.complain('The executive does not answer; waiting until it is back')
        self._repl.executive_lost(reason)

    def _waited_too_long(self) -> bool:
        if self._absent_since is None or self._clock() - self._absent_since < READY_LIMIT_S:
            return False
        self._display.complain(
            f'The executive did not answer for {READY_LIMIT_S:.0f} s. Its log says why; '
            f'`{own_command()} doctor` says what is missing.'
        )
        self._absent_since = self._clock()
        return not self._patient
