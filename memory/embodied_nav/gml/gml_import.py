"""Imports GML: files of this package, and those of the public implementation with their variants.

The latter are undirected, so a "part_of" edge does not say which end is the part (the levels do),
and directions are derived from the positions. Positions are `[x y z]`, text or three keys, in m or
in degrees (`in_metres`); numbers may be text; captions may be missing. Nothing is ever evaluated.

Only files of the public implementation have degrees: with nodes of a type for street views, and
without a frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
import json
import math
from pathlib import Path
import re
import statistics
from typing import Any

from embodied_nav.embedding.vector_index import Index
from embodied_nav.forest.area_nodes import area_vector, sums_of, things_below
from embodied_nav.gml.gml_syntax import (
    KEPT,
    OTHERS,
    PATHS,
    Places,
    Text,
    is_value,
    uninterpreted,
)
from embodied_nav.nodes_of_forest import RETRIEVED, ROOT_LEVEL, Node, NodeState
from embodied_nav.observation import (
    LARGEST,
    LONGEST_CAPTION,
    LONGEST_NAME,
    NAMERS,
    Covariance,
    Position,
    Writer,
)
from embodied_nav.retrieval.recall_pipeline import RETRACTED
from embodied_nav.store.memory_store import MemoryStore, Vector
from rover_common.errors import MemoryStoreError
from rover_common.json_values import finite_number
from rover_common.text_sanitizing import sanitize_line

OF_STREETS = ('base', 'street_view')
EARTH_M = 6_371_008.8  # mean radius
WIDEST_DEG = 1.0  # of a map that is treated as flat: 111 km
KINDS = {'object': 'object', 'base': 'object', 'street_view': 'object', 'cluster': 'cluster',
         'drone': 'drone', 'rover': 'rover', 'vehicle': 'rover'}  # fmt: skip
READ = frozenset(  # attributes that are interpreted; the others are kept as they are
    (
        *('type', 'level', 'position', 'name', 'caption', 'summary', 'category', 'frame_id'),
        *('map_epoch', 'radius_m', 'first_seen', 'timestamp', 'state', 'source', 'image_path'),
        *('image_hash', 'box2D', 'box3D', 'id', 'label', 'writer', 'attributes', 'covariance'),
        *('reason', 'retracted_at', 'observations'),
    )
)
HIGHEST = 5
LARGEST_WHOLE = 2**53  # what a float holds exactly
_NUMBER = re.compile(r'[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?')
_PLACE = re.compile(rf'\s*[\[(]?\s*({_NUMBER.pattern})[\s,]+({_NUMBER.pattern})[\s,]+'
                    rf'({_NUMBER.pattern})\s*[\])]?\s*')  # fmt: skip


def import_places(store: MemoryStore, index: Index, places: Places) -> int:
    """Import what a file holds, with its areas, into a store; returns the number of nodes.

    Raises:
        MemoryStoreError: An id of it is in the store already. Nothing was imported then.
    """
    with store.writing():
        existing = store.get([node.node_id for node in places.nodes])
        if existing:
            raise MemoryStoreError(
                f'{str(places.path)!r} holds {next(iter(existing))!r}, which is in this memory '
                'already: import it into an empty one.'
            )
        nodes = _with_counts(places.nodes)
        store.put_all([node for node in nodes if node.kind not in RETRIEVED])
        retrieved = [node for node in nodes if node.kind in RETRIEVED]
        store.put_all(retrieved, _vectors(retrieved, index))
        if any(node.state is NodeState.RETRACTED for node in nodes):
            store.set_meta(RETRACTED, 'yes')
        paths, kept, others = uninterpreted(store)
        store.set_meta(PATHS, json.dumps([*paths, *places.paths]))
        store.set_meta(KEPT, json.dumps({**kept, **places.kept}))
        store.set_meta(OTHERS, json.dumps([*others, *places.others]))
    return len(nodes)


def read_gml(path: Path) -> Places:
    """Return the contents of a file.

    Raises:
        MemoryStoreError: It is damaged or has invalid values; file, line and reason.
    """
    text = Text(path)
    graph = text.graph()
    attributes: dict[str, Mapping[str, Any]] = {}
    for each, data in graph.nodes(data=True):
        if str(each) in attributes:  # a number and the same as text
            raise text.fault(f'node label {str(each)!r} is duplicated', text.line_of(str(each)))
        attributes[str(each)] = data
    nodes = in_metres(
        {each: _node(text, each, data) for each, data in attributes.items()}, attributes
    )
    parents: dict[str, str] = {}
    paths: list[tuple[str, str]] = []
    others: list[tuple[str, str, dict[str, Any]]] = []
    for start, end, data in graph.edges(data=True):
        one, other = str(start), str(end)
        if data.get('relationship') == 'part_of':
            _part(text, nodes, parents, one, other)
        elif str(data.get('type', '')).endswith('_path'):
            paths.append((one, other))
        elif data.get('type') != 'spatial':  # directions are derived from the positions
            others.append((one, other, {key: each for key, each in data.items() if key != 'key'}))
    kept = {str(each): found for each, data in graph.nodes(data=True) if (found := _kept(data))}
    placed = tuple(_with_parent(nodes, parents, each) for each in nodes)
    return Places(placed, tuple(paths), kept, tuple(others), path)


def in_metres(nodes: Mapping[str, Node], data: Mapping[str, Mapping[str, Any]]) -> dict[str, Node]:
    """Return the nodes with east and north in m from their centre, if they are in degrees.

    Heights, which are altitudes then, are from their median: a node may have none, which is 0.

    Args:
        nodes: As read, by id.
        data: The attributes of each in the file.
    """
    streets = any(each.get('type') in OF_STREETS for each in data.values())
    if not streets or any('frame_id' in each for each in data.values()):
        return dict(nodes)
    lon, lat, heights = zip(*(node.position for node in nodes.values()), strict=True)
    is_narrow = max(lon) - min(lon) <= WIDEST_DEG and max(lat) - min(lat) <= WIDEST_DEG
    if not is_narrow or max(map(abs, lon)) > 180.0 or max(map(abs, lat)) > 90.0:
        return dict(nodes)
    centre = (min(lon) + max(lon)) / 2.0, (min(lat) + max(lat)) / 2.0
    north = math.radians(1.0) * EARTH_M
    east = north * math.cos(math.radians(centre[1]))
    ground = statistics.median(heights)
    return {
        each: replace(
            node,
            position=(
                (node.position[0] - centre[0]) * east,
                (node.position[1] - centre[1]) * north,
                node.position[2] - ground,
            ),
        )
        for each, node in nodes.items()
    }


def number(value: Any, default: float = math.nan) -> float:
    """Return a finite number, also from text; else the default."""
    if isinstance(value, str) and not _NUMBER.fullmatch(value.strip()):
        return default
    found = finite_number(float(value) if isinstance(value, str) else value)
    return default if found is None else found


def place(value: Any) -> Position | None:
    """Return a position from any of its forms; None if it is none."""
    if isinstance(value, str):
        found = _PLACE.fullmatch(value)
        numbers = [float(each) for each in found.groups()] if found else []
    elif isinstance(value, Mapping):
        numbers = [number(value.get(axis)) for axis in 'xyz']
    elif isinstance(value, (list, tuple)):
        numbers = [number(each) for each in value]
    else:
        numbers = []
    if len(numbers) != 3 or not all(abs(each) <= LARGEST for each in numbers):
        return None
    return numbers[0], numbers[1], numbers[2]


def _kept(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes that are not interpreted, or that lose their value by it."""
    kept = {key: each for key, each in data.items() if key not in READ}
    if (kind := data.get('type')) is not None and KINDS[str(kind)] != kind:
        kept['type'] = kind
    if KINDS[str(data.get('type', 'object'))] != 'cluster' and number(data.get('level', 0)):
        kept['level'] = data['level']
    kept |= {key: data[key] for key in ('box2D', 'box3D') if key in data and not _box(data[key])}
    times = (key for key in ('timestamp', 'first_seen', 'retracted_at') if key in data)
    kept |= {key: data[key] for key in times if not math.isfinite(number(data[key]))}
    if 'state' in data and data['state'] not in {each.value for each in NodeState}:
        kept['state'] = data['state']
    if 'writer' in data and _writer(data) != data['writer']:
        kept['writer'] = data['writer']
    if 'reason' in data and _line(data, 'reason', LONGEST_CAPTION) != data['reason']:
        kept['reason'] = data['reason']
    readers = {'attributes': _words, 'covariance': _covariance, 'observations': _observations}
    kept |= {key: data[key] for key, read in readers.items() if key in data and not read(data)}
    return {key: each for key, each in kept.items() if is_value(each)}


def _node(text: Text, node_id: str, data: Mapping[str, Any]) -> Node:
    def fault(why: str) -> MemoryStoreError:
        return text.fault(why, text.line_of(node_id))

    kind = KINDS.get(str(data.get('type', 'object')))
    if kind is None:
        kinds = ', '.join(KINDS)
        raise fault(f'node {node_id!r} has the type {str(data["type"])[:40]!r}, none of {kinds}')
    position = place(data.get('position'))
    if position is None:
        given = str(data.get('position', 'none'))[:60]
        raise fault(
            f'the position of node {node_id!r} is {given}, not three numbers in m '
            f'up to {LARGEST:g}'
        )
    level = number(data.get('level', 0))
    lowest = 1 if kind == 'cluster' else 0
    if level not in range(lowest, HIGHEST + 1):
        given = str(data.get('level', 'none'))[:60]
        raise fault(f'{kind} {node_id!r} has the level {given}, not {lowest} to {HIGHEST}')
    seen = number(data.get('timestamp', 0.0), 0.0)
    epoch, radius = number(data.get('map_epoch', 0)), number(data.get('radius_m', 0.5))
    if not (abs(epoch) <= LARGEST_WHOLE and epoch == int(epoch)):
        given = str(data['map_epoch'])[:60]
        raise fault(f'the map_epoch of node {node_id!r} is {given}, no number of a map')
    if not 0.0 <= radius <= LARGEST:
        given = str(data['radius_m'])[:60]
        raise fault(f'the radius_m of node {node_id!r} is {given}, no length in m')
    return Node(
        node_id=node_id,
        kind=kind,  # type: ignore[arg-type]
        level=int(level) if kind == 'cluster' else 0,
        name=_line(data, 'name', LONGEST_NAME) or sanitize_line(node_id, LONGEST_NAME),
        caption=_line(data, 'caption', LONGEST_CAPTION),
        summary=_line(data, 'summary', LONGEST_CAPTION),
        label=_line(data, 'category', LONGEST_NAME),
        attributes=_words(data),
        position=position,
        frame_id=_line(data, 'frame_id', LONGEST_NAME) or 'map',
        map_epoch=int(epoch),
        covariance=_covariance(data),
        radius_m=radius,
        first_seen=number(data.get('first_seen', seen), seen),
        last_seen=seen,
        retracted_at=number(data.get('retracted_at'), 0.0),
        state=_state(data),
        reason=_line(data, 'reason', LONGEST_CAPTION),
        source=_line(data, 'source', LONGEST_NAME),
        writer=_writer(data),
        image_path=_line(data, 'image_path', LONGEST_CAPTION),
        image_hash=_line(data, 'image_hash', LONGEST_NAME),
        box2d=_box(data.get('box2D')),
        box3d=_box(data.get('box3D')),
        count=_observations(data) or 1,
        summary_by='import',
    )


def _part(
    text: Text, nodes: Mapping[str, Node], parents: dict[str, str], one: str, other: str
) -> None:
    low, high = sorted((one, other), key=lambda each: nodes[each].level)
    if nodes[low].level == nodes[high].level:
        why = f'{one!r} and {other!r} are part of each other on one level'
        raise text.fault(why, text.line_of(low))
    if parents.setdefault(low, high) != high:
        why = f'{low!r} is part of two: {parents[low]!r} and {high!r}'
        raise text.fault(why, text.line_of(low))


def _with_parent(nodes: Mapping[str, Node], parents: Mapping[str, str], node_id: str) -> Node:
    above = parents.get(node_id, '')
    level = nodes[above].level if above else ROOT_LEVEL
    return replace(nodes[node_id], parent=above, parent_level=level)


def _line(data: Mapping[str, Any], key: str, limit: int) -> str:
    value = data.get(key, '')
    return sanitize_line(str(value), limit) if isinstance(value, (str, int, float)) else ''


def _words(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the attributes of a thing; none if they are not a list of texts."""
    value = data.get('attributes')
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return ()
    return tuple(filter(None, (sanitize_line(each, LONGEST_NAME) for each in value)))


def _covariance(data: Mapping[str, Any]) -> Covariance | None:
    value = data.get('covariance')
    found = [number(each) for each in value] if isinstance(value, list) else []
    return tuple(found) if len(found) == 9 and all(map(math.isfinite, found)) else None


def _observations(data: Mapping[str, Any]) -> int:
    """Return how often a thing was observed; 0 if it is not said, as of an area."""
    count = number(data.get('observations'), 0.0)
    is_count = 1 <= count <= LARGEST_WHOLE and count == int(count)
    return int(count) if is_count and data.get('type') != 'cluster' else 0


def _state(data: Mapping[str, Any]) -> NodeState:
    value = data.get('state')
    return NodeState(value) if value in {each.value for each in NodeState} else NodeState.SEEN


def _writer(data: Mapping[str, Any]) -> Writer:
    """Return who has named a place; 'import' for what was seen."""
    return next((each for each in NAMERS if data.get('writer') == each), 'import')


def _box(value: Any) -> tuple[float, ...]:
    """Return the numbers of a box, the lower corner first; empty for an invalid one."""
    if not isinstance(value, Mapping):
        return ()
    corners = [each for each in (value.get('min'), value.get('max')) if isinstance(each, Mapping)]
    found = [number(corner[axis]) for corner in corners for axis in 'xyz' if axis in corner]
    return tuple(found) if all(map(math.isfinite, found)) else ()


def _with_counts(nodes: tuple[Node, ...]) -> list[Node]:
    """Return nodes by level, clusters with their counts and sums, which a file does not have."""
    by_id = {node.node_id: node for node in nodes}
    below = _below(nodes)
    for node in sorted(nodes, key=lambda each: each.level):
        if node.kind == 'cluster':
            children = [by_id[each] for each in below.get(node.node_id, ())]
            count = sum(map(things_below, children))
            by_id[node.node_id] = replace(node, count=count, sums=sums_of(children))
    return sorted(by_id.values(), key=lambda each: each.level)


def _below(nodes: Iterable[Node]) -> dict[str, list[str]]:
    """Return the ids of the nodes below each."""
    below: dict[str, list[str]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node.node_id)
    return below


def _vectors(nodes: list[Node], index: Index) -> Vector | None:
    """Return vectors of things by their texts; of areas by their children, if they have any.

    None: the model is called later.
    """
    rows = index.embed_if_local([node.text for node in nodes])
    if rows is None:
        return None
    at = {node.node_id: number for number, node in enumerate(nodes)}
    below = _below(nodes)
    for row, node in enumerate(nodes):
        parts = [at[each] for each in below.get(node.node_id, ())]
        if node.kind == 'cluster' and parts:
            rows[row] = area_vector([nodes[each] for each in parts], rows[parts])
    return rows
