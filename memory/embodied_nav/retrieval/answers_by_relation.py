"""Answers to queries for a thing by what it lies beside: "the flat rock 20 m north of the cairn".

The query is split at its preposition into the target and the landmark. The landmark is retrieved
first, then the target around it; their positions decide, not their captions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
import math

from embodied_nav.embodied_retriever import EmbodiedRetriever
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import Position
from embodied_nav.retrieval.answers_by_direction import angle_off
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.query_directions import has_content
from embodied_nav.retrieval.query_relation import Relation
from embodied_nav.retrieval.semantic_search import EncodedQuery, ScoredNode, square_around
from embodied_nav.store.memory_store import MemoryStore, Vector

LANDMARKS = 3  # that fit as well as the best one
AS_LIKELY = 0.9
RADII_M = (10.0, 30.0, 100.0)  # around a landmark; the first one with such a thing decides
FARTHEST_M = 1000.0  # around it, if the nearest one is asked for, however far it is
FALL_OFF_M = 2.0  # over which the score of what is not the nearest falls to a third
SHARE_AT_EDGE = 0.5  # of the score of a thing at the edge of the radius
SECTOR_RAD = math.radians(45.5)  # to each side of a direction
MOST = 20  # things around a landmark that are candidates


@dataclass(frozen=True)
class EncodedRelation:
    """A relation with the vectors of its parts."""

    relation: Relation
    target: Vector
    landmarks: tuple[Vector, ...]

    def names_landmark(self, terms: Collection[str]) -> bool:
        """Return whether one of these terms is part of a landmark's name."""
        landmarks = map(parse_query, self.relation.landmarks)
        return any(term.text in terms for landmark in landmarks for term in landmark.terms)


@dataclass(frozen=True)
class SearchArea:
    """Where targets are searched: around a landmark, or between two.

    Attributes:
        landmarks: The landmarks.
        similarity: Of them.
        unsupported: Terms of theirs that nothing supports: perhaps they are not meant.
    """

    landmarks: tuple[Node, ...]
    similarity: float
    unsupported: tuple[str, ...] = ()

    @property
    def centre(self) -> Position:
        """The mean position of the landmarks."""
        x, y, z = (sum(part) / len(self.landmarks) for part in
                   zip(*(node.position for node in self.landmarks), strict=True))  # fmt: skip
        return x, y, z


def retrieve_related(
    store: MemoryStore,
    retriever: EmbodiedRetriever,
    query: EncodedQuery,
    encoded: EncodedRelation,
) -> tuple[ScoredNode, ...]:
    """Return things in such a relation, best first; empty: no such landmark, or nothing there.

    A landmark with unsupported terms is only offered.
    """
    relation = encoded.relation
    best: dict[str, ScoredNode] = {}
    query = replace(query, is_need=False)  # its parts name things
    target = replace(query, text=relation.target, vector=encoded.target, k=max(MOST, query.k))
    for area in _search_areas(store, retriever, query, encoded):
        for node in _in_relation(store, retriever, target, area, relation):
            candidate = replace(
                node,
                similarity=(node.similarity + area.similarity) / 2.0,
                unsupported=(*node.unsupported, *area.unsupported),
            )
            if node.node_id not in best or best[node.node_id].score < candidate.score:
                best[node.node_id] = candidate
    ranking = sorted(best.values(), key=lambda node: (bool(node.unsupported), -node.score))
    targets = retriever.retrieve(target).nodes if relation.among_several and ranking else ()
    is_single = sum(not node.unsupported for node in targets) == 1
    if targets and is_single and not ranking[0].unsupported:
        # The others of the several may have other names.
        ranking[0] = replace(ranking[0], unsupported=('one of several',))
    return tuple(ranking[: query.k])


def _search_areas(
    store: MemoryStore,
    retriever: EmbodiedRetriever,
    query: EncodedQuery,
    encoded: EncodedRelation,
) -> Iterator[SearchArea]:
    found = []
    for text, vector in zip(encoded.relation.landmarks, encoded.landmarks, strict=True):
        nodes = retriever.retrieve(replace(query, text=text, vector=vector)).nodes
        fits = [node for node in nodes if not node.unsupported]
        threshold = AS_LIKELY * max((node.similarity for node in fits), default=0.0)
        plausible = [node for node in nodes[:1] if node.is_plausible]
        found.append(
            [node for node in fits if node.similarity >= threshold][:LANDMARKS] or plausible
        )
    first, *others = found
    by_id = store.get([node.node_id for nodes in found for node in nodes])
    for one in first:
        if not others:
            yield SearchArea((by_id[one.node_id],), one.similarity, one.unsupported)
        for two in others[0] if others else ():
            pair = by_id[one.node_id], by_id[two.node_id]
            if two.node_id != one.node_id and _in_one_map(*pair):
                yield SearchArea(
                    pair,
                    (one.similarity + two.similarity) / 2.0,
                    (*one.unsupported, *two.unsupported),
                )


def _in_one_map(one: Node, two: Node) -> bool:
    return (one.frame_id, one.map_epoch) == (two.frame_id, two.map_epoch)


def _in_relation(
    store: MemoryStore,
    retriever: EmbodiedRetriever,
    query: EncodedQuery,
    area: SearchArea,
    relation: Relation,
) -> list[ScoredNode]:
    """Return things in the relation; fully supported ones, if there are some within a radius."""
    fallback: list[ScoredNode] = []
    for radius in _radii(area, relation):
        scope = replace(
            query.scope,
            within=square_around(area.centre, radius, query.scope.within),
            frame_id=area.landmarks[0].frame_id,
            map_epoch=area.landmarks[0].map_epoch,
        )
        found = _candidates(store, retriever, replace(query, scope=scope), area, radius)
        nodes = store.get([each.node_id for each in found])
        scored = [
            replace(each, score=each.score * nearness)
            for each in found
            if (nearness := _nearness(nodes[each.node_id], area, radius, relation)) > 0.0
        ]
        fits = [each for each in scored if not each.unsupported]
        if fits:
            return fits
        fallback = fallback or scored
    return fallback


def _candidates(
    store: MemoryStore,
    retriever: EmbodiedRetriever,
    query: EncodedQuery,
    area: SearchArea,
    radius: float,
) -> tuple[ScoredNode, ...]:
    if has_content(query.text):
        return retriever.retrieve(query).nodes
    near = store.within(area.centre, radius, query.scope)  # "what is next to the well?"
    return tuple(ScoredNode(node.node_id, 1.0, 1.0, 1.0) for node in near)


def _radii(area: SearchArea, relation: Relation) -> tuple[float, ...]:
    if len(area.landmarks) > 1:
        return (math.dist(area.landmarks[0].position, area.landmarks[1].position) / 2.0 + 1.0,)
    if relation.distance_m:
        return (1.5 * relation.distance_m,)
    if area.unsupported:  # it is only offered: as far as such a thing mostly lies
        return RADII_M[-1:] if relation.direction else RADII_M[:2]
    return (*RADII_M, FARTHEST_M) if relation.nearest else RADII_M


def _nearness(node: Node, area: SearchArea, radius: float, relation: Relation) -> float:
    """Return 1 for the exact relation, less for others, 0 for a thing that is not in it."""
    distance = math.dist(area.centre, node.position)
    if distance > radius or any(node.node_id == each.node_id for each in area.landmarks):
        return 0.0
    direction = relation.direction
    angle = angle_off(direction, area.centre, node.position) if direction else 0.0
    if angle > SECTOR_RAD:
        return 0.0
    if relation.nearest:
        return math.exp(-distance / FALL_OFF_M)
    error = abs(distance - relation.distance_m) / radius
    if direction:
        error = (error + angle / SECTOR_RAD) / 2.0
    return 1.0 - (1.0 - SHARE_AT_EDGE) * min(1.0, error)
