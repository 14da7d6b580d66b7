"""The node of an area, that is, of a cluster: its position, vector, name and summary.

Name and summary come from a template, so they are never empty; a model may write better ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np

from embodied_nav.llm import UNDEFINED, LLMInterface
from embodied_nav.nodes_of_forest import LEVELS_OF_AREAS, Node
from embodied_nav.observation import Position
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector
from rover_common.llm.model_errors import GivenUpError, ModelError

KEPT_TERMS = 24  # labels that a cluster counts
NAMED_TERMS = 6  # of them, in its summary
NAMED_THINGS = 3


def position_of(sums: tuple[int, int, int], count: int) -> Position:
    """Return the mean position of the things below, in m, to the millimetre."""
    x, y, z = (round(each / count) / 1000.0 for each in sums)
    return x, y, z


def sums_of(nodes: Sequence[Node]) -> tuple[int, int, int]:
    """Return the added positions of the things below, in whole mm: exact in any order."""
    parts = [
        each.sums
        if each.kind == 'cluster'
        else tuple(round(axis * 1000.0) for axis in each.position)
        for each in nodes
    ]
    return sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts)


def things_below(node: Node) -> int:
    """Return the number of things below a node, or 1 for a thing."""
    return node.count if node.kind == 'cluster' else 1


def area(node_id: str, level: int, children: Sequence[Node], before: Node | None) -> Node:
    """Return the cluster of some nodes; `before`: its old node, whose model summary is kept."""
    count = sum(map(things_below, children))
    sums = sums_of(children)
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


class AreaNamer:
    """Lets a model name areas. While it is called, `lock` is free for others.

    `llm`: None: areas keep the texts of the template.
    """

    def __init__(
        self,
        store: MemoryStore,
        lock: AbstractContextManager[object],
        llm: LLMInterface | None = None,
    ) -> None:
        self._store, self._lock, self._llm = store, lock, llm
        self._unnamed: dict[str, int] = {}  # areas that the model had no name for; their changes
        self.fault = ''

    def name(self, calls: int) -> str:
        """Let the model name areas that it has not named, or that have changed since.

        A model that does not answer ends the round.
        """
        if self._llm is None or calls < 1:
            return ''
        done = 0
        with self._lock:
            pending = self._pending()[:calls]
        for area in pending:
            with self._lock:
                children = self._store.children(area.node_id)
            try:
                name, summary = self._llm.generate_community_summary(children)
            except ModelError as error:
                if not isinstance(error, GivenUpError):
                    self.fault = error.sentence
                break
            self.fault = ''
            if self._store_names(area, name, summary):
                done += 1
            else:
                self._unnamed[area.node_id] = area.dirty
        return f'{done} areas were named by {self._llm.model or "the model"}.' if done else ''

    def _pending(self) -> Sequence[Node]:
        areas = [
            node
            for node in self._store.nodes(Scope(levels=LEVELS_OF_AREAS))
            if node.summary_by == 'template' or (node.summary_by == 'model' and node.dirty)
            if self._unnamed.get(node.node_id) != node.dirty
        ]
        return sorted(areas, key=lambda node: (node.summary_by != 'template', node.level))

    def _store_names(self, area: Node, name: str, summary: str) -> bool:
        """Store name and summary, if they are valid and the area still exists."""
        with self._lock, self._store.writing():
            current = self._store.get([area.node_id]).get(area.node_id)
            if current is None or name == UNDEFINED or not summary:
                return False
            named = replace(current, name=name, summary=summary, summary_by='model', dirty=0)
            self._store.put(named)
        return True
