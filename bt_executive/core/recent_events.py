"""The latest results and errors, one line each, for the planner."""

from __future__ import annotations

from collections import deque

from rover_common.trace_event import TraceEvent

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
