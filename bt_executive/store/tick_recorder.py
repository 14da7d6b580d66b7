"""What each tick was told and what it asked for: all that the same decisions can be made of again.

A tick to which nothing was told, and which changed nothing, leaves no line, so an idle executive
records no ticks but those of its telemetry. What such a quiet tick could still have changed is
what a leaf notes for itself because time has passed: so the first one after a tick that did
something has a line, and the last one before such a tick is named by it (docs/decisions/0033).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
import math
from typing import Any

from bt_executive.core.inputs import Input
from bt_executive.core.state import BrainState
from bt_executive.core.store_port import InputLine
from rover_common.clocks import Now


class Note(Enum):
    """The recorded lines that are no events of the inbox; named after port and method."""

    TICK = 'tick'  # nothing but time brought about what this tick did
    QUIET = 'tick.quiet'  # the times of the tick before, which had no line
    AWAKE = 'clock.awake_since'  # the process had stood still
    FAULT = 'recording.fault'  # something could not be recorded, which the trace tells
    TRACE = 'trace'  # the id of the latest event that the tick made
    SHUT_DOWN = 'shut_down'  # not a tick: the end of this process
    DROPPED = 'inbox.dropped'
    START = 'planner.start'
    POLL = 'planner.poll'
    GIVE = 'planner.give'
    CANCEL_PLANNER = 'planner.cancel'
    NEWS = 'planner.news'
    USE = 'planner.use'
    READY = 'robot.ready'
    SEND = 'robot.send'
    ADOPT = 'robot.adopt'
    CANCEL = 'robot.cancel'
    CANCEL_AGAIN = 'robot.cancel_again'
    PERMIT = 'robot.permit'
    STOP = 'robot.stop'
    READ = 'graph.read'
    READING = 'graph.result'
    READ_GOAL = 'goal.read'
    ASKED_FOR = 'goal.asks'
    DURABLE = 'store.durable'
    STORE = 'store.fault'
    GAP = 'recording.gap'  # so many lines are left out here
    BEGINS = 'store.begins'  # the number of this run, and what the previous one has left open


# What the executive asked for. The other notes, and the events, are what it was told.
ASKED = frozenset(
    {
        *(Note.START, Note.GIVE, Note.CANCEL_PLANNER),
        *(Note.SEND, Note.ADOPT, Note.CANCEL, Note.CANCEL_AGAIN),
        *(Note.PERMIT, Note.STOP, Note.READ, Note.READ_GOAL),
    }
)
DRAIN = 'inbox.drain'


def _nobody(_lines: Sequence[InputLine]) -> None:
    """Keeps nothing."""


class TickLog:
    """Takes what passes through the ports while a tick is under way. Lives in the tick thread.

    Attributes:
        keep: Takes the lines of a tick when it is over; must not block.
        count: Ticks with lines.
    """

    def __init__(self) -> None:
        self.keep: Callable[[Sequence[InputLine]], None] = _nobody
        self._lines: list[InputLine] = []  # of the tick under way
        self._now = Now.at(math.nan)
        self._last = Now.at(math.nan)  # of the latest tick with a line
        self._quiet: Now | None = None  # the latest tick, if it has none
        self._awake_since = -math.inf  # steady s
        self._calls: Counter[str] = Counter()
        self._open = self._written = False
        self._latest_event = ''
        self._acted = self._acts = False  # in the tick before, and in this one
        self._state: BrainState | None = None
        self.count = 0

    @property
    def is_open(self) -> bool:
        """Whether a tick is under way."""
        return self._open

    def begin(self, now: Now) -> None:
        """A tick begins."""
        self._now, self._open, self._written = now, True, False
        self._acted, self._acts = self._acts, False
        self._calls.clear()
        new = [each for each in now.standstills if each.end > self._awake_since]
        for nth, standstill in enumerate(new, 1):
            self._awake_since = standstill.end
            self.note(Note.AWAKE, {'since': standstill.end, 'length_s': standstill.length_s}, nth)

    def called(self, name: Note | str) -> int:
        """Counts a call of a port; returns how many of its kind there were in this tick."""
        key = name.value if isinstance(name, Note) else name
        self._calls[key] += 1
        return self._calls[key]

    def note(self, name: Note, fields: Any, nth: int = 1) -> None:
        """Takes what a port has said or was asked."""
        if name in ASKED:
            self._act()
        self._put(name.value, fields, nth)

    def drained(self, events: Sequence[Input]) -> None:
        """Takes what was in the inbox."""
        nth = self.called(DRAIN)
        for event in events:
            self._put(type(event).__name__, event, nth)

    def emitted(self, event_id: str) -> None:
        """The tick has made an event of the trace; the line of its tick stands before it."""
        self._latest_event = event_id
        self._act()

    def end(self, state: BrainState, moved: bool) -> None:
        """The tick has ended. `moved`: a status of the tree has changed."""
        if moved:
            self._act()
        if self._acted or state != self._state:
            self._be_there()
        self._state = state
        self._quiet = None if self._written else self._now
        if self._latest_event:
            self.note(Note.TRACE, {'latest': self._latest_event})
            self._latest_event = ''
        self._open = False
        self.hand_over()

    def hand_over(self) -> None:
        """Gives away the lines so far, also of a tick that has failed."""
        if self._lines:
            lines, self._lines = self._lines, []
            self.keep(lines)

    def _act(self) -> None:
        """The tick does something: from here on it matters what the tick before it was."""
        if not self._open or self._acts:
            return
        self._acts = True
        if self._quiet is not None:
            now = self._quiet
            self._put(
                Note.QUIET.value, {'ts': now.ros, 'robot': now.robot, 'steady': now.steady}, 1
            )
        self._be_there()

    def _be_there(self) -> None:
        if not self._written:
            self._put(Note.TICK.value, {}, 1)

    def _put(self, event: str, value: Any, nth: int) -> None:
        if not self._open:  # between two ticks nothing is decided
            return
        again = not self._written and _times(self._last) == _times(self._now)
        self.count += not self._written
        self._written, self._last = True, self._now
        self._lines.append(InputLine(self._now, event, value, nth, again))


def _times(now: Now) -> tuple[float, float, float]:
    return now.ros, now.robot, now.steady
