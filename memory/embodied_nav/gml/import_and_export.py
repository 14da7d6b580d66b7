"""Imports a whole memory from a GML file, and exports it to one."""

from __future__ import annotations

from dataclasses import replace
import json
from pathlib import Path

import numpy as np

from embodied_nav.embedding.vector_index import Index
from embodied_nav.forest.area_nodes import area_vector, millimetres, things_below
from embodied_nav.forest.forest_building import rebuild
from embodied_nav.forest.neighbours_and_directions import neighbours
from embodied_nav.gml.gml_reader import read_gml
from embodied_nav.gml.gml_syntax import Places
from embodied_nav.gml.gml_writer import write_gml
from embodied_nav.nodes_of_forest import Node
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector
from rover_common.errors import MemoryStoreError

PATHS = 'ways'  # key in the store: the paths of rovers
KEPT, OTHERS = 'kept of nodes', 'other edges'  # keys: what is not interpreted of a file
RETRIEVED = ('object', 'cluster')  # the position of a rover is no answer to a query


def import_places(store: MemoryStore, index: Index, path: Path) -> int:
    """Import a file with its areas into a store; returns the number of nodes.

    Raises:
        MemoryStoreError: The file is damaged, or an id of it is in the store already. Nothing
            was imported then.
    """
    places = read_gml(path)
    with store.writing():
        existing = store.get([node.node_id for node in places.nodes])
        if existing:
            raise MemoryStoreError(
                f'{str(path)!r} holds {next(iter(existing))!r}, which is in this memory already: '
                'import it into an empty one.'
            )
        nodes = _with_counts(places.nodes)
        store.put_all([node for node in nodes if node.kind not in RETRIEVED])
        retrieved = [node for node in nodes if node.kind in RETRIEVED]
        store.put_all(retrieved, _vectors(retrieved, index))
        _advance_counters(store, nodes)
        store.set_meta(PATHS, json.dumps(places.paths))
        store.set_meta(KEPT, json.dumps(places.kept))
        store.set_meta(OTHERS, json.dumps(places.others))
    return len(nodes)


def build_places(store: MemoryStore) -> int:
    """Rebuild the areas of every map in a store; returns their number."""
    with store.writing():
        maps = {(node.frame_id, node.map_epoch) for node in store.nodes(Scope(levels=(0, 0)))}
        return sum(rebuild(store, frame, epoch) for frame, epoch in sorted(maps))


def export_places(store: MemoryStore, path: Path, with_areas: bool = True) -> int:
    """Export a store; returns the number of nodes."""
    levels = (0, 5) if with_areas else (0, 0)
    nodes = tuple(store.nodes(Scope(levels=levels, retracted=True)))
    beside = neighbours([node for node in nodes if node.kind in RETRIEVED])
    paths = tuple((one, other) for one, other in json.loads(store.meta(PATHS) or '[]'))
    others = tuple(
        (one, other, data) for one, other, data in json.loads(store.meta(OTHERS) or '[]')
    )
    write_gml(path, Places(nodes, paths, json.loads(store.meta(KEPT) or '{}'), others), beside)
    return len(nodes)


def _with_counts(nodes: tuple[Node, ...]) -> list[Node]:
    """Return nodes by level, clusters with their counts and sums, which a file does not have."""
    by_id = {node.node_id: node for node in nodes}
    below: dict[str, list[str]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node.node_id)
    for node in sorted(nodes, key=lambda each: each.level):
        if node.kind == 'cluster':
            children = [by_id[each] for each in below.get(node.node_id, ())]
            sums = [each.sums if each.level else millimetres(each.position) for each in children]
            by_id[node.node_id] = replace(
                node,
                count=sum(map(things_below, children)),
                sums=_added(sums),
            )
    return sorted(by_id.values(), key=lambda each: each.level)


def _added(places: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    return sum(x for x, _, _ in places), sum(y for _, y, _ in places), sum(z for *_, z in places)


def _vectors(nodes: list[Node], index: Index) -> Vector | None:
    """Return vectors of things by their texts; of areas by their children, if they have any.

    None: the model is called later.
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


def _advance_counters(store: MemoryStore, nodes: list[Node]) -> None:
    """Give later clusters numbers beyond those of the file."""
    for node in nodes:
        parts = node.node_id.split('_')
        if node.kind == 'cluster' and parts[-1].isdigit():
            counter = f'level {node.level}'
            while store.next_number(counter) < min(int(parts[-1]), 100_000):
                pass
