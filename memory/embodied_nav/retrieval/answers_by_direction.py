"""Answers by compass direction: how far to it things lie, and which one is farthest. Pure."""

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


def farthest_first(direction: str, nodes: Iterable[Node]) -> list[Node]:
    """Return nodes, the farthest in a direction first."""
    return sorted(nodes, key=lambda node: -distance_along(direction, node.position))


def farthest_hit(direction: str, hits: Sequence[Hit]) -> Recall:
    """Return the hit farthest in a direction; AMBIGUOUS if two are as far, or of two maps."""
    ordered = sorted(hits, key=lambda hit: -distance_along(direction, hit.position))
    best = ordered[0]
    ties = [
        hit
        for hit in ordered[1:]
        if (hit.frame_id, hit.map_epoch) != (best.frame_id, best.map_epoch)
        or distance_along(direction, best.position) - distance_along(direction, hit.position)
        < APART_M
    ]
    if ties:
        reason = f'As far {direction}: {named([best, *ties])}. Say which one is meant.'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(ordered))
    reason = f'{located(best)}, the farthest {direction} of {len(hits)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(ordered))


def distance_along(direction: str, position: Position) -> float:
    """Return how far a place lies in a direction, m."""
    angle = math.radians(_ANGLES[direction])
    return position[0] * math.cos(angle) + position[1] * math.sin(angle)


def angle_off(direction: str, landmark: Position, place: Position) -> float:
    """Return the angle between a direction from a landmark and the bearing of a place, rad."""
    bearing = math.atan2(place[1] - landmark[1], place[0] - landmark[0])
    return abs(math.remainder(bearing - math.radians(_ANGLES[direction]), math.tau))
