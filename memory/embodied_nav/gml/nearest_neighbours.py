"""Finds the nearest few neighbours of each node, for a file, by a k-d tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from embodied_nav.forest.directions import BESIDE_M
from embodied_nav.nodes_of_forest import Node, NodeState
from rover_common.errors import MemoryStoreError
from rover_common.extras import needs_extra

MOST_BESIDE = 8  # neighbours of a node; it may be a neighbour of others, too


def neighbours(nodes: Sequence[Node], radius_m: float = BESIDE_M) -> dict[str, list[str]]:
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
