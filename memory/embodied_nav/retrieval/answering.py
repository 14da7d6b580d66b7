"""A question from its words to its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
import math
import time

from embodied_nav.embedding.embedder_calls import NONE, Index
from embodied_nav.embodied_retriever import EmbodiedRetriever, Retrieved, relation
from embodied_nav.forest.directions import BESIDE_M
from embodied_nav.llm import LLMInterface
from embodied_nav.nodes_of_forest import LEVELS_OF_AREAS, Node, NodeState
from embodied_nav.question_and_outcome import Hit, Query, Recall
from embodied_nav.retrieval.answer_verdict import AS_GOOD, AS_LIKELY, AS_NEAR, judge
from embodied_nav.retrieval.answers_by_count_and_order import (
    MOST_COUNTED,
    answer_of,
    final_answer,
    is_such,
)
from embodied_nav.retrieval.answers_by_relation import RelatedQuestion, related
from embodied_nav.retrieval.answers_by_side import outermost_first
from embodied_nav.retrieval.asked_form import Form, form_of
from embodied_nav.retrieval.asked_relation import relation_of
from embodied_nav.retrieval.asked_sides import names_something
from embodied_nav.retrieval.asked_words import asked_of
from embodied_nav.retrieval.calibration import Calibration, assumed, read_calibration
from embodied_nav.retrieval.semantic_search import (
    OFFERED,
    Question,
    Scored,
    areas_above,
    around,
)
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector
from rover_common.llm.model_ports import Embedder
from rover_common.llm.sanitize import sanitize_line

LONGEST_QUESTION = 500  # characters
AROUND_M = (10.0, 30.0, 100.0)  # how far around the asker is looked first
RELATIONS = 4  # neighbours that a hit tells of
THINGS = (0, 0)  # levels
CALIBRATION = 'calibration'
BY_WORDS = ' (By words alone: the embedding model does not answer.)'
OTHER_VECTORS = ' (By words alone: the vectors here are of another model.)'
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
        form = form_of(query.text)
        listed = not form.is_plain or _asks_for_a_time_alone(query.text)
        self._index.wake(lock)
        with lock:
            embedder = self._index.embedder
        vector, asked = self._parts(form.text if listed else query.text, embedder)
        mark = self._parts(form.mark, embedder) if form.mark else (NONE, None)
        watch.lap('embed')
        with lock:
            if listed and query.kind != 'global':
                encoded_s = self._index.meanings.spent_s
                recall = self._by_form(query, form, (vector, asked), mark)
                watch.lap('retrieve')
                watch.count_for('embed', 'retrieve', self._index.meanings.spent_s - encoded_s)
            else:
                recall = self.from_vector(query, vector, watch, asked)
        without = '' if len(vector) else (BY_WORDS if embedder else OTHER_VECTORS)
        return replace(recall, reason=f'{recall.reason}{without}', timings=watch.laps)

    def _parts(
        self, text: str, embedder: Embedder | None
    ) -> tuple[Vector, RelatedQuestion | None]:
        """The vector of a question, and those of its parts if it names a landmark."""
        relation = relation_of(text)
        parts = [relation.thing, *relation.marks] if relation else []
        vector, *others = self._index.of_questions([text, *parts], embedder)
        return vector, (
            RelatedQuestion(relation, others[0], tuple(others[1:])) if relation else None
        )

    def _by_form(
        self,
        query: Query,
        form: Form,
        things: tuple[Vector, RelatedQuestion | None],
        mark: tuple[Vector, RelatedQuestion | None],
    ) -> Recall:
        """The answer to how many, first, last, before, after."""
        landmark = None
        if form.mark:
            known = self._alike_all(replace(query, text=form.mark), *mark)
            best = next((hit.node_id for hit in known if is_such(hit)), '')
            landmark = self._store.get([best]).get(best)
        hits = self._alike_all(replace(query, text=form.text), *things, form.toward)
        here = query.near
        if here is not None:
            hits = [hit for hit in hits if math.dist(hit.position, here) <= AROUND_M[0]]
        nodes = self._store.get([hit.node_id for hit in hits])
        recall = answer_of(form, hits, nodes, landmark, self._clock())
        return final_answer(query, recall, AROUND_M[0])

    def _alike_all(
        self, query: Query, vector: Vector, asked: RelatedQuestion | None, toward: str = ''
    ) -> list[Hit]:
        """All that a question may mean; everything, if it names nothing, as far to a side."""
        scope = Scope(
            frame_id=query.frame_id,
            map_epoch=query.map_epoch,
            within=query.within,
            levels=THINGS,
        )
        question = Question(query.text, vector, scope, MOST_COUNTED, names=True)
        if names_something(query.text) or asked:
            plain = replace(query, near=None, kind='explicit', k=MOST_COUNTED)
            return self._hits(self._found(self.retriever(), question, plain, asked).nodes)
        now, time = self._clock(), question.asked.time
        nodes = self._store.nodes(scope)
        return self._hits(
            [
                Scored(node.node_id, 1.0, 1.0, 1.0)
                for node in (outermost_first(toward, nodes) if toward else nodes)
                if time.holds(max(0.0, now - node.last_seen))
            ][:MOST_COUNTED]
        )

    def from_vector(
        self,
        query: Query,
        vector: Vector,
        watch: Stopwatch,
        relation: RelatedQuestion | None = None,
    ) -> Recall:
        """The answer for a question whose vector is known, and those of its parts, if any."""
        retriever = self.retriever()
        scope = Scope(
            frame_id=query.frame_id,
            map_epoch=query.map_epoch,
            within=query.within,
            levels=THINGS,
        )
        encoded_s = self._index.meanings.spent_s
        is_need = self._index.meanings.says_need(query.text)
        question = Question(query.text, vector, scope, query.k, is_need=is_need)
        found = self._found(retriever, question, query, relation)
        watch.lap('retrieve')
        watch.count_for('embed', 'retrieve', self._index.meanings.spent_s - encoded_s)
        wants_one = query.kind == 'explicit'  # what is offered beside it is the rest of the best
        nodes = [each for each in found.nodes if wants_one or each.may_be]
        hits = self._hits(nodes[: query.k])
        watch.lap('context')
        elsewhere, gone = self._others(question, retriever, hits, query.kind == 'explicit')
        asked = question.asked
        also = AS_NEAR if found.means_first else AS_GOOD if asked.means_any else ''
        recall = judge(query, hits, elsewhere, gone, asked.is_implied, also)
        reason = f'{recall.reason} {found.fault}'.strip()
        return replace(
            recall, reason=reason, chain=found.chain, calls=found.calls, fault=found.fault
        )

    def retriever(self) -> EmbodiedRetriever:
        """What finds nodes, with what is known now."""
        return EmbodiedRetriever(
            self._store, self._llm, self.calibration(), self._index.meanings, now=self._clock()
        )

    def calibration(self) -> Calibration:
        """What was learned of this model's scores, or what is assumed of them."""
        kept, model = self._store.meta(CALIBRATION), self._index.model
        known = read_calibration(kept) if kept else None
        return known if known is not None and known.model == model else assumed(model)

    def _found(
        self,
        retriever: EmbodiedRetriever,
        question: Question,
        query: Query,
        asked: RelatedQuestion | None,
    ) -> Retrieved:
        """What lies as it was asked for; without such a thing, what is like the whole question.

        Of a sentence that names things each word must be said, so nothing is like the whole of it
        where nothing is called what its landmark is.
        """
        beside = related(self._store, retriever, question, asked) if asked else ()
        if asked and beside:
            if not beside[0].lacking:
                return Retrieved(beside, means_first=asked.relation.nearest)
            if not question.asked.is_implied and asked.names_landmark(beside[0].lacking):
                return Retrieved(beside)
        found = self._alike(retriever, question, query)
        fits = bool(found.nodes) and not found.nodes[0].lacking
        return Retrieved(beside) if beside and not fits else found

    def _alike(self, retriever: EmbodiedRetriever, question: Question, query: Query) -> Retrieved:
        """What is like it; with an asker somewhere, first of all what is so around there.

        A global question is answered by areas, or by things if no area fits.
        """
        if query.kind == 'global':
            areas = replace(question, scope=replace(question.scope, levels=LEVELS_OF_AREAS))
            found = retriever.retrieve(areas, query.method, query.near)
            if found.nodes:
                return found
        found = retriever.retrieve(question, query.method, query.near)
        if query.near is None or not found.nodes:
            return found
        best = found.nodes[0]
        for radius in AROUND_M:
            box = around(query.near, radius, query.within)
            local = retriever.retrieve(
                replace(question, scope=replace(question.scope, within=box))
            )
            near = tuple(
                each
                for each in local.nodes
                if each.likeness >= AS_LIKELY * best.likeness
                and bool(each.lacking) == bool(best.lacking)
            )
            if near:
                return replace(found, nodes=near)
        return found

    def _others(
        self,
        question: Question,
        retriever: EmbodiedRetriever,
        hits: Sequence[Hit],
        means_one: bool,
    ) -> tuple[list[Hit], list[Hit]]:
        """What fits in other maps or outside of the bounds, and what fitted and is gone."""

        def all_of(asked: Question) -> list[Hit]:
            nodes = retriever.retrieve(asked).nodes
            return self._hits([each for each in nodes if not (means_one and each.lacking)])

        scope = Scope(levels=question.scope.levels)
        is_sure = bool(hits) and hits[0].probability >= AS_LIKELY
        elsewhere: list[Hit] = []
        if scope != question.scope and not is_sure:
            known = {hit.node_id for hit in hits}
            found = all_of(replace(question, scope=scope))
            elsewhere = [
                hit
                for hit in found
                if hit.node_id not in known and not _is_in(question.scope, hit)
            ]
        gone: list[Hit] = []
        if self._store.meta(RETRACTED):
            everything = replace(question, scope=replace(question.scope, retracted=True))
            found = all_of(everything)
            gone = [hit for hit in found if hit.state is NodeState.RETRACTED]
        return elsewhere, gone

    def _hits(self, scored: Sequence[Scored]) -> list[Hit]:
        nodes = self._store.get(each.node_id for each in scored)
        beside = self._store.neighbours(list(nodes), BESIDE_M) if nodes else {}
        others = self._store.get({other for some in beside.values() for other in some[:RELATIONS]})
        areas = areas_above(self._store, nodes.values())
        now = self._clock()
        return [
            hit_of(
                nodes[each.node_id],
                each,
                now,
                areas,
                [others[other] for other in beside.get(each.node_id, ())[:RELATIONS]],
            )
            for each in scored
            if each.node_id in nodes
        ]


def _is_in(scope: Scope, hit: Hit) -> bool:
    """Whether a hit is of the frame, the map and the bounds that were asked for."""
    if scope.frame_id not in ('', hit.frame_id) or scope.map_epoch not in (None, hit.map_epoch):
        return False
    low_x, low_y, high_x, high_y = scope.within or (-math.inf, -math.inf, math.inf, math.inf)
    return low_x <= hit.position[0] <= high_x and low_y <= hit.position[1] <= high_y


def _asks_for_a_time_alone(text: str) -> bool:
    asked = asked_of(text)
    return bool(asked.time.text) and not asked.names_something


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

    def count_for(self, stage: str, instead_of: str, seconds: float) -> None:
        """A part of one stage belongs to another."""
        self.laps[instead_of] -= seconds * 1e3
        self.laps[stage] = self.laps.get(stage, 0.0) + seconds * 1e3


def hit_of(
    node: Node,
    scored: Scored,
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
        scored.score,
        min(scored.probability, OFFERED) if scored.lacking else scored.probability,
        max(0.0, now - node.last_seen),
        tuple(parents),
        tuple(relation(node, other) for other in beside),
        node.map_epoch,
        node.radius_m,
        node.label,
        node.state,
        node.writer,
        scored.carried,
        scored.lacking,
    )
