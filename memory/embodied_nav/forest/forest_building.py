"""Builds the forest: in the tiles that a change touches, or of a whole map at once.

A cluster whose members stay the same is not changed. One that keeps some of its members keeps its
id, so that names are stable while the world grows. Both ways lead to the same, except for ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from embodied_nav.forest.area_nodes import area, area_vector
from embodied_nav.forest.tile_linkage import (
    BASE_M,
    CAPACITY,
    LEVELS,
    SMALLEST_M,
    Item,
    bounds_of,
    clusters,
    holds,
    quarters,
    tile_of,
    width,
)
from embodied_nav.nodes_of_forest import ROOT_LEVEL, Node
from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import Bounds
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector

ClusterId = Callable[[int], str]  # the next id of a level


@dataclass(frozen=True)
class _Tile:
    """The contents of tiles of a level, read before anything of that level is changed."""

    nodes: Mapping[str, Node]
    groups: Sequence[frozenset[str]]
    old: Mapping[str, Node]
    members: Mapping[str, frozenset[str]]  # of the old clusters

    @classmethod
    def of_all(cls, tiles: Sequence[_Tile]) -> _Tile:
        """Several as one: a thing that moved to another tile leaves its cluster in the first."""
        return cls(
            nodes={each: node for tile in tiles for each, node in tile.nodes.items()},
            groups=[group for tile in tiles for group in tile.groups],
            old={each: node for tile in tiles for each, node in tile.old.items()},
            members={each: some for tile in tiles for each, some in tile.members.items()},
        )

    def members_beyond(self) -> list[str]:
        """Return the members of old clusters that are not among the nodes."""
        return sorted(frozenset().union(*self.members.values()) - self.nodes.keys())


class Forest:
    """The clusters of one map in a store. Called inside of `store.writing()`.

    Attributes:
        touched: Ids of the clusters that the last update made, changed or removed.
    """

    def __init__(
        self, store: MemoryStore, frame_id: str, map_epoch: int, base_m: float = BASE_M
    ) -> None:
        self._store, self._frame, self._epoch, self._base = store, frame_id, map_epoch, base_m
        self.touched: set[str] = set()
        self._places: set[Position] = set()
        self._changed: set[str] = set()
        self._lost_child: set[str] = set()

    def update(
        self, changed: Iterable[str], places: Iterable[Position], lost_child: Iterable[str] = ()
    ) -> None:
        """Apply changes of things (level 0), which are in the store already, to the levels above.

        Args:
            changed: Ids of things that are new, moved or have a new text.
            places: Their old and new positions.
            lost_child: Ids of clusters from which a child was removed.
        """
        self.touched = set()
        self._changed, self._places = set(changed), set(places)
        self._lost_child = set(lost_child)
        for level in range(1, LEVELS + 1):
            self._recluster(level, self._touched(level))

    def _touched(self, level: int) -> _Tile:
        """Return the contents of the touched tiles, and of those into which their clusters reach.

        Our own clusters end with their tile; an imported one may not.
        """
        lost_child = self._store.get(sorted(self._lost_child)).values()
        self._places |= {node.position for node in lost_child if node.level == level}
        while True:
            tiles: dict[tuple[int, int], list[Position]] = {}
            for place in self._places:
                tiles.setdefault(tile_of(place, level, self._base), []).append(place)
            contents = _Tile.of_all(
                [part for tile in sorted(tiles) for part in self._parts(level, tile, tiles[tile])]
            )
            beyond = self._store.get(contents.members_beyond()).values()
            unread = {node.position for node in beyond} - self._places
            if not unread:
                return contents
            self._places |= unread

    def _parts(
        self, level: int, tile: tuple[int, int], places: Sequence[Position]
    ) -> Sequence[_Tile]:
        """Return the parts to recluster: of a tile with very many items, the touched ones.

        Where a cluster extends beyond its part, the tile was divided differently before: then it
        is the whole tile.
        """
        box = bounds_of(tile, level, self._base)
        parts = [self._read(level, each) for each in self._divide(level, box, places)]
        if all(
            members <= each.nodes.keys() for each in parts for members in each.members.values()
        ):
            return parts
        return [self._read(level, box)]

    def _divide(self, level: int, box: Bounds, places: Sequence[Position]) -> Iterator[Bounds]:
        """Yield the boxes of few enough items that contain these places."""
        count = self._store.item_count(level, box, self._frame, self._epoch)
        if count <= CAPACITY or box[2] - box[0] <= SMALLEST_M:
            yield box
            return
        for quarter in quarters(box):
            inside = [each for each in places if holds(quarter, each)]
            if inside:
                yield from self._divide(level, quarter, inside)

    def _read(self, level: int, box: Bounds) -> _Tile:
        found = self._store.items(level, box, self._frame, self._epoch)
        nodes = {node.node_id: node for node in found}
        groups = clusters(
            [Item(each.node_id, each.position) for each in found], box, width(level, self._base)
        )
        above = self._store.items(level + 1, box, self._frame, self._epoch)
        old = {node.node_id: node for node in above if node.level == level}
        parents = {node.parent for node in found if node.parent_level == level}
        old |= self._store.get(parents - old.keys())  # whose centre lies in another part
        members = self._store.members(list(old))
        sets = [frozenset(item.node_id for item in group) for group in groups]
        return _Tile(nodes, sets, old, members)

    def _recluster(self, level: int, tile: _Tile) -> None:
        kept_ids = match_clusters(tile.groups, tile.members)
        for group, kept in zip(tile.groups, kept_ids, strict=True):
            if not self._is_same(group, kept, tile):
                self._put(level, group, kept, tile)
        grouped = frozenset().union(*tile.groups)
        self._detach(
            [
                node
                for node in tile.nodes.values()
                if node.node_id not in grouped and node.parent_level == level
            ]
        )
        kept_on = set(kept_ids)
        removed = [each for each in tile.old if each not in kept_on]
        # An import may put into an area what is in none: a pose, or what is gone.
        self._store.set_parents(tile.members_beyond(), '', ROOT_LEVEL)
        self._lost_child |= {tile.old[each].parent for each in removed if tile.old[each].parent}
        self._store.delete(removed)
        self._mark_changed(removed, [tile.old[each].position for each in removed])

    def _is_same(self, group: frozenset[str], kept: str | None, tile: _Tile) -> bool:
        return (
            kept is not None
            and tile.members[kept] == group
            and kept not in self._lost_child
            and not self._changed & group
        )

    def _put(self, level: int, group: frozenset[str], kept: str | None, tile: _Tile) -> None:
        children = sorted(
            (tile.nodes[each] for each in group), key=lambda each: (each.position, each.name)
        )
        before = tile.old[kept] if kept else None
        node_id = kept or _next_id(self._store, level)
        cluster = area(node_id, level, children, before)
        vectors = self._store.vectors([each.node_id for each in children])
        self._store.put(cluster, area_vector(children, vectors))
        added = [each for each in children if each.parent != node_id]
        self._store.set_parents([each.node_id for each in added], node_id, level)
        self._lost_child |= {each.parent for each in added if each.parent}
        self._places |= {each.position for each in added}
        self._mark_changed([node_id], [cluster.position, *([before.position] if before else [])])

    def _detach(self, nodes: Sequence[Node]) -> None:
        """Make roots of nodes that no cluster of this level contains any more.

        They are clustered again one level up.
        """
        self._store.set_parents([each.node_id for each in nodes], '', ROOT_LEVEL)
        self._lost_child |= {each.parent for each in nodes}
        self._places |= {each.position for each in nodes}

    def _mark_changed(self, ids: Iterable[str], places: Iterable[Position]) -> None:
        self._changed |= set(ids)
        self.touched |= set(ids)
        self._places |= set(places)


def _next_id(store: MemoryStore, level: int) -> str:
    return store.next_id(f'area_{level}_cluster')


def match_clusters(
    groups: Sequence[frozenset[str]], members: Mapping[str, frozenset[str]]
) -> list[str | None]:
    """Return the old cluster whose id each new group keeps: it shares most members with that."""
    cluster_of = {item: node_id for node_id, old in members.items() for item in old}
    shared = Counter(
        (at, cluster_of[item])
        for at, group in enumerate(groups)
        for item in group
        if item in cluster_of
    )
    kept: dict[int, str] = {}
    taken = set[str]()
    for (at, node_id), _ in sorted(
        shared.items(), key=lambda one: (-one[1], one[0][1], one[0][0])
    ):
        if at not in kept and node_id not in taken:
            kept[at] = node_id
            taken.add(node_id)
    return [kept.get(at) for at in range(len(groups))]


def rebuild(store: MemoryStore, frame_id: str, map_epoch: int, base_m: float = BASE_M) -> int:
    """Rebuild the clusters of a map from its things; returns their number.

    The old clusters are deleted. Called inside of `store.writing()`.
    """
    scope = Scope(frame_id=frame_id, map_epoch=map_epoch)
    things = [
        replace(node, parent='', parent_level=ROOT_LEVEL)
        for node in store.nodes(replace(scope, levels=(0, 0)))
    ]
    vectors = store.vectors([node.node_id for node in things])
    nodes, rows = grown(things, vectors, partial(_next_id, store), base_m)
    store.delete([node.node_id for node in store.nodes(replace(scope, levels=(1, LEVELS)))])
    made = nodes[len(things) :]
    store.put_all(made, np.array(rows[len(things) :]) if made else None)
    by_parent: dict[tuple[str, int], list[str]] = {}
    for node in nodes[: len(things)]:
        by_parent.setdefault((node.parent, node.parent_level), []).append(node.node_id)
    for (parent, level), children in by_parent.items():
        store.set_parents(children, parent, level)
    return len(made)


def rebuild_all(store: MemoryStore) -> int:
    """Rebuild the areas of every map in a store; returns their number."""
    with store.writing():
        maps = {(node.frame_id, node.map_epoch) for node in store.nodes(Scope(levels=(0, 0)))}
        return sum(rebuild(store, frame, epoch) for frame, epoch in sorted(maps))


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
