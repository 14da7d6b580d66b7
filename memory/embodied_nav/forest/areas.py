"""Builds the node of a cluster: its position, name and summary. Pure.

Name and summary come from a template, so they are never empty; a model may write better ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import Position
from embodied_nav.store.memory_store import Vector

KEPT_TERMS = 24  # labels that a cluster counts
NAMED_TERMS = 6  # of them, in its summary
NAMED_THINGS = 3


def position_of(sums: tuple[int, int, int], count: int) -> Position:
    """Return the mean position of the things below, in m, to the millimetre."""
    x, y, z = (round(each / count) / 1000.0 for each in sums)
    return x, y, z


def millimetres(position: Position) -> tuple[int, int, int]:
    """Return a position as whole millimetres, which add up exactly in any order."""
    x, y, z = (round(each * 1000.0) for each in position)
    return x, y, z


def things_below(node: Node) -> int:
    """Return the number of things below a node, or 1 for a thing."""
    return node.count if node.kind == 'cluster' else 1


def area(node_id: str, level: int, children: Sequence[Node], before: Node | None) -> Node:
    """Return the cluster of some nodes; `before`: its old node, whose model summary is kept."""
    count = sum(map(things_below, children))
    parts = [
        each.sums if each.kind == 'cluster' else millimetres(each.position) for each in children
    ]
    sums = (sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts))
    terms = _terms(children)
    by_model = before is not None and before.summary_by == 'model'
    # A noisy position does not outdate a model's summary.
    is_same = before is not None and (before.count, before.terms) == (count, terms)
    node = Node(
        node_id=node_id,
        kind='cluster',
        level=level,
        name=_name(node_id, terms),
        summary=_summary(count, terms, children),
        position=position_of(sums, count),
        frame_id=children[0].frame_id,
        map_epoch=children[0].map_epoch,
        first_seen=min(each.first_seen for each in children),
        last_seen=max(each.last_seen for each in children),
        parent=before.parent if before else '',
        parent_level=before.parent_level if before else 6,
        count=count,
        sums=sums,
        terms=terms,
        dirty=(before.dirty if before else 0) + (not is_same),
    )
    if before is not None and by_model:
        node = replace(node, name=before.name, summary=before.summary, summary_by='model')
    return node


def area_vector(children: Sequence[Node], vectors: Vector) -> Vector:
    """Return the mean vector of the children, of length 1; it needs no call of the model."""
    weights = np.array([[things_below(each)] for each in children], np.float32)
    mean = (vectors * weights).sum(axis=0)
    length = float(np.linalg.norm(mean))
    unit: Vector = (mean / length if length else mean).astype(np.float32)
    return unit


def _terms(children: Sequence[Node]) -> tuple[tuple[str, int], ...]:
    counts: Counter[str] = Counter()
    for each in children:
        counts.update(dict(each.terms) if each.kind == 'cluster' else {_label(each): 1})
    ordered = sorted(counts.items(), key=lambda term: (-term[1], term[0]))
    return tuple(ordered[:KEPT_TERMS])


def _label(node: Node) -> str:
    return node.label or node.name.rstrip('0123456789').rstrip('_')


def _name(node_id: str, terms: Sequence[tuple[str, int]]) -> str:
    """Return its commonest label and its number: never empty, so its parents have names, too."""
    label = terms[0][0] if terms else 'place'
    number = node_id.rsplit('_', 1)[-1]
    return f'{label.replace("_", " ")} area {number}'


def _summary(count: int, terms: Sequence[tuple[str, int]], children: Sequence[Node]) -> str:
    kinds = ', '.join(f'{times} {label.replace("_", " ")}' for label, times in terms[:NAMED_TERMS])
    named = [each.name.replace('_', ' ') for each in children if each.kind == 'object']
    among = f' Among them: {", ".join(named[:NAMED_THINGS])}.' if named else ''
    return f'Area with {count} things: {kinds}.{among}'
