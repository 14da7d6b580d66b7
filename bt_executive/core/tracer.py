"""Collects the events of a tick and hands them to the sinks with a summary of the tree.

Within a tick nobody knows yet which branch will win; so events wait until the tick is over and
then carry the same summary (winning branch, tip, refusing guard) in `data.tree`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import itertools
from typing import Any

from bt_executive.core.executive_ports import TraceSink
from bt_executive.core.trace_fields import TraceData
from rover_common.trace_event import Kind, TraceEvent


class Tracer:
    """Makes events in the tick thread. `run_id` makes event ids unique between runs."""

    def __init__(
        self, run_id: str, sinks: Sequence[TraceSink], clock: Callable[[], float]
    ) -> None:
        self._run_id = run_id
        self._sinks = list(sinks)
        self._clock = clock
        self._numbers = itertools.count(1)
        self._waiting: list[dict[str, Any]] = []
        self._news: list[TraceEvent] = []

    @property
    def run_id(self) -> str:
        """Of this run of the executive."""
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
        """Adds an event by its fields."""
        self._waiting.append(fields)

    def drain(self) -> list[TraceEvent]:
        """Return the events that were handed over since the last time."""
        news, self._news = self._news, []
        return news

    def flush(self, summarise: Callable[[], dict[str, Any]] | None = None) -> None:
        """Hands over what was emitted since the last flush, with the tree as `summarise` gives it.

        A sink that fails gets nothing more, and the others are told so: the robot is not stopped
        because somebody cannot take notes.
        """
        waiting, self._waiting = self._waiting, []
        tree = summarise() if waiting and summarise else None
        for entry in waiting:
            if tree is not None:
                entry['data'] = {**(entry.get('data') or {}), 'tree': tree}
            event = TraceEvent(**entry)
            self._news.append(event)
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
