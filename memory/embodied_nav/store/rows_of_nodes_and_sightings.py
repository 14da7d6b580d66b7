"""Nodes and sightings as rows of a database, and back; the same for both databases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import json
from typing import Any

from embodied_nav.nodes_of_forest import Node, NodeState
from embodied_nav.observation import Covariance, Position

COLUMNS = (
    'node_id', 'kind', 'level', 'name', 'caption', 'summary', 'label', 'attributes', 'x', 'y', 'z',
    'frame_id', 'map_epoch', 'covariance', 'radius_m', 'first_seen', 'last_seen', 'retracted_at',
    'state', 'reason', 'source', 'writer', 'image_hash', 'image_path', 'box2d', 'box3d', 'parent',
    'parent_level', 'count', 'sx', 'sy', 'sz', 'terms', 'summary_by', 'dirty',
)  # fmt: skip
SIGHTING = (
    'observation_id, node_id, stamp, x, y, z, frame_id, map_epoch, covariance, source, writer, '
    'image_hash, caption'
)


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """One observation as it was received, for provenance; a node is merged from several."""

    observation_id: str
    node_id: str
    stamp: float
    position: Position
    frame_id: str
    map_epoch: int
    covariance: Covariance | None
    source: str
    writer: str
    image_hash: str
    caption: str


def row_of(node: Node) -> tuple[Any, ...]:
    """Return the values of `COLUMNS`."""
    return (
        node.node_id, node.kind, node.level, node.name, node.caption, node.summary, node.label,
        _json(node.attributes), *map(float, node.position), node.frame_id, node.map_epoch,
        _json(node.covariance), node.radius_m, node.first_seen, node.last_seen,
        node.retracted_at, node.state.value, node.reason, node.source, node.writer,
        node.image_hash, node.image_path,
        _json(node.box2d), _json(node.box3d), node.parent, node.parent_level, node.count,
        *node.sums, _json(node.terms), node.summary_by, node.dirty,
    )  # fmt: skip


def node_of(row: Sequence[Any]) -> Node:
    """Return the node of a row by `row_of`."""
    values = dict(zip(COLUMNS, row, strict=True))
    pop = values.pop
    values['position'] = pop('x'), pop('y'), pop('z')
    values['sums'] = pop('sx'), pop('sy'), pop('sz')
    for name in ('attributes', 'box2d', 'box3d'):
        values[name] = tuple(_value(values[name]) or ())
    spread = _value(values['covariance'])
    values['covariance'] = None if spread is None else tuple(spread)
    values['terms'] = tuple((label, count) for label, count in _value(values['terms']) or ())
    values['state'] = NodeState(values['state'])
    node = object.__new__(Node)  # `__init__` of a frozen class takes half of the time
    node.__dict__.update(values)
    return node


def sighting_of(row: Sequence[Any]) -> Sighting:
    """Return the sighting of a row by `row_of_sighting`."""
    values = dict(zip(SIGHTING.split(', '), row, strict=True))
    values['position'] = values.pop('x'), values.pop('y'), values.pop('z')
    covariance = _value(values['covariance'])
    values['covariance'] = tuple(covariance) if covariance else None
    return Sighting(**values)


def row_of_sighting(sighting: Sighting) -> tuple[Any, ...]:
    """Return the values of `SIGHTING`."""
    return (
        sighting.observation_id, sighting.node_id, sighting.stamp, *sighting.position,
        sighting.frame_id, sighting.map_epoch, _json(sighting.covariance), sighting.source,
        sighting.writer, sighting.image_hash, sighting.caption,
    )  # fmt: skip


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if value else ''


def _value(text: str) -> Any:
    return json.loads(text) if text else None
