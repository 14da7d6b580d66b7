"""Writes GML: directed, several edges per pair, directions derived from the poses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import os
from pathlib import Path
from typing import Any

from embodied_nav.forest.directions import BESIDE_M, direction
from embodied_nav.gml.file import Places, networkx_library
from embodied_nav.values import Node


def write_gml(path: Path, places: Places, beside: Mapping[str, Iterable[str]]) -> None:
    """Writes the file whole or not at all.

    Args:
        path: Of the file; an older one is replaced.
        places: The nodes.
        beside: Ids of the neighbours of each node.
    """
    networkx = networkx_library()
    graph = networkx.MultiDiGraph()
    known = {node.node_id: node for node in places.nodes}
    for node in places.nodes:
        graph.add_node(node.node_id, **_attributes(node))
    for node in places.nodes:
        if node.parent in known:
            graph.add_edge(node.node_id, node.parent, relationship='part_of')
        for other in beside.get(node.node_id, ()):
            if other in known:
                _add_direction(graph, node, known[other])
    for start, end in places.ways:
        if start in known and end in known:
            graph.add_edge(start, end, type=f'{known[start].kind}_path')
    beginning = path.with_name(f'.{path.name}.part')
    networkx.write_gml(graph, beginning)
    os.replace(beginning, path)


def _add_direction(graph: Any, node: Node, other: Node) -> None:
    there = direction(node.position, other.position)
    if there.distance <= BESIDE_M:
        graph.add_edge(node.node_id, other.node_id, **there.edge)


def _attributes(node: Node) -> dict[str, Any]:
    """The node's keys; what is empty is left out."""
    x, y, z = map(float, node.position)
    optional = {
        'name': node.name,
        'summary': node.summary,
        'category': node.label,
        'caption': node.caption,
        'image_path': node.image_path,
        'image_hash': node.image_hash,
        'box2D': _box(node.box2d),
        'box3D': _box(node.box3d),
        'frame_id': node.frame_id,
        'source': node.source,
        'state': node.state.value if node.state.value != 'SEEN' else '',
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
