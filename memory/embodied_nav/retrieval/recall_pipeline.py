"""The way of a query through the memory: parsed, encoded, retrieved, judged, timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
import math
import time

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.embedding.vector_index import NO_VECTOR, Index
from embodied_nav.embodied_retriever import EmbodiedRetriever, Retrieved
from embodied_nav.forest.neighbours_and_directions import BESIDE_M, direction
from embodied_nav.llm import LLMInterface
from embodied_nav.nodes_of_forest import LEVELS_OF_AREAS, Node, NodeState, age_s
from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import Hit, Query, Recall
from embodied_nav.retrieval.answer_verdict import AS_GOOD, AS_LIKELY, AS_NEAR, judge
from embodied_nav.retrieval.calibration import current_calibration
from embodied_nav.retrieval.candidate_ranking import (
    OFFERED,
    EncodedQuery,
    ScoredNode,
    ancestors_of,
)
from embodied_nav.retrieval.casual_speech import written_form
from embodied_nav.retrieval.compass_direction_queries import farthest_first, has_content
from embodied_nav.retrieval.count_and_order_queries import (
    MAX_COUNTED,
    QueryForm,
    answer_of,
    final_answer,
    parse_form,
)
from embodied_nav.retrieval.landmark_queries import (
    Encoded,
    EncodedRelation,
    encode_with_landmarks,
    retrieve_related,
    square_around,
)
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector
from rover_common.text_sanitizing import sanitize_line

LONGEST_QUESTION = 500  # characters
AROUND_M = (10.0, 30.0, 100.0)  # radii around the asker, searched one after the other
RELATIONS = 4  # neighbours that a hit names
THINGS = (0, 0)  # levels
BY_WORDS = ' (By words alone: the embedding model does not answer.)'
OTHER_VECTORS = ' (By words alone: the vectors here are of another model.)'
RETRACTED = 'retracted'  # key in the store: something was retracted once


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
        """See `SpatialMemory.recall`. The embedding model is called while the lock is free."""
        watch = Stopwatch(self._index.term_vectors)
        asked = sanitize_line(query.text, LONGEST_QUESTION)
        query = replace(query, text=written_form(asked))
        form = parse_form(query.text)
        has_form = not form.is_plain or _is_only_time(query.text)
        self._index.wake(lock)
        with lock:
            embedder = self._index.embedder
        embed = partial(self._index.embed_queries, embedder=embedder)
        encoded = encode_with_landmarks(form.text if has_form else query.text, embed)
        landmark: Encoded = (NO_VECTOR, None)
        if form.landmark:
            landmark = encode_with_landmarks(form.landmark, embed)
        watch.lap('embed')
        with lock:
            if has_form and query.kind != 'global':
                recall = self._by_form(query, form, encoded, landmark)
                watch.lap('retrieve')
            else:
                recall = self._by_rank(query, encoded, watch)
        fault = '' if len(encoded[0]) else (BY_WORDS if embedder else OTHER_VECTORS)
        return replace(recall, reason=f'{recall.reason}{fault}', timings=watch.laps)

    def _by_form(
        self, query: Query, form: QueryForm, encoded: Encoded, encoded_landmark: Encoded
    ) -> Recall:
        """Return the answer to how many, first, last, before, after."""
        landmark = None
        if form.landmark:
            hits = self._all_similar(replace(query, text=form.landmark), *encoded_landmark)
            best = next((hit.node_id for hit in hits if hit.has_only_supported), '')
            landmark = self._store.get([best]).get(best)
        vector, relation = encoded
        if relation is not None:
            all_of_it = replace(relation.relation, all_are_meant=True)
            relation = replace(relation, relation=all_of_it)
        hits = self._all_similar(replace(query, text=form.text), vector, relation, form.direction)
        here = query.near
        if here is not None:
            hits = [hit for hit in hits if math.dist(hit.position, here) <= AROUND_M[0]]
        nodes = self._store.get([hit.node_id for hit in hits])
        recall = answer_of(form, hits, nodes, landmark, self._clock())
        return final_answer(query, recall, AROUND_M[0])

    def _all_similar(
        self, query: Query, vector: Vector, relation: EncodedRelation | None, direction: str = ''
    ) -> list[Hit]:
        """Return all that may be meant; if the query names nothing, everything, farthest first."""
        scope = _scope_of(query)
        encoded = EncodedQuery(query.text, vector, scope, MAX_COUNTED, names_thing=True)
        if has_content(query.text) or relation:
            anywhere = replace(query, near=None, kind='explicit', k=MAX_COUNTED)
            found = self._retrieve(self.retriever(), encoded, anywhere, relation)
            return self._hits(found.nodes)
        now, constraint = self._clock(), encoded.parsed.time
        nodes = self._store.nodes(scope)
        return self._hits(
            [
                ScoredNode(node.node_id, 1.0, 1.0, 1.0)
                for node in (farthest_first(direction, nodes) if direction else nodes)
                if constraint.matches(age_s(node.last_seen, now))
            ][:MAX_COUNTED]
        )

    def _by_rank(self, query: Query, encoded: Encoded, watch: Stopwatch) -> Recall:
        """Return the answer for one thing: the best ranked one, if it fits."""
        vector, relation = encoded
        retriever = self.retriever()
        is_need = self._index.term_vectors.needs.is_stated_in(query.text)
        encoded_query = EncodedQuery(
            query.text, vector, _scope_of(query), query.k, is_need=is_need
        )
        found = self._retrieve(retriever, encoded_query, query, relation)
        watch.lap('retrieve')
        wants_one = query.kind == 'explicit'  # the others are offered beside the best one
        nodes = [node for node in found.nodes if wants_one or node.is_plausible]
        hits = self._hits(nodes[: query.k])
        watch.lap('context')
        elsewhere, retracted = self._out_of_scope(encoded_query, retriever, hits, wants_one)
        parsed = encoded_query.parsed
        also = AS_NEAR if found.is_nearest else AS_GOOD if parsed.accepts_any else ''
        recall = judge(query, hits, elsewhere, retracted, parsed.is_implied, also)
        reason = f'{recall.reason} {found.fault}'.strip()
        return replace(
            recall, reason=reason, chain=found.chain, calls=found.calls, fault=found.fault
        )

    def retriever(self) -> EmbodiedRetriever:
        """Return a retriever for the store as it is now."""
        return EmbodiedRetriever(
            self._store,
            self._llm,
            current_calibration(self._store, self._index.model),
            self._index.term_vectors,
            now=self._clock(),
        )

    def _retrieve(
        self,
        retriever: EmbodiedRetriever,
        encoded: EncodedQuery,
        query: Query,
        relation: EncodedRelation | None,
    ) -> Retrieved:
        """Return what is in the relation of the query; else what is similar to the whole of it.

        Each term of a query that names things must be supported, so the whole query has no answer
        where no thing has the name of its landmark.
        """
        in_relation = (
            retrieve_related(self._store, retriever, encoded, relation) if relation else ()
        )
        if relation and in_relation:
            if not in_relation[0].unsupported:
                return Retrieved(in_relation, is_nearest=relation.relation.nearest)
            names_landmark = relation.names_landmark(in_relation[0].unsupported)
            if not encoded.parsed.is_implied and names_landmark:
                return Retrieved(in_relation)
        found = self._similar(retriever, encoded, query)
        fits = bool(found.nodes) and not found.nodes[0].unsupported
        return Retrieved(in_relation) if in_relation and not fits else found

    def _similar(
        self, retriever: EmbodiedRetriever, encoded: EncodedQuery, query: Query
    ) -> Retrieved:
        """Return what is similar; with an asker somewhere, the nearest of what is as good.

        A global query is answered by areas, or by things if no area fits.
        """
        if query.kind == 'global':
            areas = replace(encoded, scope=replace(encoded.scope, levels=LEVELS_OF_AREAS))
            found = retriever.retrieve(areas, query.method, query.near)
            if found.nodes:
                return found
        found = retriever.retrieve(encoded, query.method, query.near)
        if query.near is None or not found.nodes:
            return found
        best = found.nodes[0]
        words_decide = not best.unsupported and not encoded.parsed.is_implied
        boxes = [(each, square_around(query.near, each, query.within)) for each in AROUND_M]
        for radius, box in (*boxes, (math.inf, query.within)):
            scope = replace(encoded.scope, within=box)
            local = retriever.retrieve(replace(encoded, scope=scope, k=MAX_COUNTED)).nodes
            near = [
                node
                for node in self._nearest_first(local, query.near, radius)
                if bool(node.unsupported) == bool(best.unsupported)
                and (words_decide or node.similarity >= AS_LIKELY * best.similarity)
            ]
            if near:
                ids = {node.node_id for node in near[: query.k]}
                return replace(found, nodes=tuple(each for each in local if each.node_id in ids))
        return found

    def _nearest_first(
        self, nodes: Sequence[ScoredNode], near: Position, radius_m: float
    ) -> list[ScoredNode]:
        """Return the nodes within a radius, the nearest first."""
        places = self._store.get(node.node_id for node in nodes)
        away = {node_id: math.dist(place.position, near) for node_id, place in places.items()}
        within = [node for node in nodes if away[node.node_id] <= radius_m]
        return sorted(within, key=lambda node: away[node.node_id])

    def _out_of_scope(
        self,
        encoded: EncodedQuery,
        retriever: EmbodiedRetriever,
        hits: Sequence[Hit],
        wants_one: bool,
    ) -> tuple[list[Hit], list[Hit]]:
        """Return what fits in other maps or outside of the bounds, and what fits and is gone."""

        def hits_in(scope: Scope) -> list[Hit]:
            nodes = retriever.retrieve(replace(encoded, scope=scope)).nodes
            return self._hits([node for node in nodes if not (wants_one and node.unsupported)])

        scope = Scope(levels=encoded.scope.levels)
        is_sure = bool(hits) and hits[0].probability >= AS_LIKELY
        elsewhere: list[Hit] = []
        if scope != encoded.scope and not is_sure:
            ids = {hit.node_id for hit in hits}
            elsewhere = [
                hit
                for hit in hits_in(scope)
                if hit.node_id not in ids and not _is_in(encoded.scope, hit)
            ]
        retracted: list[Hit] = []
        if self._store.meta(RETRACTED):
            everything = hits_in(replace(encoded.scope, retracted=True))
            retracted = [hit for hit in everything if hit.state is NodeState.RETRACTED]
        return elsewhere, retracted

    def _hits(self, scored: Sequence[ScoredNode]) -> list[Hit]:
        nodes = self._store.get(each.node_id for each in scored)
        neighbours = self._store.neighbours(list(nodes), BESIDE_M) if nodes else {}
        others = self._store.get({each for ids in neighbours.values() for each in ids[:RELATIONS]})
        areas = ancestors_of(self._store, nodes.values())
        now = self._clock()
        return [
            hit_of(
                nodes[each.node_id],
                each,
                now,
                areas,
                [others[other] for other in neighbours.get(each.node_id, ())[:RELATIONS]],
            )
            for each in scored
            if each.node_id in nodes
        ]


def _scope_of(query: Query) -> Scope:
    return Scope(
        frame_id=query.frame_id, map_epoch=query.map_epoch, within=query.within, levels=THINGS
    )


def _is_in(scope: Scope, hit: Hit) -> bool:
    """Return whether a hit is of the frame, the map and the bounds of a scope."""
    if scope.frame_id not in ('', hit.frame_id) or scope.map_epoch not in (None, hit.map_epoch):
        return False
    low_x, low_y, high_x, high_y = scope.within or (-math.inf, -math.inf, math.inf, math.inf)
    return low_x <= hit.position[0] <= high_x and low_y <= hit.position[1] <= high_y


def _is_only_time(text: str) -> bool:
    parsed = parse_query(text)
    return bool(parsed.time.text) and not parsed.has_terms


class Stopwatch:
    """The duration of each stage, ms. That of encoding terms counts as "embed"."""

    def __init__(self, term_vectors: TermVectors) -> None:
        self._term_vectors = term_vectors
        self._last, self._encoding_s = time.perf_counter(), term_vectors.encoding_s
        self.laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """End a stage."""
        now, encoding_s = time.perf_counter(), self._term_vectors.encoding_s
        encoding_ms = (encoding_s - self._encoding_s) * 1e3
        self.laps[stage] = (now - self._last) * 1e3 - encoding_ms
        self.laps['embed'] = self.laps.get('embed', 0.0) + encoding_ms
        self._last, self._encoding_s = now, encoding_s


def hit_of(
    node: Node,
    scored: ScoredNode,
    now: float,
    areas: dict[str, Node],
    neighbours: Sequence[Node],
) -> Hit:
    """Return a node as a hit."""
    parents = []
    parent = node.parent
    while parent in areas:
        parents.append(areas[parent].name)
        parent = areas[parent].parent
    return Hit(
        node.node_id,
        node.name,
        node.caption or node.summary,
        node.position,
        node.frame_id,
        scored.score,
        min(scored.probability, OFFERED) if scored.unsupported else scored.probability,
        age_s(node.last_seen, now),
        tuple(parents),
        tuple(_relation(node, other) for other in neighbours),
        node.map_epoch,
        node.radius_m,
        node.label,
        node.state,
        node.writer,
        scored.supported,
        scored.unsupported,
        scored.unstated,
    )


def _relation(node: Node, other: Node) -> str:
    """Return the direction and distance of a neighbour, as text."""
    there = direction(node.position, other.position)
    return f'{other.name} is {there.distance:.1f} m {there.phrase} {node.name}'
