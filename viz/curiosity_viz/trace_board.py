"""The latest trace events, taken from text that may be anything, as lines on a board."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from curiosity_viz.markers import GREEN, ORANGE, VERMILION, WHITE, Marker, plain, text_marker
from rover_common.geometry.transforms import Transform
from rover_common.trace_event import TraceEvent, event_from_json

LONGEST_LINE = 72
MOST_LINES = 40

Tone = Literal['failed', 'result', 'act', 'other']
BOARD = ('trace',)
COLOURS = {'failed': VERMILION, 'result': GREEN, 'act': ORANGE, 'other': WHITE}
LINE_M = 0.3
SPACING = 1.2
BESIDE_M = (-3.0, 6.5, -0.5)  # the lowest line's middle, from the rover
STEP_M = 4.0  # distance of the rover from the board at which the board follows


@dataclass(frozen=True)
class TraceLine:
    """An event on one line of bounded length."""

    text: str
    tone: Tone


class TraceView:
    """Keeps the last `size` events as lines, but at most `MOST_LINES`, and the last score."""

    def __init__(self, size: int) -> None:
        self._lines: deque[TraceLine] = deque(maxlen=min(size, MOST_LINES))
        self.score: float | None = None

    @property
    def lines(self) -> tuple[TraceLine, ...]:
        """The events, oldest first."""
        return tuple(self._lines)

    def apply(self, text: str) -> TraceEvent:
        """Handle the JSON of one event.

        Raises:
            ValueError: It is none; the text names the field.
        """
        event = event_from_json(text)
        self._lines.append(line_of(event))
        score = score_of(event)
        self.score = self.score if score is None else score
        return event


def score_of(event: TraceEvent) -> float | None:
    """The score of an event, if it has one: from 0 to 1."""
    return event.score if event.score is not None and 0.0 <= event.score <= 1.0 else None


def line_of(event: TraceEvent) -> TraceLine:
    """The text of an event, without repetitions."""
    message, score = event.message, score_of(event)
    tool, reason = event.tool_name or '', event.error_reason or ''
    parts = (
        event.kind,
        '' if message.startswith(tool) else f'{tool}:',
        message or ('failed' if event.ok is False else ''),
        '' if reason in message else f'({reason})',
        '' if score is None or 'score' in message else f'score {score:.2f}',
    )
    text = ' '.join(plain(part, LONGEST_LINE) for part in parts if part)
    return TraceLine(plain(text, LONGEST_LINE), _tone(event))


def _tone(event: TraceEvent) -> Tone:
    if event.kind == 'ERROR' or event.ok is False:
        return 'failed'
    if event.kind == 'RESULT':
        return 'result'
    return 'act' if event.kind == 'ACT' else 'other'


def board_markers(lines: Sequence[TraceLine], rover: Transform | None) -> list[Marker]:
    """Number 0 is the newest line."""
    x, y = (_stepped(rover.x), _stepped(rover.y)) if rover else (0.0, 0.0)
    ahead, left, up = BESIDE_M
    return [
        text_marker(
            'trace',
            number,
            line.text,
            (x + ahead, y + left, up + number * SPACING * LINE_M),
            LINE_M,
            COLOURS[line.tone],
        )
        for number, line in enumerate(reversed(lines))
    ]


def _stepped(coordinate: float) -> float:
    return round(coordinate / STEP_M) * STEP_M
