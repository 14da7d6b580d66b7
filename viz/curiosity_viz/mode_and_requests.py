"""Signs above the rover: the mode and waiting requests of the executive, and the last score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curiosity_viz.markers import (
    GREEN,
    GREY,
    ORANGE,
    SKY_BLUE,
    VERMILION,
    WHITE,
    YELLOW,
    Marker,
    Point,
    above,
    plain,
    text_marker,
)
from rover_common.call_text import format_call
from rover_common.geometry.transforms import Transform

SILENT_AFTER_S = 2.0  # ~/state is published at every heartbeat while it has subscribers
LONGEST_LINE = 60
MOST_REQUESTS = 3
MODES = ('IDLE', 'EXEC', 'CHARGE', 'SAFE')
SIGNS = ('mode', 'score', 'approval')
MODE_COLOURS = {'SAFE': VERMILION, 'CHARGE': YELLOW, 'EXEC': SKY_BLUE, 'IDLE': WHITE}
MODE_M, SCORE_M, APPROVAL_M = 0.5, 1.2, 0.45  # height of a line
MODE_AT_M, SCORE_AT_M, APPROVAL_AT_M = 3.0, 4.1, 5.2  # above the ground, below the mast's reach
SPACING = 1.3


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


def sign_markers(
    report: ExecutiveReport, score: float | None, good: float, rover: Transform | None
) -> list[Marker]:
    """`good`: the score from which on a picture is good. Without a rover: at the origin."""
    foot = (rover.x, rover.y, rover.z) if rover else (0.0, 0.0, 0.0)
    signs = [_mode(report, foot)]
    if score is not None:
        colour = GREEN if score >= good else ORANGE
        signs.append(
            text_marker('score', 0, f'{score:.2f}', above(foot, SCORE_AT_M), SCORE_M, colour)
        )
    for number, request in enumerate(reversed(report.requests)):
        at = above(foot, APPROVAL_AT_M + number * SPACING * APPROVAL_M)
        signs.append(text_marker('approval', number, request, at, APPROVAL_M, YELLOW))
    return signs


def _mode(report: ExecutiveReport, foot: Point) -> Marker:
    text = (
        f'{report.mode}: {report.reason}'
        if report.reason
        else report.mode or 'executive is silent'
    )
    colour = MODE_COLOURS.get(report.mode, GREY)
    return text_marker('mode', 0, text, above(foot, MODE_AT_M), MODE_M, colour)
