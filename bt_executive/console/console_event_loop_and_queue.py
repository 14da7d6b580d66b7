"""The console's event loop, the queue of its events, and its view of the run.

One thread runs the loop and owns its state. Other threads (standard input, ROS) and signal
handlers only put events into the queue; the view is read from any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
import threading
import time

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
    LiveViewSetting,
    OpenGoals,
    PendingApprovals,
    Problem,
    ServiceReply,
    StreamedText,
)
from bt_executive.console.console_line_order_goals_and_exit import Repl
from bt_executive.console.trace_event_narrator import Narrator
from bt_executive.console.wait_for_executive import ExecutiveWatch
from bt_executive.view.run_clock import RunClock
from bt_executive.view.run_view import RunView
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

MOST_WAITING = 1000  # lines; then the reader of an endless pipe waits


class ConsoleInbox:
    """A queue of events, in which an interrupt precedes all others.

    Attributes:
        turns: How often the loop has asked for the next event.
    """

    def __init__(self) -> None:
        self.turns = 0
        self._events: SimpleQueue[ClientEvent | None] = SimpleQueue()
        self._interrupts: SimpleQueue[Interrupt] = SimpleQueue()
        self._unread = self._waiting = 0  # lines: in the queue, and taken out but not handled
        self._room = threading.Condition()

    def put(self, event: ClientEvent) -> None:
        """Puts an event, from any thread or signal handler, without acquiring a lock."""
        if isinstance(event, Interrupt):
            self._interrupts.put(event)
        self._events.put(event)  # of an interrupt this only wakes the loop

    def wake(self) -> None:
        """Wakes the loop without an event; from a signal handler, too."""
        self._events.put(None)

    def put_line(self, line: InputLine | EndOfInput) -> None:
        """Puts a line; blocks while `MOST_WAITING` lines wait before it."""
        with self._room:
            self._room.wait_for(lambda: self._unread + self._waiting < MOST_WAITING)
            self._unread += 1
        self._events.put(line)

    def set_waiting_lines(self, count: int) -> None:
        """Sets how many lines that were taken out still wait for their turn."""
        with self._room:
            self._waiting = count
            self._room.notify()

    def get(self, timeout_s: float) -> ClientEvent | None:
        """Returns the next event; None after the timeout, or if the loop was woken."""
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


class ViewStore:
    """Folds events into the view.

    Args:
        clock: Steady time in s.
        config: For the map, and whether the robot's time is simulated; None: unknown.
        system: System time in s. The run starts now, until the executive reports its start.

    Attributes:
        run: The view of the run.
        time: The clock of the run.
        whole: Whether the live view is shown with more than its first line.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        config: Config | None = None,
        system: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        simulated = config is not None and config.executive.use_sim_time
        self.time = RunClock(system, system(), simulated)
        self.run = RunView(config, clock())
        self.whole = True

    def apply(self, event: ClientEvent) -> None:
        """Applies an event."""
        if isinstance(event, LiveViewSetting):
            self.whole = event.whole
        self.time.apply(event)
        now = self.time.now
        self.run.apply(event, now, self._clock())
        if self.run.is_full:
            self.run = self.run.continued(now)


LOOP_S = 0.2  # at most between two checks of the processes; a process that ends wakes the loop


class ConsoleLoop:
    """Runs one conversation with the processes that it needs.

    Args:
        store: Applies every event first.
        inbox: The queue of the events.
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
        """Handles events until the conversation has ended; returns the exit code."""
        while self._repl.exit_code is None:
            next_event = self._inbox.get(LOOP_S)
            if next_event is not None:
                self._handle(next_event)
            self._inbox.set_waiting_lines(self._repl.waiting_lines)
            for event in self._watch.poll():
                self._handle(event)
            self._narrator.release_ends()
            self._repl.update()
            code = self._watch.exit_code()
            if code is not None:
                return code
        return self._repl.exit_code

    def _handle(self, event: ClientEvent) -> None:
        self._store.apply(event)
        match event:
            case InputLine(text):
                self._narrator.echo_line(text)
                self._repl.handle_line(text)
            case EndOfInput():
                self._repl.handle_end_of_input()
            case Interrupt():
                self._repl.handle_interrupt()
            case TraceEvent() | StreamedText() | PendingApprovals() | Problem():
                self._narrator.apply(event)
            case GoalAccepted(task_id, ticket):
                self._narrator.add_own_goal(task_id, ticket)
            case GoalEnded():
                self._narrator.hold_end(event)
            case ServiceReply():
                self._narrator.handle_reply(event)
            case OpenGoals():
                self._watch.report_open_goals(event)
            case ExecutiveReady():
                self._watch.handle_ready()
            case ExecutiveLost(reason):
                self._watch.handle_lost(reason)
            case ClientFailed(fault):
                raise fault  # a console that cannot stop the robot ends, which stops it
