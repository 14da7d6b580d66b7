"""The nearest neighbours of things, and the direction from one to another, from their positions.

North is +y and east is +x; each covers a quarter of the circle (±45°). From a height difference of
1 m on, "above" or "below" is added. The direction from B to A is the opposite one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
import math

import numpy as np

from embodied_nav.nodes_of_forest import Node, NodeState
from embodied_nav.observation import Position
from rover_common.errors import MemoryStoreError
from rover_common.extras import needs_extra

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


MOST_BESIDE = 8  # neighbours of a node; it may be a neighbour of others, too


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


def nearest_neighbours(nodes: Sequence[Node], radius_m: float = BESIDE_M) -> dict[str, list[str]]:
    """Return the ids of each node's neighbours, both ways: of the same kind, level, frame and map.

    Args:
        nodes: Positions in m; retracted nodes have no neighbours.
        radius_m: Farther apart, two nodes are no neighbours.
    """
    groups: dict[tuple[str, int, str, int], list[Node]] = {}
    for node in nodes:
        if node.state is not NodeState.RETRACTED:
            key = (node.kind, node.level, node.frame_id, node.map_epoch)
            groups.setdefault(key, []).append(node)
    found: dict[str, dict[str, None]] = {}
    for group in groups.values():
        for one, other in _pairs(group, radius_m):
            found.setdefault(one.node_id, {})[other.node_id] = None
            found.setdefault(other.node_id, {})[one.node_id] = None
    return {node_id: list(others) for node_id, others in found.items()}


def _pairs(group: Sequence[Node], radius_m: float) -> Iterator[tuple[Node, Node]]:
    if len(group) < 2:
        return
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        raise MemoryStoreError(needs_extra('A direction between places', 'memory')) from None
    places = np.array([node.position for node in group], float)
    most = min(len(group), MOST_BESIDE + 1)  # the nearest one is the node itself
    _, indices = cKDTree(places).query(
        places, k=most, distance_upper_bound=np.nextafter(radius_m, np.inf)
    )
    for at, others in enumerate(indices):
        beside = [int(other) for other in others if other != at and other < len(group)]
        for other in beside[:MOST_BESIDE]:  # at one and the same position it may not find itself
            yield group[at], group[other]
