"""Records the inputs and the requests of each tick, from which a replay repeats its decisions.

A tick without inputs and without changes leaves no line, so an idle executive records only the
ticks of its telemetry. Such a quiet tick can still change what a leaf stores for itself because
time has passed: so the first quiet tick after an active one has a line, and the line of an active
tick names the last quiet one before it (docs/decisions/0033).
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
from bt_executive.core.stored_names import stored_name
from rover_common.clocks import Now


class RecordKind(Enum):
    """Kinds of recorded lines besides inputs. The values are stored; named by port and method."""

    TICK = 'tick'  # the tick had no input
    QUIET = 'tick.quiet'  # the times of the previous tick, which has no line
    AWAKE = 'clock.awake_since'  # the process was suspended until then
    FAULT = 'recording.fault'  # something could not be recorded
    TRACE = 'trace'  # the id of the latest trace event of the tick
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
    GAP = 'recording.gap'  # the number of lines that are left out here
    BEGINS = 'store.begins'  # the number of this run, and the open goals of the previous one


# Requests of the executive. All other kinds, and the inputs, are given to it.
REQUEST_KINDS = frozenset(
    {
        *(RecordKind.START, RecordKind.GIVE, RecordKind.CANCEL_PLANNER),
        *(RecordKind.SEND, RecordKind.ADOPT, RecordKind.CANCEL, RecordKind.CANCEL_AGAIN),
        *(RecordKind.PERMIT, RecordKind.STOP, RecordKind.READ, RecordKind.READ_GOAL),
    }
)
DRAIN = 'inbox.drain'


def _discard(_lines: Sequence[InputLine]) -> None:
    """Default of `TickRecorder.write`."""


class TickRecorder:
    """Collects the calls of the ports during a tick. Used by the tick thread only.

    Attributes:
        write: Receives the lines of a tick at its end; must not block.
        tick_count: Number of ticks with lines.
    """

    def __init__(self) -> None:
        self.write: Callable[[Sequence[InputLine]], None] = _discard
        self._lines: list[InputLine] = []  # of the current tick
        self._now = Now.at(math.nan)
        self._last = Now.at(math.nan)  # of the latest tick with a line
        self._quiet: Now | None = None  # the previous tick, if it has no line
        self._awake_since = -math.inf  # steady s
        self._calls: Counter[str] = Counter()
        self._open = self._has_line = False
        self._latest_event = ''
        self._was_active = self._is_active = False  # the previous tick, and this one
        self._state: BrainState | None = None
        self.tick_count = 0

    @property
    def is_open(self) -> bool:
        """Whether a tick is in progress."""
        return self._open

    def begin_tick(self, now: Now) -> None:
        """Begins a tick."""
        self._now, self._open, self._has_line = now, True, False
        self._was_active, self._is_active = self._is_active, False
        self._calls.clear()
        new = [each for each in now.standstills if each.end > self._awake_since]
        for nth, standstill in enumerate(new, 1):
            self._awake_since = standstill.end
            fields = {'since': standstill.end, 'length_s': standstill.length_s}
            self.record(RecordKind.AWAKE, fields, nth)

    def count_call(self, name: RecordKind | str) -> int:
        """Counts a call of a port; returns the number of calls of its kind in this tick."""
        key = name.value if isinstance(name, RecordKind) else name
        self._calls[key] += 1
        return self._calls[key]

    def record(self, kind: RecordKind, fields: Any, nth: int = 1) -> None:
        """Records a request to a port, or its answer."""
        if kind in REQUEST_KINDS:
            self._set_active()
        self._append(kind.value, fields, nth)

    def record_inputs(self, inputs: Sequence[Input]) -> None:
        """Records the content of the inbox."""
        nth = self.count_call(DRAIN)
        for event in inputs:
            self._append(stored_name(event), event, nth)

    def record_event(self, event_id: str) -> None:
        """Records a trace event of the tick, whose first line precedes the event."""
        self._latest_event = event_id
        self._set_active()

    def end_tick(self, state: BrainState, changed: bool) -> None:
        """Ends the tick. `changed`: whether the status of a behaviour has changed."""
        if changed:
            self._set_active()
        if self._was_active or state != self._state:
            self._ensure_line()
        self._state = state
        self._quiet = None if self._has_line else self._now
        if self._latest_event:
            self.record(RecordKind.TRACE, {'latest': self._latest_event})
            self._latest_event = ''
        self._open = False
        self.flush()

    def flush(self) -> None:
        """Writes the lines so far, also those of a tick that has failed."""
        if self._lines:
            lines, self._lines = self._lines, []
            self.write(lines)

    def _set_active(self) -> None:
        """Marks the tick as active: a replay then needs the times of the tick before it."""
        if not self._open or self._is_active:
            return
        self._is_active = True
        if self._quiet is not None:
            now = self._quiet
            times = {'ts': now.ros, 'robot': now.robot, 'steady': now.steady}
            self._append(RecordKind.QUIET.value, times, 1)
        self._ensure_line()

    def _ensure_line(self) -> None:
        if not self._has_line:
            self._append(RecordKind.TICK.value, {}, 1)

    def _append(self, event: str, value: Any, nth: int) -> None:
        if not self._open:  # between two ticks nothing is decided
            return
        again = not self._has_line and _times(self._last) == _times(self._now)
        self.tick_count += not self._has_line
        self._has_line, self._last = True, self._now
        self._lines.append(InputLine(self._now, event, value, nth, again))


def _times(now: Now) -> tuple[float, float, float]:
    return now.ros, now.robot, now.steady
