"""Checks with the detector whether a thing is still at its remembered position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
import math

from embodied_nav.node_changes import is_a_name
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Position
from embodied_nav.percepts import Detections, Percept

GATE_M = 1.0  # distance, or the radius of the thing, within which a detection is at the position
TOO_NEAR_M = 1.5  # nearer things may be below the field of view


class Verdict(Enum):
    """The result of a check; the values are error codes on the wire."""

    SEEN = ''
    GONE = 'MEMORY_GONE'  # it was in view often enough, and was not detected
    NOT_IN_VIEW = 'MEMORY_NOT_IN_VIEW'  # not known


@dataclass(frozen=True)
class FieldOfView:
    """Where the detector reliably detects things: m, and rad to each side of the heading.

    `looks`: after so many detection messages in view without the thing, it is gone.
    """

    view_m: float
    half_view_rad: float
    looks: int


@dataclass(frozen=True)
class PresenceResult:
    """The result.

    `position`: m in the map frame, where it was seen; if it was not, where the memory has it.
    `distance_m`: from the rover to it; -1: not known.
    """

    verdict: Verdict
    sentence: str
    looks: int
    position: Position
    distance_m: float = -1.0


class PresenceCheck:
    """Checks one place. Detections from before its start do not count.

    Args:
        node: The remembered node.
        view: The field of view of the detector.
        start: Its start, s of the system's time.
    """

    def __init__(self, node: Node, view: FieldOfView, start: float) -> None:
        self._node, self._view, self._start = node, view, start
        self._counted_ids: set[str] = set()  # ids: a repeated message counts once
        self._distance = -1.0
        self._reason = 'no look of the detector came'

    def add(self, detections: Detections) -> PresenceResult | None:
        """Count a message; returns the result as soon as there is one."""
        if detections.stamp < self._start or detections.array_id in self._counted_ids:
            return None
        self._distance = _distance(detections, self._node.position)
        if any(
            self._matches(each.name, detections.position_of(each)) for each in detections.percepts
        ):
            self._counted_ids.add(detections.array_id)
            return self._result(Verdict.SEEN, f'{self._node.name} is there')
        if moved := next(filter(self._is_the_same, detections.percepts), None):
            self._counted_ids.add(detections.array_id)
            return self._moved_to(detections.position_of(moved), detections)
        self._reason = self._not_in_view(detections)
        if not self._reason:
            self._counted_ids.add(detections.array_id)
        if len(self._counted_ids) >= self._view.looks:
            distance = f'{self._distance:.1f} m'
            what = f'{self._node.name} is not there: it was not seen'
            sentence = f'{what} in {self._counted_looks} from {distance}'
            return self._result(Verdict.GONE, sentence)
        return None

    def end(self) -> PresenceResult:
        """Return the result when the time is over."""
        reason = self._reason or f'only {self._counted_looks} of it came'
        sentence = f'Whether {self._node.name} is there cannot be said: {reason}'
        return self._result(Verdict.NOT_IN_VIEW, sentence)

    @property
    def _counted_looks(self) -> str:
        count = len(self._counted_ids)
        return f'{count} look{"s" * (count != 1)}'

    def _result(self, verdict: Verdict, sentence: str) -> PresenceResult:
        distance, looks = round(self._distance, 2), len(self._counted_ids)
        return PresenceResult(verdict, sentence, looks, self._node.position, distance)

    def _moved_to(self, place: Position, detections: Detections) -> PresenceResult:
        """Return the result for a thing that is at another place, where the memory has it now."""
        self._distance = _distance(detections, place)
        x, y, _ = place
        sentence = f'{self._node.name} was moved: it is at x {x:.1f} m, y {y:.1f} m'
        return replace(self._result(Verdict.SEEN, sentence), position=place)

    def _is_the_same(self, percept: Percept) -> bool:
        """Return whether it is this thing, wherever it is: its name is of one thing."""
        return is_a_name(percept) and percept.name == self._node.name

    def _matches(self, name: str, place: tuple[float, float, float]) -> bool:
        distance = math.dist(place[:2], self._node.position[:2])
        return distance <= max(GATE_M, self._node.radius_m) and self._is_named(name)

    def _is_named(self, name: str) -> bool:
        return name.casefold() in {self._node.name.casefold(), self._node.label.casefold()} - {''}

    def _not_in_view(self, detections: Detections) -> str:
        """Return why it cannot be said that nothing was at the place; empty: it can."""
        base, node = detections.base, self._node
        bearing = math.atan2(node.position[1] - base.y, node.position[0] - base.x)
        off_axis = abs(math.remainder(bearing - base.yaw, math.tau))
        if self._distance > self._view.view_m + node.radius_m:
            return f'it is {self._distance:.1f} m away'
        if self._distance < node.radius_m + TOO_NEAR_M:
            return 'it is too near'
        if off_axis > self._view.half_view_rad:
            return f'it is {math.degrees(off_axis):.0f}° to the side'
        if seen := next(filter(self._is_named, sorted(detections.unplaced)), ''):
            return f'{seen} was seen, but not where'
        for each in detections.percepts:
            if self._occludes(detections, each.radius_m, detections.position_of(each), bearing):
                return f'{each.name} stands before it'
        return ''

    def _occludes(
        self,
        detections: Detections,
        radius_m: float,
        place: tuple[float, float, float],
        bearing: float,
    ) -> bool:
        distance = math.dist((detections.base.x, detections.base.y), place[:2])
        if not 0.0 < distance < self._distance - self._node.radius_m:
            return False
        direction = math.atan2(place[1] - detections.base.y, place[0] - detections.base.x)
        return abs(math.remainder(direction - bearing, math.tau)) * distance < radius_m


def _distance(detections: Detections, place: Position) -> float:
    """Return the distance from the rover to a place, m."""
    return math.dist((detections.base.x, detections.base.y), place[:2])
