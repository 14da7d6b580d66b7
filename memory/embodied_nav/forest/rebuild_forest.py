"""Builds the whole forest of a map at once, in RAM: the same as by `Forest`, except for ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from embodied_nav.forest.areas import area, area_vector
from embodied_nav.forest.linkage import (
    BASE_M,
    LEVELS,
    Item,
    bounds_of,
    clusters,
    tile_of,
    width,
)
from embodied_nav.nodes_of_forest import ROOT_LEVEL, Node
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector

ClusterId = Callable[[int], str]  # the next id of a level


def rebuild(store: MemoryStore, frame_id: str, map_epoch: int, base_m: float = BASE_M) -> int:
    """Rebuild the clusters of a map from its things; returns their number.

    The old clusters are deleted. Called inside of `store.writing()`.
    """
    scope = Scope(frame_id=frame_id, map_epoch=map_epoch)
    store.delete([node.node_id for node in store.nodes(replace(scope, levels=(1, LEVELS)))])
    things = [
        replace(node, parent='', parent_level=ROOT_LEVEL)
        for node in store.nodes(replace(scope, levels=(0, 0)))
        if node.kind == 'object'
    ]
    vectors = store.vectors([node.node_id for node in things])

    def next_id(level: int) -> str:
        return f'area_{level}_cluster_{store.next_number(f"level {level}")}'

    nodes, rows = grown(things, vectors, next_id, base_m)
    made = nodes[len(things) :]
    store.put_all(made, np.array(rows[len(things) :]) if made else None)
    by_parent: dict[tuple[str, int], list[str]] = {}
    for node in nodes[: len(things)]:
        by_parent.setdefault((node.parent, node.parent_level), []).append(node.node_id)
    for (parent, level), children in by_parent.items():
        store.set_parents(children, parent, level)
    return len(made)


def grown(
    things: Sequence[Node], vectors: Vector, next_id: ClusterId, base_m: float = BASE_M
) -> tuple[list[Node], list[Vector]]:
    """Return the things with their parents, then the clusters; and a vector of each."""
    nodes = {node.node_id: node for node in things}
    rows = dict(zip(nodes, vectors, strict=True))
    roots = list(nodes)
    for level in range(1, LEVELS + 1):
        tiles: dict[tuple[int, int], list[Item]] = {}
        for each in roots:
            place = nodes[each].position
            tiles.setdefault(tile_of(place, level, base_m), []).append(Item(each, place))
        for tile, items in tiles.items():
            box = bounds_of(tile, level, base_m)
            for group in clusters(items, box, width(level, base_m)):
                _join(nodes, rows, [item.node_id for item in group], level, next_id(level))
        roots = [each for each, node in nodes.items() if not node.parent]
    return list(nodes.values()), list(rows.values())


def _join(
    nodes: dict[str, Node], rows: dict[str, Vector], group: Sequence[str], level: int, node_id: str
) -> None:
    children = sorted((nodes[each] for each in group), key=lambda each: (each.position, each.name))
    nodes[node_id] = area(node_id, level, children, None)
    rows[node_id] = area_vector(children, np.array([rows[each.node_id] for each in children]))
    for each in children:
        nodes[each.node_id] = replace(each, parent=node_id, parent_level=level)
