"""The last trace events as lines of text, the newest lowest, on a board that goes along."""

from __future__ import annotations

from collections.abc import Sequence

from curiosity_viz.markers import Marker, text_marker
from curiosity_viz.palette import GREEN, ORANGE, VERMILION, WHITE
from curiosity_viz.trace_lines import TraceLine
from rover_common.geometry.transforms import Transform

NAMES = ('trace',)

COLOURS = {'failed': VERMILION, 'result': GREEN, 'act': ORANGE, 'other': WHITE}
LINE_M = 0.3
SPACING = 1.2
BESIDE_M = (-3.0, 6.5, -0.5)  # the lowest line's middle, from the rover
STEP_M = 4.0  # distance of the rover from the board at which the board follows


def markers(lines: Sequence[TraceLine], rover: Transform | None) -> list[Marker]:
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
