"""What RViz shows, as plain values: bright zone, trace, last score, the rover's path.

Pure: the same scene gives the same markers with the same ids. Lengths in m, in the world frame
of topics.yaml; colours as red, green, blue, opacity from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bt_executive.settings import Thresholds
from bt_executive.trace.event import TraceEvent

Point = tuple[float, float, float]
Colour = tuple[float, float, float, float]
Key = tuple[str, int]

WHITE: Colour = (0.9, 0.9, 0.9, 1.0)
RED: Colour = (1.0, 0.35, 0.3, 1.0)
GREEN: Colour = (0.4, 0.95, 0.4, 1.0)
AMBER: Colour = (1.0, 0.75, 0.3, 1.0)
BLUE: Colour = (0.4, 0.7, 1.0, 1.0)
SUNLIGHT: Colour = (1.0, 0.95, 0.4, 0.35)

ZONE_WIDTH = 10.0
ZONE_THICKNESS = 0.02
LINE_HEIGHT = 0.3
BOARD: Point = (0.0, 4.0, 1.0)  # the lowest line of the trace, beside the rover's start
SCORE_HEIGHT = 1.2
SCORE_ABOVE_ROVER = 3.5
LONGEST_LINE = 110


@dataclass(frozen=True)
class Marker:
    """One marker; `name` and `number` together are its identity.

    `size` is a cube's edges; for text its third entry is the height of a letter, for a line the
    first one its width.
    """

    name: str
    number: int
    shape: Literal['cube', 'text', 'line']
    colour: Colour
    size: Point
    at: Point = (0.0, 0.0, 0.0)
    text: str = ''
    points: tuple[Point, ...] = ()

    @property
    def key(self) -> Key:
        """The marker's identity."""
        return self.name, self.number


@dataclass(frozen=True)
class Scene:
    """What there is to show. `rover` is None while its pose is unknown."""

    events: Sequence[TraceEvent] = ()
    score: float | None = None
    rover: Point | None = None
    path: tuple[Point, ...] = ()


def build_markers(scene: Scene, thresholds: Thresholds) -> tuple[Marker, ...]:
    """All markers of a scene."""
    return (
        _bright_zone(thresholds),
        *_trace(scene.events),
        *_score(scene, thresholds.quality.score_threshold),
        *_path(scene.path),
    )


def gone(before: Iterable[Marker], after: Iterable[Marker]) -> tuple[Key, ...]:
    """Identities that were shown before and must be deleted now."""
    left = {marker.key for marker in after}
    return tuple(marker.key for marker in before if marker.key not in left)


def event_line(event: TraceEvent) -> str:
    """One event on one line of bounded length, without control characters."""
    verdict = {True: 'ok', False: 'failed', None: ''}[event.ok]
    score = '' if event.score is None else f'score {event.score:.3g}'
    reason = f'({event.error_reason})' if event.error_reason else ''
    parts = (event.kind, event.tool_name or '', verdict, reason, score, event.message)
    text = ' '.join(part for part in parts if part)
    line = ' '.join(''.join(c if c.isprintable() else ' ' for c in text).split())
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + '…'


def _bright_zone(thresholds: Thresholds) -> Marker:
    first, last = sorted((thresholds.viz.bright_zone_x_min, thresholds.viz.bright_zone_x_max))
    return Marker(
        name='bright_zone',
        number=0,
        shape='cube',
        colour=SUNLIGHT,
        size=(max(last - first, ZONE_THICKNESS), ZONE_WIDTH, ZONE_THICKNESS),
        at=((first + last) / 2.0, 0.0, 0.0),
    )


def _trace(events: Sequence[TraceEvent]) -> list[Marker]:
    x, y, z = BOARD
    return [
        Marker(
            name='trace',
            number=number,
            shape='text',
            colour=_event_colour(event),
            size=(0.0, 0.0, LINE_HEIGHT),
            at=(x, y, z + number * 1.3 * LINE_HEIGHT),
            text=event_line(event),
        )
        for number, event in enumerate(reversed(events))
    ]


def _event_colour(event: TraceEvent) -> Colour:
    if event.kind == 'ERROR' or event.ok is False:
        return RED
    if event.kind == 'RESULT':
        return GREEN
    return AMBER if event.kind == 'ACT' else WHITE


def _score(scene: Scene, threshold: float) -> list[Marker]:
    if scene.score is None:
        return []
    x, y, z = scene.rover or (0.0, 0.0, 0.0)
    return [
        Marker(
            name='score',
            number=0,
            shape='text',
            colour=GREEN if scene.score >= threshold else AMBER,
            size=(0.0, 0.0, SCORE_HEIGHT),
            at=(x, y, z + SCORE_ABOVE_ROVER),
            text=f'{scene.score:.3g}',
        )
    ]


def _path(points: tuple[Point, ...]) -> list[Marker]:
    if len(points) < 2:
        return []
    return [Marker('path', 0, 'line', BLUE, (0.05, 0.0, 0.0), points=points)]
