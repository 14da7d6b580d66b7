"""A question from its words to its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
import time

from embodied_nav.embodied_retriever import EmbodiedRetriever, relation
from embodied_nav.forest.directions import BESIDE_M
from embodied_nav.llm import LLMInterface
from embodied_nav.retrieval.calibration import Calibration, assumed, read_calibration
from embodied_nav.retrieval.semantic import Question, Scored
from embodied_nav.retrieval.verdict import judge
from embodied_nav.store.port import MemoryStore, Scope, Vector
from embodied_nav.values import Hit, Node, Query, Recall
from rover_common.llm.port import Embedder
from rover_common.llm.sanitize import sanitize_line

LONGEST_QUESTION = 500  # characters
RELATIONS = 4  # neighbours that a hit tells of
CALIBRATION = 'calibration'


class Answering:
    """Reads the store; changes nothing in it."""

    def __init__(
        self,
        store: MemoryStore,
        embedder: Embedder,
        clock: Callable[[], float],
        llm: LLMInterface | None = None,
    ) -> None:
        self._store, self._embedder, self._clock, self._llm = store, embedder, clock, llm

    def recall(self, query: Query) -> Recall:
        """See `SpatialMemory.recall`."""
        watch = Stopwatch()
        text = sanitize_line(query.text, LONGEST_QUESTION)
        vector = self._embedder.embed([text])[0]
        watch.lap('embed')
        recall = self.from_vector(replace(query, text=text), vector, watch)
        return replace(recall, timings=watch.laps)

    def from_vector(self, query: Query, vector: Vector, watch: Stopwatch) -> Recall:
        """The answer for a question whose vector is known."""
        calibration = self.calibration()
        retriever = EmbodiedRetriever(self._store, self._llm, calibration)
        scope = Scope(
            frame_id=query.frame_id,
            map_epoch=query.map_epoch,
            within=query.within,
            levels=(0, 5) if query.kind == 'global' else (0, 0),
        )
        question = Question(query.text, vector, scope, query.k)
        found = retriever.retrieve(question, query.method, query.near)
        watch.lap('retrieve')
        hits = self._hits(found.nodes, calibration)
        watch.lap('context')
        elsewhere, gone = ([], []) if hits else self._others(question, retriever, calibration)
        recall = judge(query, hits, elsewhere, gone)
        reason = f'{recall.reason} {found.fault}'.strip()
        return replace(recall, reason=reason, chain=found.chain, calls=found.calls)

    def calibration(self) -> Calibration:
        """What was learned of this model's scores, or what is assumed of them."""
        kept = self._store.meta(CALIBRATION)
        return read_calibration(kept) if kept else assumed(self._embedder.model)

    def _others(
        self, question: Question, retriever: EmbodiedRetriever, calibration: Calibration
    ) -> tuple[list[Hit], list[Hit]]:
        """What fits in other maps or outside of the bounds, and what fitted and is gone."""
        everywhere = replace(question, scope=Scope(levels=question.scope.levels))
        known = replace(question, scope=replace(question.scope, retracted=True))
        elsewhere, gone = (
            self._hits(retriever.retrieve(each).nodes, calibration) for each in (everywhere, known)
        )
        return elsewhere, gone

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

    def _areas(self, nodes: Iterable[Node]) -> dict[str, Node]:
        """The clusters above some nodes, by id."""
        known: dict[str, Node] = {}
        wanted = {node.parent for node in nodes if node.parent}
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
