"""Exports GML: directed, several edges per pair, directions derived from the positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
import glob
from itertools import islice
import math
import os
from pathlib import Path
import time
from typing import Any
from uuid import uuid4

from embodied_nav.forest.neighbours_and_directions import BESIDE_M, direction, nearest_neighbours
from embodied_nav.gml.gml_syntax import Places, record, uninterpreted
from embodied_nav.nodes_of_forest import RETRIEVED, Node
from embodied_nav.observation import NAMERS
from embodied_nav.store.memory_store import MemoryStore, Scope
from rover_common.errors import MemoryStoreError

LINES_AT_ONCE = 10_000
ABANDONED_S = 3600.0  # since a part was written last: whoever wrote it was killed
OUTDATED = frozenset(
    (
        *('box2D', 'box3D', 'timestamp', 'first_seen', 'state'),
        *('covariance', 'observations', 'reason', 'retracted_at'),
    )
)


def export_places(
    store: MemoryStore, path: Path, with_areas: bool = True, limit_s: float = math.inf
) -> int:
    """Export a store; returns the number of nodes.

    Raises:
        MemoryStoreError: It takes longer than `limit_s`; an older file stays.
    """
    end = time.monotonic() + limit_s

    def check() -> None:
        if time.monotonic() >= end:
            raise MemoryStoreError(f'{str(path)!r} takes longer than {limit_s:g} s')

    levels = (0, 5) if with_areas else (0, 0)
    nodes = tuple(store.nodes(Scope(levels=levels, retracted=True, poses=True)))
    check()
    beside = nearest_neighbours([node for node in nodes if node.kind in RETRIEVED])
    paths, kept, others = uninterpreted(store)
    write_gml(path, Places(nodes, tuple(paths), kept, tuple(others)), beside, check)
    return len(nodes)


def write_gml(
    path: Path,
    places: Places,
    neighbours: Mapping[str, Iterable[str]],
    check: Callable[[], None] = lambda: None,
) -> None:
    """Write the file atomically, line by line; another process may write it at the same time.

    Args:
        path: Of the file; an older one is replaced.
        places: The nodes.
        neighbours: Ids of the neighbours of each node.
        check: Called now and then; what it raises ends the writing.
    """
    partial = path.with_name(f'.{path.name}.{uuid4().hex[:8]}.part')
    lines = gml_lines(places, neighbours)
    try:
        _remove_abandoned_parts(path)
        with partial.open('w', encoding='utf-8') as file:
            while chunk := list(islice(lines, LINES_AT_ONCE)):
                check()
                file.write('\n'.join(chunk) + '\n')
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _remove_abandoned_parts(path: Path) -> None:
    """Remove what exports left that were killed, as when the node of a large memory ends."""
    for part in path.parent.glob(f'.{glob.escape(path.name)}.*.part'):
        with suppress(OSError):  # another process may remove it, too
            if time.time() - part.stat().st_mtime > ABANDONED_S:
                part.unlink()


def gml_lines(places: Places, neighbours: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a file."""
    numbers = {node.node_id: number for number, node in enumerate(places.nodes)}
    yield 'graph ['
    yield '  directed 1'
    yield '  multigraph 1'
    for node in places.nodes:
        kept = _still_true(node, places.kept.get(node.node_id, {}))
        label = {'id': numbers[node.node_id], 'label': node.node_id}
        yield from record('node', {**label, **_attributes(node), **kept})
    between: dict[tuple[int, int], int] = {}
    for start, end, attributes in _edges(places, neighbours):
        if start in numbers and end in numbers:
            pair = numbers[start], numbers[end]
            key = between[pair] = between.get(pair, -1) + 1
            yield from record(
                'edge', {'source': pair[0], 'target': pair[1], 'key': key} | attributes
            )
    yield ']'


def _still_true(node: Node, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kept attributes that hold: some do until the thing is observed again."""
    if node.writer == 'import':
        return dict(kept)
    return {key: each for key, each in kept.items() if key not in OUTDATED}


def _edges(
    places: Places, neighbours: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    by_id = {node.node_id: node for node in places.nodes}
    for node in places.nodes:
        if node.parent:
            yield node.node_id, node.parent, {'relationship': 'part_of'}
        for other in neighbours.get(node.node_id, ()):
            if other in by_id:
                there = direction(node.position, by_id[other].position)
                if there.distance <= BESIDE_M:
                    yield node.node_id, other, dict(there.edge)
    for start, end in places.paths:
        if start in by_id:
            yield start, end, {'type': f'{by_id[start].kind}_path'}
    yield from places.others


def _attributes(node: Node) -> dict[str, Any]:
    """Return the attributes of a node; empty ones are left out."""
    x, y, z = map(float, node.position)
    optional = {
        'name': node.name,
        'summary': node.summary,
        'category': node.label,
        'caption': node.caption,
        'attributes': node.attributes,
        'covariance': tuple(map(float, node.covariance or ())),
        'image_path': node.image_path,
        'image_hash': node.image_hash,
        'box2D': _box(node.box2d),
        'box3D': _box(node.box3d),
        'frame_id': node.frame_id,
        'source': node.source,
        'writer': node.writer if node.writer in NAMERS else '',
        'state': node.state.value if node.state.value != 'SEEN' else '',
        'reason': node.reason,
        'retracted_at': float(node.retracted_at),
        'observations': node.count if node.kind != 'cluster' and node.count > 1 else 0,
        'map_epoch': node.map_epoch,
    }
    return {
        'type': node.kind,
        'level': node.level,
        'position': {'x': x, 'y': y, 'z': z},
        'timestamp': float(node.last_seen),
        'first_seen': float(node.first_seen),
        'radius_m': float(node.radius_m),
        **{key: value for key, value in optional.items() if value},
    }


def _box(numbers: tuple[float, ...]) -> dict[str, dict[str, float]] | None:
    if len(numbers) not in (4, 6):
        return None
    half = len(numbers) // 2
    axes = 'xyz'[:half]
    low, high = map(float, numbers[:half]), map(float, numbers[half:])
    return {
        'min': dict(zip(axes, low, strict=True)),
        'max': dict(zip(axes, high, strict=True)),
    }
