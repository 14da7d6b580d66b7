"""Whether something is still where the memory has it: decided from looks of the detector."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
import math

from embodied_nav.nodes_of_forest import Node
from embodied_nav.percepts import Look

GATE_M = 1.0  # what is seen so near to a place, or within the thing's own size, is at the place
TOO_NEAR_M = 1.5  # what is nearer to the rover may be below its view


class Verdict(Enum):
    """What a look has shown; the values are error codes on the wire."""

    SEEN = ''
    GONE = 'MEMORY_GONE'  # it was in view, often enough, and was not seen
    NOT_IN_VIEW = 'MEMORY_NOT_IN_VIEW'  # nothing can be said


@dataclass(frozen=True)
class Sight:
    """Within what the detector surely sees what is there: m, and rad to each side of the heading.

    `looks`: so many looks in view without the thing mean that it is gone.
    """

    view_m: float
    half_view_rad: float
    looks: int


@dataclass(frozen=True)
class Found:
    """The answer; `distance_m` from the rover to the place, -1: not known."""

    verdict: Verdict
    sentence: str
    looks: int
    distance_m: float = -1.0


class Watch:
    """Watches one place. Looks that were made before it began do not count.

    Args:
        node: What the memory has there.
        since: When it began, s of the system's time.
    """

    def __init__(self, node: Node, sight: Sight, since: float) -> None:
        self._node, self._sight, self._since = node, sight, since
        self._counted: set[str] = set()  # ids: a look that is told twice is one look
        self._distance = -1.0
        self._why = 'no look of the detector came'

    def add(self, look: Look) -> Found | None:
        """Counts a look; the answer as soon as there is one."""
        if look.stamp < self._since or look.look_id in self._counted:
            return None
        self._distance = math.dist((look.base.x, look.base.y), self._node.position[:2])
        if any(self._is_it(each.name, look.place_of(each)) for each in look.percepts):
            self._counted.add(look.look_id)
            return self._found(Verdict.SEEN, f'{self._node.name} is there')
        self._why = self._hindrance(look)
        if not self._why:
            self._counted.add(look.look_id)
        if len(self._counted) >= self._sight.looks:
            far = f'{self._distance:.1f} m'
            words = f'{self._node.name} is not there: it was not seen in {self._looks} from {far}'
            return self._found(Verdict.GONE, words)
        return None

    def end(self) -> Found:
        """The time is over without an answer."""
        why = self._why or f'only {self._looks} of it came'
        words = f'Whether {self._node.name} is there cannot be said: {why}'
        return self._found(Verdict.NOT_IN_VIEW, words)

    @property
    def _looks(self) -> str:
        count = len(self._counted)
        return f'{count} look{"s" * (count != 1)}'

    def _found(self, verdict: Verdict, sentence: str) -> Found:
        return Found(verdict, sentence, len(self._counted), round(self._distance, 2))

    def _is_it(self, name: str, place: tuple[float, float, float]) -> bool:
        near = math.dist(place[:2], self._node.position[:2])
        called = {self._node.name.casefold(), self._node.label.casefold()} - {''}
        return near <= max(GATE_M, self._node.radius_m) and name.casefold() in called

    def _hindrance(self, look: Look) -> str:
        """Why this look says nothing of the place; empty: it was in view."""
        base, node = look.base, self._node
        bearing = math.atan2(node.position[1] - base.y, node.position[0] - base.x)
        aside = abs(math.remainder(bearing - base.yaw, math.tau))
        if self._distance > self._sight.view_m + node.radius_m:
            return f'it is {self._distance:.1f} m away'
        if self._distance < node.radius_m + TOO_NEAR_M:
            return 'it is too near'
        if aside > self._sight.half_view_rad:
            return f'it is {math.degrees(aside):.0f}° to the side'
        for each in look.percepts:
            if self._hides(look, each.radius_m, look.place_of(each), bearing):
                return f'{each.name} stands before it'
        return ''

    def _hides(
        self, look: Look, radius_m: float, place: tuple[float, float, float], bearing: float
    ) -> bool:
        away = math.dist((look.base.x, look.base.y), place[:2])
        if not 0.0 < away < self._distance - self._node.radius_m:
            return False
        other = math.atan2(place[1] - look.base.y, place[0] - look.base.x)
        return abs(math.remainder(other - bearing, math.tau)) * away < radius_m
