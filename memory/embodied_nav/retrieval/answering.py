"""A question from its words to its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
import time

from embodied_nav.embedding.index import Index
from embodied_nav.embodied_retriever import EmbodiedRetriever, Retrieved, relation
from embodied_nav.forest.directions import BESIDE_M
from embodied_nav.llm import LLMInterface
from embodied_nav.retrieval.calibration import Calibration, assumed, read_calibration
from embodied_nav.retrieval.fitting import Fitting
from embodied_nav.retrieval.relations import RelatedQuestion, related, relation_of
from embodied_nav.retrieval.semantic import Question, Scored, around, likenesses
from embodied_nav.retrieval.verdict import AS_LIKELY, judge
from embodied_nav.store.port import MemoryStore, Scope, Vector
from embodied_nav.values import (
    LEVELS_OF_AREAS,
    Hit,
    Node,
    NodeState,
    Query,
    Recall,
    RetrievalMethod,
)
from rover_common.llm.sanitize import sanitize_line

LONGEST_QUESTION = 500  # characters
AROUND_M = (10.0, 30.0, 100.0)  # how far around the asker is looked first
RELATIONS = 4  # neighbours that a hit tells of
THINGS = (0, 0)  # levels
CALIBRATION = 'calibration'
BY_WORDS = ' (By words alone: the embedding model does not answer.)'
RETRACTED = 'retracted'  # key of the store's note that something was retracted once


class Answering:
    """Reads the store; changes nothing in it."""

    def __init__(
        self,
        store: MemoryStore,
        index: Index,
        clock: Callable[[], float],
        llm: LLMInterface | None = None,
    ) -> None:
        self._store, self._index, self._clock, self._llm = store, index, clock, llm

    def recall(self, query: Query, lock: AbstractContextManager[object]) -> Recall:
        """See `SpatialMemory.recall`. The embedding model is asked while the lock is free."""
        watch = Stopwatch()
        query = replace(query, text=sanitize_line(query.text, LONGEST_QUESTION))
        with lock:
            embedder = self._index.embedder
        relation = relation_of(query.text)
        parts = (relation.thing, relation.mark) if relation else ()
        vector, *others = self._index.of_questions([query.text, *parts], embedder)
        asked = RelatedQuestion(relation, *others) if relation else None
        watch.lap('embed')
        with lock:
            recall = self.from_vector(query, vector, watch, asked)
        without = '' if len(vector) else BY_WORDS
        return replace(recall, reason=f'{recall.reason}{without}', timings=watch.laps)

    def from_vector(
        self,
        query: Query,
        vector: Vector,
        watch: Stopwatch,
        relation: RelatedQuestion | None = None,
    ) -> Recall:
        """The answer for a question whose vector is known, and those of its parts, if any.

        An explicit question means one thing, and each of its words is to be said of that thing.
        """
        calibration = self.calibration()
        retriever = EmbodiedRetriever(self._store, self._llm, calibration)
        means_one = query.kind == 'explicit'
        scope = Scope(
            frame_id=query.frame_id,
            map_epoch=query.map_epoch,
            within=query.within,
            levels=THINGS,
        )
        question = Question(query.text, vector, scope, query.k)
        fitting = Fitting(self._store, query.text, self._clock) if means_one else None
        beside, of_thing = self._beside(retriever, question, relation, means_one)
        if beside:
            found, fitting = Retrieved(beside), of_thing
        else:
            found = self._retrieved(retriever, question, query, fitting)
        watch.lap('retrieve')
        hits = self._hits(found.nodes[: query.k], calibration)
        watch.lap('context')
        elsewhere, gone = self._others(question, retriever, calibration, hits, fitting)
        lacking = fitting.missing(hits[0].node_id) if fitting and hits else ()
        recall = judge(query, hits, elsewhere, gone, lacking)
        reason = f'{recall.reason} {found.fault}'.strip()
        return replace(recall, reason=reason, chain=found.chain, calls=found.calls)

    def calibration(self) -> Calibration:
        """What was learned of this model's scores, or what is assumed of them."""
        kept, model = self._store.meta(CALIBRATION), self._index.model
        known = read_calibration(kept) if kept else assumed(model)
        return known if known.model == model else assumed(model)

    def _beside(
        self,
        retriever: EmbodiedRetriever,
        question: Question,
        asked: RelatedQuestion | None,
        means_one: bool,
    ) -> tuple[tuple[Scored, ...], Fitting | None]:
        """What lies so, and which words it must carry itself: those before the word of place."""
        if asked is None:
            return (), None
        if not means_one:
            return related(self._store, retriever, question, asked), None
        thing = Fitting(self._store, asked.relation.thing, self._clock)
        mark = Fitting(self._store, asked.relation.mark, self._clock)
        found = related(self._store, retriever, question, asked, mark)
        return thing.those(found) or found, thing

    def _retrieved(
        self,
        retriever: EmbodiedRetriever,
        question: Question,
        query: Query,
        fitting: Fitting | None,
    ) -> Retrieved:
        """What is like the question; what carries all of its words, if there is such a thing."""
        found = self._alike(retriever, question, query, fitting)
        if fitting is None:
            return found
        if fits := fitting.those(found.nodes):
            return replace(found, nodes=fits)
        by_words = replace(query, method=RetrievalMethod.SEMANTIC)  # no model is asked twice
        other = self._alike(retriever, fitting.reworded(question), by_words, fitting)
        nodes = fitting.those(other.nodes) or found.nodes
        alike = () if nodes else likenesses(self._store, question, self.calibration())
        return replace(found, nodes=nodes or fitting.of_that_kind(alike))

    def _alike(
        self,
        retriever: EmbodiedRetriever,
        question: Question,
        query: Query,
        fitting: Fitting | None,
    ) -> Retrieved:
        """What is like it; with an asker somewhere, first of all what is so around there.

        A global question is answered by areas, or by things if no area fits.
        """
        if query.kind == 'global':
            areas = replace(question, scope=replace(question.scope, levels=LEVELS_OF_AREAS))
            found = retriever.retrieve(areas, query.method, query.near)
            if found.nodes:
                return found
        found = retriever.retrieve(question, query.method, query.near)
        if query.near is None or fitting is None or not found.nodes:
            return found
        found = replace(found, nodes=fitting.those(found.nodes) or found.nodes)
        enough = AS_LIKELY * max(each.likeness for each in found.nodes)
        for radius in AROUND_M:
            box = around(query.near, radius, query.within)
            local = retriever.retrieve(
                replace(question, scope=replace(question.scope, within=box))
            )
            near = [each for each in local.nodes if each.likeness >= enough]
            if fits := fitting.those(near):
                return replace(found, nodes=fits)
        return found

    def _others(
        self,
        question: Question,
        retriever: EmbodiedRetriever,
        calibration: Calibration,
        hits: Sequence[Hit],
        fitting: Fitting | None,
    ) -> tuple[list[Hit], list[Hit]]:
        """What fits in other maps or outside of the bounds, and what fitted and is gone."""

        def all_of(asked: Question) -> list[Hit]:
            nodes = retriever.retrieve(asked).nodes
            return self._hits(fitting.those(nodes) if fitting else nodes, calibration)

        scope = Scope(levels=question.scope.levels)
        is_sure = bool(hits) and hits[0].probability >= AS_LIKELY
        elsewhere: list[Hit] = []
        if scope != question.scope and not is_sure:
            known = {hit.node_id for hit in hits}
            found = all_of(replace(question, scope=scope))
            elsewhere = [hit for hit in found if hit.node_id not in known]
        gone: list[Hit] = []
        if self._store.meta(RETRACTED):
            everything = replace(question, scope=replace(question.scope, retracted=True))
            found = all_of(everything)
            gone = [hit for hit in found if hit.state is NodeState.RETRACTED]
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
        node.writer,
    )
