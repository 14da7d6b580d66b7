"""The console's loop: events in, one at a time, until the conversation is over; and their queue.

One thread owns everything here. Other threads (standard input, ROS) and signal handlers only put
events into the queue.
"""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
import threading

from bt_executive.client.front_end_events import (
    ClientEvent,
    ClientFailed,
    EndOfInput,
    ExecutiveLost,
    ExecutiveReady,
    GoalAccepted,
    GoalEnded,
    InputLine,
    Interrupt,
    OpenGoals,
    PendingApprovals,
    Problem,
    ServiceReply,
    StreamedText,
)
from bt_executive.console.console_view import ViewStore
from bt_executive.console.narrator import Narrator
from bt_executive.console.repl import Repl
from bt_executive.console.wait_for_executive import ExecutiveWatch
from rover_common.trace_event import TraceEvent

MOST_WAITING = 1000  # lines; whoever reads a pipe without end waits then


class ConsoleInbox:
    """Events in their order, but an interrupt before all others.

    Attributes:
        turns: How often the loop has come round for the next event.
    """

    def __init__(self) -> None:
        self.turns = 0
        self._events: SimpleQueue[ClientEvent | None] = SimpleQueue()
        self._interrupts: SimpleQueue[Interrupt] = SimpleQueue()
        self._unread = self._kept = 0  # lines: in here, and taken out but not done
        self._room = threading.Condition()

    def put(self, event: ClientEvent) -> None:
        """Takes an event, from any thread and from a signal handler: no lock is taken here."""
        if isinstance(event, Interrupt):
            self._interrupts.put(event)
        self._events.put(event)  # of an interrupt this only wakes the loop

    def wake(self) -> None:
        """Lets the loop come round without an event; from a signal handler, too."""
        self._events.put(None)

    def put_when_there_is_room(self, line: InputLine | EndOfInput) -> None:
        """Takes a line of a thread that can wait; returns when not too many wait before it."""
        with self._room:
            self._room.wait_for(lambda: self._unread + self._kept < MOST_WAITING)
            self._unread += 1
        self._events.put(line)

    def keep(self, lines: int) -> None:
        """The loop has taken out so many lines that still wait for their turn."""
        with self._room:
            self._kept = lines
            self._room.notify()

    def get(self, timeout_s: float) -> ClientEvent | None:
        """The next event; None if there was none until then, or the loop was woken."""
        self.turns += 1
        with suppress(Empty):
            return self._interrupts.get_nowait()
        with suppress(Empty):
            event = self._events.get(timeout=timeout_s)
            if isinstance(event, Interrupt):
                return self._interrupts.get_nowait()
            if isinstance(event, (InputLine, EndOfInput)):
                with self._room:
                    self._unread = max(0, self._unread - 1)
            return event
        return None


LOOP_S = 0.2  # at most between two looks at the processes; a process that ends wakes the loop


class ConsoleSession:
    """Runs one conversation with the processes it needs.

    Args:
        store: Is told of every event first.
        inbox: Where events arrive.
    """

    def __init__(
        self,
        repl: Repl,
        narrator: Narrator,
        watch: ExecutiveWatch,
        store: ViewStore,
        inbox: ConsoleInbox,
    ) -> None:
        self._repl = repl
        self._narrator = narrator
        self._watch = watch
        self._store = store
        self._inbox = inbox

    def run(self) -> int:
        """Loops until the conversation is over; returns the exit code."""
        while self._repl.exit_code is None:
            next_event = self._inbox.get(LOOP_S)
            if next_event is not None:
                self._handle(next_event)
            self._inbox.keep(self._repl.waiting_lines)
            for event in self._watch.poll():
                self._handle(event)
            self._narrator.release_ends()
            self._repl.step()
            code = self._watch.exit_code()
            if code is not None:
                return code
        return self._repl.exit_code

    def _handle(self, event: ClientEvent) -> None:
        self._store.note(event)
        match event:
            case InputLine() | EndOfInput() | Interrupt():
                self._operator(event)
            case TraceEvent() | StreamedText() | PendingApprovals() | Problem():
                self._narrator.apply(event)
            case GoalAccepted(task_id):
                self._narrator.accepted(task_id)
            case GoalEnded():
                self._narrator.ended(event)
            case ServiceReply():
                self._narrator.answered(event)
            case OpenGoals():
                self._watch.found(event)
            case ExecutiveReady():
                self._watch.ready()
            case ExecutiveLost(reason):
                self._watch.lost(reason)
            case ClientFailed(fault):
                raise fault  # a console that cannot stop the robot ends, which stops it

    def _operator(self, event: InputLine | EndOfInput | Interrupt) -> None:
        match event:
            case InputLine(text):
                self._narrator.typed(text)
                self._repl.line(text)
            case EndOfInput():
                self._repl.end_of_input()
            case Interrupt():
                self._repl.interrupt()
