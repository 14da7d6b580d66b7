"""Updates the vectors of areas after those of the things below have changed."""

from __future__ import annotations

from collections.abc import Iterable

from embodied_nav.forest.areas import area_vector
from embodied_nav.nodes_of_forest import Node
from embodied_nav.store.memory_store import MemoryStore


def refresh_vectors(store: MemoryStore, things: Iterable[Node]) -> None:
    """Update the areas above some things, the lowest first; their texts stay."""
    due = {node.parent for node in things if node.parent}
    while due:
        areas = store.get(due)
        lowest = min((area.level for area in areas.values()), default=0)
        due = {each for each, area in areas.items() if area.level > lowest}
        for node_id, area in areas.items():
            if area.level == lowest:
                children = store.children(node_id)
                vectors = store.vectors([each.node_id for each in children])
                store.put(area, area_vector(children, vectors))
                due |= {area.parent} - {''}
