"""The trace: the fields of its events in one list, and the tracer that passes events to sinks.

The trace is one of the two vocabularies of the executive; the other one are the inputs
(`inputs.py`). Store, view and report read the keys of `TraceData` and no others. mypy refuses to
emit any other; docs/trace.md shows the events that have them. Within a tick the winning branch is
not known yet; so events wait until the tick is over and then carry the same summary of the tree
(winning branch, tip, refusing guard) in `data.tree`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
import itertools
from typing import Any, TypedDict

from bt_executive.core.executive_ports import TraceSink
from bt_executive.core.goal_queue import Proposer
from rover_common.trace_event import Kind, TraceEvent


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


class Tracer:
    """Makes trace events, in the tick thread. `run_id` makes their ids unique between runs."""

    def __init__(
        self, run_id: str, sinks: Sequence[TraceSink], clock: Callable[[], float]
    ) -> None:
        self._run_id = run_id
        self._sinks = list(sinks)
        self._clock = clock
        self._numbers = itertools.count(1)
        self._waiting: list[dict[str, Any]] = []
        self._flushed: list[TraceEvent] = []

    @property
    def run_id(self) -> str:
        """The id of this run of the executive."""
        return self._run_id

    def emit(
        self,
        kind: Kind,
        message: str,
        *,
        tool_name: str | None = None,
        ok: bool | None = None,
        error_reason: str | None = None,
        score: float | None = None,
        data: TraceData | None = None,
    ) -> None:
        """Adds an event."""
        event_id = f'{self._run_id}-{next(self._numbers):06d}'
        self.add(
            {
                'event_id': event_id,
                'ts': self._clock(),
                'kind': kind,
                'message': message,
                'tool_name': tool_name,
                'ok': ok,
                'error_reason': error_reason,
                'score': score,
                'data': data,
            }
        )

    def add(self, fields: dict[str, Any]) -> None:
        """Adds an event with given fields."""
        self._waiting.append(fields)

    def drain(self) -> list[TraceEvent]:
        """Returns the events that were flushed since the last call of this method."""
        events, self._flushed = self._flushed, []
        return events

    def flush(self, summarise: Callable[[], dict[str, Any]] | None = None) -> None:
        """Passes the waiting events to the sinks, with the tree's summary by `summarise`.

        A sink that fails is removed, which is an event for the others: a fault of the recording
        must not stop the robot.
        """
        waiting, self._waiting = self._waiting, []
        tree = summarise() if waiting and summarise else None
        for entry in waiting:
            if tree is not None:
                entry['data'] = {**(entry.get('data') or {}), 'tree': tree}
            event = TraceEvent(**entry)
            self._flushed.append(event)
            for sink in tuple(self._sinks):
                try:
                    sink.emit(event)
                except Exception as error:  # whatever a sink raises, the tick goes on
                    self._sinks.remove(sink)
                    self.emit(
                        'ERROR',
                        f'{type(sink).__name__} gets no more events: it failed on '
                        f'{event.event_id} with {error!r}',
                    )


REMEMBERED = frozenset({'RESULT', 'ERROR'})


class MemorySink:
    """Keeps the last `size` results and errors."""

    def __init__(self, size: int) -> None:
        self._lines: deque[str] = deque(maxlen=size)

    def emit(self, event: TraceEvent) -> None:
        """Keeps the event, if it is a result or an error."""
        if event.kind in REMEMBERED:
            self._lines.append(event.message)

    def lines(self) -> tuple[str, ...]:
        """Returns the lines, oldest first."""
        return tuple(self._lines)
