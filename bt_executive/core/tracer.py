"""Collects the events of a tick and passes them to the sinks with a summary of the tree.

Within a tick the winning branch is not known yet; so events wait until the tick is over and then
carry the same summary (winning branch, tip, refusing guard) in `data.tree`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import itertools
from typing import Any

from bt_executive.core.executive_ports import TraceSink
from bt_executive.core.trace_fields import TraceData
from rover_common.trace_event import Kind, TraceEvent


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
