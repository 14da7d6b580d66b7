"""The direction from one thing to another, derived from their positions. Pure.

North is +y and east is +x; each covers a quarter of the circle (±45°). From a height difference of
1 m on, "above" or "below" is added. The direction from B to A is the opposite one.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

from embodied_nav.observed_thing import Position

VERTICAL_M = 1.0
BESIDE_M = 3.0  # farther apart than this, two things are no neighbours
OPPOSITE = {
    'north': 'south',
    'south': 'north',
    'east': 'west',
    'west': 'east',
    'above': 'below',
    'below': 'above',
    'same_place': 'same_place',
}


@dataclass(frozen=True)
class Direction:
    """`name`: "north", "north_above", "below", … `distance`: in three dimensions, m."""

    name: str
    cardinal: str
    distance: float

    @property
    def phrase(self) -> str:
        """The direction as text: "north of and above"."""
        if not self.cardinal:
            return {'same_place': 'at the place of'}.get(self.name, self.name)
        height = self.name.partition('_')[2]
        return f'{self.cardinal} of' + (f' and {height}' if height else '')

    @property
    def edge(self) -> dict[str, str | float]:
        """The attributes of the edge between the two in a graph, under spec 5's names."""
        return {
            'relationship': self.name,
            'type': 'spatial',
            'cardinal_direction': self.cardinal,
            'distance': self.distance,
        }


def direction(start: Position, end: Position, vertical_m: float = VERTICAL_M) -> Direction:
    """Return the direction from `start` to `end`; both in m of one frame."""
    dx, dy, dz = (b - a for a, b in zip(start, end, strict=True))
    height = '' if abs(dz) < vertical_m else ('above' if dz > 0 else 'below')
    cardinal = _cardinal(dx, dy)
    name = '_'.join(each for each in (cardinal, height) if each) or 'same_place'
    return Direction(name, cardinal, math.dist(start, end))


def opposite(name: str) -> str:
    """Return the opposite direction."""
    return '_'.join(OPPOSITE.get(part, part) for part in name.split('_')) if name not in \
        OPPOSITE else OPPOSITE[name]  # fmt: skip


def _cardinal(dx: float, dy: float) -> str:
    """On a diagonal, north and south win, so the opposite direction is of the same axis."""
    if dx == dy == 0.0:
        return ''
    if abs(dy) >= abs(dx):
        return 'north' if dy > 0 else 'south'
    return 'east' if dx > 0 else 'west'
