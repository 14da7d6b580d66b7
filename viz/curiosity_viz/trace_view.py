"""The latest trace events, taken from text that may be anything."""

from __future__ import annotations

from collections import deque

from bt_executive.trace.event import TraceEvent, event_from_json


class TraceView:
    """Keeps the last `size` events and the last score that any of them told."""

    def __init__(self, size: int) -> None:
        self._events: deque[TraceEvent] = deque(maxlen=size)
        self.score: float | None = None

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """The events, oldest first."""
        return tuple(self._events)

    def take(self, text: str) -> str:
        """Takes the JSON of one event; for anything else a sentence that says what is wrong."""
        try:
            event = event_from_json(text)
        except ValueError as error:
            return f'A trace event was ignored: {error}'
        self._events.append(event)
        if event.score is not None:
            self.score = event.score
        return ''
