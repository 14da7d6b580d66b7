"""What the executive reports of itself, made fit to be drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curiosity_viz.drawable_text import plain
from rover_common.call_text import format_call

SILENT_AFTER_S = 2.0  # ~/state is published at every heartbeat while it has subscribers
LONGEST_LINE = 60
MOST_REQUESTS = 3
MODES = ('IDLE', 'EXEC', 'CHARGE', 'SAFE')


@dataclass(frozen=True)
class ExecutiveReport:
    """The mode, why, and what waits for a human's yes; `mode` is empty while it is silent."""

    mode: str = ''
    reason: str = ''
    requests: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """A tool call that waits for a human's answer."""

    request_id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


class ExecutiveView:
    """Keeps the latest report. Times are steady seconds."""

    def __init__(self) -> None:
        self._mode = self._reason = ''
        self._received_at = 0.0
        self._requests: tuple[str, ...] = ()

    def update_state(self, mode: str, reason: str, now: float) -> None:
        """Update the mode and its reason.

        Raises:
            ValueError: There is no such mode; the last one holds.
        """
        if mode not in MODES:
            raise ValueError(f'mode is {mode!r:.40}; it can be {", ".join(MODES)}')
        self._mode, self._reason = mode, plain(reason, LONGEST_LINE)
        self._received_at = now

    def update_requests(self, requests: Sequence[Request]) -> None:
        """Replace the waiting requests."""
        more = len(requests) - MOST_REQUESTS
        lines = [_format_request(each) for each in requests[:MOST_REQUESTS]]
        self._requests = (*lines, f'and {more} more') if more > 0 else tuple(lines)

    def report(self, now: float) -> ExecutiveReport:
        """Return the current report. A silent executive has no requests."""
        if not self._mode or now - self._received_at > SILENT_AFTER_S:
            return ExecutiveReport()
        return ExecutiveReport(self._mode, self._reason, self._requests)


def _format_request(request: Request) -> str:
    call = format_call(request.tool, request.arguments)
    return plain(f'Approve? {plain(request.request_id, 12)}: {call}', LONGEST_LINE)
