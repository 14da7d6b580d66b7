"""A question from its words to its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
import time

from embodied_nav.forest.directions import direction
from embodied_nav.retrieval.calibration import Calibration, assumed, read_calibration
from embodied_nav.retrieval.semantic import Question, Scored, likenesses, retrieve
from embodied_nav.retrieval.verdict import judge, with_stages
from embodied_nav.store.port import MemoryStore, Scope
from embodied_nav.values import Hit, Node, Query, Recall
from rover_common.llm.port import Embedder
from rover_common.llm.sanitize import sanitize_line

LONGEST_QUESTION = 500  # characters
BESIDE_M = 3.0
RELATIONS = 4  # neighbours that a hit tells of
CALIBRATION = 'calibration'


class Answering:
    """Reads the store; changes nothing in it."""

    def __init__(self, store: MemoryStore, embedder: Embedder, clock: Callable[[], float]) -> None:
        self._store, self._embedder, self._clock = store, embedder, clock

    def recall(self, query: Query) -> Recall:
        """See `SpatialMemory.recall`."""
        watch = Stopwatch()
        text = sanitize_line(query.text, LONGEST_QUESTION)
        vector = self._embedder.embed([text])[0]
        watch.lap('embed')
        calibration = self.calibration()
        levels = (0, 5) if query.kind == 'global' else (0, 0)
        asked = Scope(
            frame_id=query.frame_id,
            map_epoch=query.map_epoch,
            within=query.within,
            levels=levels,
        )
        question = Question(text, vector, asked, query.k)
        found = likenesses(self._store, question, calibration)
        watch.lap('scan')
        scored = retrieve(self._store, question, calibration, found)
        watch.lap('boost')
        hits = self._hits(scored, calibration)
        watch.lap('context')
        elsewhere, gone = ((), ()) if hits else self._others(question, calibration)
        return with_stages(judge(query, hits, elsewhere, gone), watch.laps)

    def calibration(self) -> Calibration:
        """What was learned of this model's scores, or what is assumed of them."""
        kept = self._store.meta(CALIBRATION)
        return read_calibration(kept) if kept else assumed(self._embedder.model)

    def _others(
        self, question: Question, calibration: Calibration
    ) -> tuple[Sequence[Hit], Sequence[Hit]]:
        """What fits in other maps or outside of the bounds, and what fitted and is gone."""
        everywhere = replace(question, scope=Scope(levels=question.scope.levels))
        known = replace(question, scope=replace(question.scope, retracted=True))
        return tuple(
            self._hits(
                retrieve(
                    self._store, each, calibration, likenesses(self._store, each, calibration)
                ),
                calibration,
            )
            for each in (everywhere, known)
        )  # type: ignore[return-value]

    def _hits(self, scored: Sequence[Scored], calibration: Calibration) -> list[Hit]:
        nodes = self._store.get(each.node_id for each in scored)
        beside = self._store.neighbours(list(nodes), BESIDE_M) if nodes else {}
        others = self._store.get({other for some in beside.values() for other in some[:RELATIONS]})
        areas = self._areas(nodes.values())
        now = self._clock()
        return [
            hit_of(
                nodes[each.node_id],
                each.score,
                calibration.probability(each.likeness),
                now,
                areas,
                [others[other] for other in beside.get(each.node_id, ())[:RELATIONS]],
            )
            for each in scored
            if each.node_id in nodes
        ]

    def _areas(self, nodes: object) -> dict[str, Node]:
        """The clusters above some nodes, by id."""
        known: dict[str, Node] = {}
        wanted = {node.parent for node in nodes if node.parent}  # type: ignore[attr-defined]
        while wanted:
            found = self._store.get(wanted)
            known |= found
            wanted = {node.parent for node in found.values() if node.parent} - known.keys()
        return known


class Stopwatch:
    """ms of each stage."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self.laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """The stage that ends now."""
        now = time.perf_counter()
        self.laps[stage] = (now - self._last) * 1e3
        self._last = now


def hit_of(
    node: Node,
    score: float,
    probability: float,
    now: float,
    areas: dict[str, Node],
    beside: Sequence[Node],
) -> Hit:
    """A node as an answer."""
    parents = []
    above = node.parent
    while above in areas:
        parents.append(areas[above].name)
        above = areas[above].parent
    return Hit(
        node.node_id,
        node.name,
        node.caption or node.summary,
        node.position,
        node.frame_id,
        score,
        probability,
        max(0.0, now - node.last_seen),
        tuple(parents),
        tuple(relation(node, other) for other in beside),
        node.map_epoch,
        node.radius_m,
        node.label,
        node.state,
    )


def relation(node: Node, other: Node) -> str:
    """Where a neighbour lies, in words."""
    there = direction(node.position, other.position)
    return f'{other.name} is {there.distance:.1f} m {there.words} {node.name}'
