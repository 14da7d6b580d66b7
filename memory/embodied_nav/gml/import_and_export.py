"""A whole memory from a GML file, and into one."""

from __future__ import annotations

from dataclasses import replace
import json
from pathlib import Path

import numpy as np

from embodied_nav.embedding.vector_index import Index
from embodied_nav.forest.areas import area_vector, millimetres, things_below
from embodied_nav.forest.rebuild_forest import rebuild
from embodied_nav.gml.gml_reader import read_gml
from embodied_nav.gml.gml_text import Places
from embodied_nav.gml.gml_writer import write_gml
from embodied_nav.gml.nearest_neighbours import neighbours
from embodied_nav.nodes_of_forest import Node
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector
from rover_common.errors import MemoryStoreError

WAYS = 'ways'  # key of the store's notes on how rovers drove
KEPT, OTHERS = 'kept of nodes', 'other edges'  # the same, on what a file said and means nothing
FOUND = ('object', 'cluster')  # where a rover was is no answer to a question


def import_places(store: MemoryStore, index: Index, path: Path) -> int:
    """Takes a file into a store, areas and all; how many nodes it had.

    Raises:
        MemoryStoreError: The file is damaged, or an id of it is in the store already. Nothing
            was taken then.
    """
    places = read_gml(path)
    with store.writing():
        known = store.get([node.node_id for node in places.nodes])
        if known:
            raise MemoryStoreError(
                f'{str(path)!r} holds {next(iter(known))!r}, which is in this memory already: '
                'import it into an empty one.'
            )
        nodes = _counted(places.nodes)
        store.put_all([node for node in nodes if node.kind not in FOUND])
        found = [node for node in nodes if node.kind in FOUND]
        store.put_all(found, _vectors(found, index))
        _keep_numbers(store, nodes)
        store.set_meta(WAYS, json.dumps(places.ways))
        store.set_meta(KEPT, json.dumps(places.kept))
        store.set_meta(OTHERS, json.dumps(places.others))
    return len(nodes)


def build_places(store: MemoryStore) -> int:
    """Makes the areas of every map in a store anew; how many there are."""
    with store.writing():
        maps = {(node.frame_id, node.map_epoch) for node in store.nodes(Scope(levels=(0, 0)))}
        return sum(rebuild(store, frame, epoch) for frame, epoch in sorted(maps))


def export_places(store: MemoryStore, path: Path, with_areas: bool = True) -> int:
    """Writes what a store holds; how many nodes that were."""
    levels = (0, 5) if with_areas else (0, 0)
    nodes = tuple(store.nodes(Scope(levels=levels, retracted=True)))
    beside = neighbours([node for node in nodes if node.kind in FOUND])
    ways = tuple((one, other) for one, other in json.loads(store.meta(WAYS) or '[]'))
    others = tuple(
        (one, other, data) for one, other, data in json.loads(store.meta(OTHERS) or '[]')
    )
    write_gml(path, Places(nodes, ways, json.loads(store.meta(KEPT) or '{}'), others), beside)
    return len(nodes)


def _counted(nodes: tuple[Node, ...]) -> list[Node]:
    """Clusters with what they hold, which a file does not say; by level."""
    known = {node.node_id: node for node in nodes}
    below: dict[str, list[str]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node.node_id)
    for node in sorted(nodes, key=lambda each: each.level):
        if node.kind == 'cluster':
            children = [known[each] for each in below.get(node.node_id, ())]
            sums = [each.sums if each.level else millimetres(each.position) for each in children]
            known[node.node_id] = replace(
                node,
                count=sum(map(things_below, children)),
                sums=_added(sums),
            )
    return sorted(known.values(), key=lambda each: each.level)


def _added(places: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    return sum(x for x, _, _ in places), sum(y for _, y, _ in places), sum(z for *_, z in places)


def _vectors(nodes: list[Node], index: Index) -> Vector | None:
    """Things by their words; areas by what they hold, or by their words if they hold nothing.

    None: the model is asked later.
    """
    rows = index.embed_if_local([node.text for node in nodes])
    if rows is None:
        return None
    at = {node.node_id: number for number, node in enumerate(nodes)}
    below: dict[str, list[Node]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    for node in nodes:
        children = below.get(node.node_id, [])
        if node.kind == 'cluster' and children:
            mean = area_vector(children, np.array([rows[at[each.node_id]] for each in children]))
            rows[at[node.node_id]] = mean
    return rows


def _keep_numbers(store: MemoryStore, nodes: list[Node]) -> None:
    """Later clusters get numbers beyond those of the file."""
    for node in nodes:
        parts = node.node_id.split('_')
        if node.kind == 'cluster' and parts[-1].isdigit():
            counter = f'level {node.level}'
            while store.next_number(counter) < min(int(parts[-1]), 100_000):
                pass
