"""Answers by sides of the compass: how far to one things lie, and what lies farthest. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math

from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import Position
from embodied_nav.question_and_outcome import Hit, Recall, RecallOutcome
from embodied_nav.retrieval.answer_verdict import APART_M, located, named

_ANGLES = {
    'east': 0, 'northeast': 45, 'north': 90, 'northwest': 135,
    'west': 180, 'southwest': 225, 'south': 270, 'southeast': 315,
}  # fmt: skip


def outermost_first(side: str, nodes: Iterable[Node]) -> list[Node]:
    """Return nodes, the farthest to a side first."""
    return sorted(nodes, key=lambda node: -along(side, node.position))


def outermost(side: str, fits: Sequence[Hit]) -> Recall:
    """The answer that lies farthest to a side; two as far, or of two maps, are a question."""
    ordered = sorted(fits, key=lambda hit: -along(side, hit.position))
    best = ordered[0]
    as_far = [
        hit
        for hit in ordered[1:]
        if (hit.frame_id, hit.map_epoch) != (best.frame_id, best.map_epoch)
        or along(side, best.position) - along(side, hit.position) < APART_M
    ]
    if as_far:
        reason = f'As far {side}: {named([best, *as_far])}. Say which one is meant.'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(ordered))
    reason = f'{located(best)}, the farthest {side} of {len(fits)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(ordered))


def along(side: str, position: Position) -> float:
    """Return how far a place lies to a side, m."""
    angle = math.radians(_ANGLES[side])
    return position[0] * math.cos(angle) + position[1] * math.sin(angle)


def off_side(side: str, mark: Position, place: Position) -> float:
    """Return by how much a place lies off that side of a landmark, rad."""
    bearing = math.atan2(place[1] - mark[1], place[0] - mark[0])
    return abs(math.remainder(bearing - math.radians(_ANGLES[side]), math.tau))
