"""Above the rover: the mode, the last score in large letters, and what waits for a yes."""

from __future__ import annotations

from curiosity_viz.executive_mode_and_requests import ExecutiveReport
from curiosity_viz.markers import Marker, Point, text_marker
from curiosity_viz.palette import GREEN, GREY, ORANGE, SKY_BLUE, VERMILION, WHITE, YELLOW
from rover_common.geometry.transforms import Transform

NAMES = ('mode', 'score', 'approval')

MODE_COLOURS = {'SAFE': VERMILION, 'CHARGE': YELLOW, 'EXEC': SKY_BLUE, 'IDLE': WHITE}
MODE_M, SCORE_M, APPROVAL_M = 0.5, 1.2, 0.45  # height of a line
MODE_AT_M, SCORE_AT_M, APPROVAL_AT_M = 3.0, 4.1, 5.2  # above the ground, below the mast's reach
SPACING = 1.3


def markers(
    report: ExecutiveReport, score: float | None, good: float, rover: Transform | None
) -> list[Marker]:
    """`good`: the score from which on a picture is good. Without a rover: at the origin."""
    foot = (rover.x, rover.y, rover.z) if rover else (0.0, 0.0, 0.0)
    signs = [_mode(report, foot)]
    if score is not None:
        colour = GREEN if score >= good else ORANGE
        signs.append(
            text_marker('score', 0, f'{score:.2f}', _above(foot, SCORE_AT_M), SCORE_M, colour)
        )
    for number, request in enumerate(reversed(report.requests)):
        at = _above(foot, APPROVAL_AT_M + number * SPACING * APPROVAL_M)
        signs.append(text_marker('approval', number, request, at, APPROVAL_M, YELLOW))
    return signs


def _mode(report: ExecutiveReport, foot: Point) -> Marker:
    text = (
        f'{report.mode}: {report.reason}'
        if report.reason
        else report.mode or 'executive is silent'
    )
    colour = MODE_COLOURS.get(report.mode, GREY)
    return text_marker('mode', 0, text, _above(foot, MODE_AT_M), MODE_M, colour)


def _above(foot: Point, height: float) -> Point:
    return foot[0], foot[1], foot[2] + height
