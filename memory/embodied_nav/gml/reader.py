"""Reads GML: our own files, and those of the public implementation with all of their habits.

Those are undirected, so a "part_of" edge does not say who is part of whom (the levels do), and
directions are derived from the poses anew. Positions come as `[x y z]`, as text or as three
keys; numbers come as text; captions are missing. Nothing is ever evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import math
from pathlib import Path
import re
from typing import Any

from embodied_nav.gml.file import Places, Text
from embodied_nav.values import (
    LARGEST,
    LONGEST_CAPTION,
    LONGEST_NAME,
    ROOT_LEVEL,
    Node,
    NodeState,
    Position,
)
from rover_common.finite_number import finite_number
from rover_common.llm.sanitize import sanitize_line

KINDS = {'object': 'object', 'cluster': 'cluster', 'drone': 'drone', 'rover': 'rover',
         'vehicle': 'rover'}  # fmt: skip
HIGHEST = 5
LARGEST_EPOCH = 2**53  # what a float holds exactly
_NUMBER = re.compile(r'[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?')
_PLACE = re.compile(rf'\s*[\[(]?\s*({_NUMBER.pattern})[\s,]+({_NUMBER.pattern})[\s,]+'
                    rf'({_NUMBER.pattern})\s*[\])]?\s*')  # fmt: skip


def read_gml(path: Path) -> Places:
    """What a file holds.

    Raises:
        MemoryStoreError: It is damaged or says what cannot be; file, line and reason.
    """
    text = Text(path)
    graph = text.graph()
    nodes = {str(each): _node(text, str(each), data) for each, data in graph.nodes(data=True)}
    parents: dict[str, str] = {}
    ways: list[tuple[str, str]] = []
    for start, end, data in graph.edges(data=True):
        one, other = str(start), str(end)
        if data.get('relationship') == 'part_of':
            _part(text, nodes, parents, one, other)
        elif str(data.get('type', '')).endswith('_path'):
            ways.append((one, other))
    return Places(tuple(_with_parent(nodes, parents, each) for each in nodes), tuple(ways))


def number(value: Any, otherwise: float = math.nan) -> float:
    """A finite number, also one that is written as text; `otherwise` for what is none."""
    if isinstance(value, str) and not _NUMBER.fullmatch(value.strip()):
        return otherwise
    found = finite_number(float(value) if isinstance(value, str) else value)
    return otherwise if found is None else found


def place(value: Any) -> Position | None:
    """Three numbers in any of the forms that are about; None if they are not there."""
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


def _node(text: Text, node_id: str, data: Mapping[str, Any]) -> Node:
    line = text.line_of(node_id)
    kind = KINDS.get(str(data.get('type', 'object')))
    if kind is None:
        raise text.fault(f'node {node_id!r} has the type {str(data["type"])[:40]!r}', line)
    position = place(data.get('position'))
    if position is None:
        given = str(data.get('position', 'none'))[:60]
        raise text.fault(f'the position of node {node_id!r} is {given}, not three numbers', line)
    level = number(data.get('level', 0)) if kind == 'cluster' else 0.0
    if kind == 'cluster' and (level not in range(1, HIGHEST + 1)):
        raise text.fault(f'cluster {node_id!r} has the level {data.get("level")!r}, not 1 to 5',
                         line)  # fmt: skip
    seen = number(data.get('timestamp', 0.0), 0.0)
    epoch, radius = number(data.get('map_epoch', 0)), number(data.get('radius_m', 0.5))
    if not (abs(epoch) <= LARGEST_EPOCH and epoch == int(epoch)):
        given = str(data['map_epoch'])[:60]
        raise text.fault(f'the map_epoch of node {node_id!r} is {given}, no number of a map', line)
    if not 0.0 <= radius <= LARGEST:
        given = str(data['radius_m'])[:60]
        raise text.fault(f'the radius_m of node {node_id!r} is {given}, no length in m', line)
    return Node(
        node_id=node_id,
        kind=kind,  # type: ignore[arg-type]
        level=int(level),
        name=_line(data, 'name', LONGEST_NAME) or sanitize_line(node_id, LONGEST_NAME),
        caption=_line(data, 'caption', LONGEST_CAPTION),
        summary=_line(data, 'summary', LONGEST_CAPTION),
        label=_line(data, 'category', LONGEST_NAME),
        position=position,
        frame_id=_line(data, 'frame_id', LONGEST_NAME) or 'map',
        map_epoch=int(epoch),
        radius_m=radius,
        first_seen=number(data.get('first_seen', seen), seen),
        last_seen=seen,
        state=_state(data),
        source=_line(data, 'source', LONGEST_NAME),
        writer='import',
        image_path=_line(data, 'image_path', LONGEST_CAPTION),
        image_hash=_line(data, 'image_hash', LONGEST_NAME),
        box2d=_box(data.get('box2D')),
        box3d=_box(data.get('box3D')),
        count=1,
        summary_by='import',
    )


def _part(
    text: Text, nodes: Mapping[str, Node], parents: dict[str, str], one: str, other: str
) -> None:
    low, high = sorted((one, other), key=lambda each: nodes[each].level)
    line = text.line_of(low)
    if nodes[low].level == nodes[high].level:
        raise text.fault(f'{one!r} and {other!r} are part of each other on one level', line)
    if parents.setdefault(low, high) != high:
        raise text.fault(f'{low!r} is part of two: {parents[low]!r} and {high!r}', line)


def _with_parent(nodes: Mapping[str, Node], parents: Mapping[str, str], node_id: str) -> Node:
    above = parents.get(node_id, '')
    level = nodes[above].level if above else ROOT_LEVEL
    return replace(nodes[node_id], parent=above, parent_level=level)


def _line(data: Mapping[str, Any], key: str, limit: int) -> str:
    value = data.get(key, '')
    return sanitize_line(str(value), limit) if isinstance(value, (str, int, float)) else ''


def _state(data: Mapping[str, Any]) -> NodeState:
    known = {each.value for each in NodeState}
    value = data.get('state')
    return NodeState(value) if value in known else NodeState.SEEN


def _box(value: Any) -> tuple[float, ...]:
    """The numbers of a box, the lower corner first; empty for what is none."""
    if not isinstance(value, Mapping):
        return ()
    corners = [each for each in (value.get('min'), value.get('max')) if isinstance(each, Mapping)]
    found = [number(corner[axis]) for corner in corners for axis in 'xyz' if axis in corner]
    return tuple(found) if all(map(math.isfinite, found)) else ()
