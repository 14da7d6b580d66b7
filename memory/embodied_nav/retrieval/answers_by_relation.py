"""Questions for a thing by what it lies beside: "the flat rock 20 m north of the cairn".

The sentence is cut at its word of place into the thing and the landmark. The landmark is looked
for first, then the thing around it; where they lie, not what is said of them, decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
import math

from embodied_nav.embodied_retriever import EmbodiedRetriever
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import Position
from embodied_nav.retrieval.answers_by_side import off_side
from embodied_nav.retrieval.asked_relation import Relation
from embodied_nav.retrieval.asked_sides import names_something
from embodied_nav.retrieval.asked_words import asked_of
from embodied_nav.retrieval.semantic_search import Question, Scored, around
from embodied_nav.store.memory_store import MemoryStore, Vector

LANDMARKS = 3  # that fit as well as the best one
AS_LIKELY = 0.9
RADII_M = (10.0, 30.0, 100.0)  # around a landmark; the first one that holds such a thing decides
FARTHEST_M = 1000.0  # around it, if the nearest one is asked for, however far it is
FALLS_OFF_M = 2.0  # over which the score of what is not the nearest falls to a third
FARTHEST = 0.5  # of its score is left to a thing at the edge of the radius
ASIDE_RAD = math.radians(45.5)  # a side takes a quarter of the circle
MOST = 20  # things around a landmark among which the one is looked for


@dataclass(frozen=True)
class RelatedQuestion:
    """A relation with the vectors of its parts."""

    relation: Relation
    thing: Vector
    marks: tuple[Vector, ...]

    def names_landmark(self, words: Collection[str]) -> bool:
        """Return whether one of some words stands in what a landmark is called."""
        marks = (asked_of(mark) for mark in self.relation.marks)
        return any(word.text in words for mark in marks for word in mark.words)


@dataclass(frozen=True)
class Spot:
    """Where things are looked for: around a landmark, or between two.

    Attributes:
        marks: The landmarks.
        likeness: Of them.
        lacking: What was asked of them and nothing carries: perhaps they are not meant.
    """

    marks: tuple[Node, ...]
    likeness: float
    lacking: tuple[str, ...] = ()

    @property
    def centre(self) -> Position:
        """The middle of the landmarks."""
        x, y, z = (sum(part) / len(self.marks) for part in
                   zip(*(node.position for node in self.marks), strict=True))  # fmt: skip
        return x, y, z


def related(
    store: MemoryStore, retriever: EmbodiedRetriever, question: Question, asked: RelatedQuestion
) -> tuple[Scored, ...]:
    """Return things that lie so, best first; empty: there is no such landmark, or nothing there.

    A landmark carries each word that it was asked for with, or is only offered.
    """
    best: dict[str, Scored] = {}
    question = replace(question, is_need=False)  # its parts name things
    of_thing = replace(
        question, text=asked.relation.thing, vector=asked.thing, k=max(MOST, question.k)
    )
    for spot in _spots(store, retriever, question, asked):
        for each in _beside(store, retriever, of_thing, spot, asked.relation):
            likeness = (each.likeness + spot.likeness) / 2.0
            both = replace(each, likeness=likeness, lacking=(*each.lacking, *spot.lacking))
            if each.node_id not in best or best[each.node_id].score < both.score:
                best[each.node_id] = both
    order = sorted(best.values(), key=lambda each: (bool(each.lacking), -each.score))
    known = retriever.retrieve(of_thing).nodes if asked.relation.of_several and order else ()
    if known and sum(not each.lacking for each in known) == 1 and not order[0].lacking:
        order[0] = replace(order[0], lacking=('one of several',))  # others are called otherwise
    return tuple(order[: question.k])


def _spots(
    store: MemoryStore, retriever: EmbodiedRetriever, question: Question, asked: RelatedQuestion
) -> Iterator[Spot]:
    found = []
    for text, vector in zip(asked.relation.marks, asked.marks, strict=True):
        alike = retriever.retrieve(replace(question, text=text, vector=vector)).nodes
        fits = [each for each in alike if not each.lacking]
        enough = AS_LIKELY * max((each.likeness for each in fits), default=0.0)
        nearest = [each for each in alike[:1] if each.may_be]
        found.append([each for each in fits if each.likeness >= enough][:LANDMARKS] or nearest)
    first, *others = found
    nodes = store.get([each.node_id for some in found for each in some])
    for one in first:
        if not others:
            yield Spot((nodes[one.node_id],), one.likeness, one.lacking)
        for two in others[0] if others else ():
            pair = nodes[one.node_id], nodes[two.node_id]
            if two.node_id != one.node_id and _in_one_map(*pair):
                yield Spot(pair, (one.likeness + two.likeness) / 2.0, (*one.lacking, *two.lacking))


def _in_one_map(one: Node, two: Node) -> bool:
    return (one.frame_id, one.map_epoch) == (two.frame_id, two.map_epoch)


def _beside(
    store: MemoryStore,
    retriever: EmbodiedRetriever,
    question: Question,
    spot: Spot,
    relation: Relation,
) -> list[Scored]:
    """Things around it; those that carry each word, if there are some within a radius."""
    last: list[Scored] = []
    for radius in _radii(spot, relation):
        box = around(spot.centre, radius, question.scope.within)
        scope = replace(
            question.scope,
            within=box,
            frame_id=spot.marks[0].frame_id,
            map_epoch=spot.marks[0].map_epoch,
        )
        found = _things(store, retriever, replace(question, scope=scope), spot, radius)
        nodes = store.get([each.node_id for each in found])
        so = [
            replace(each, score=each.score * nearness)
            for each in found
            if (nearness := _nearness(nodes[each.node_id], spot, radius, relation)) > 0.0
        ]
        fits = [each for each in so if not each.lacking]
        if fits:
            return fits
        last = last or so
    return last


def _things(
    store: MemoryStore,
    retriever: EmbodiedRetriever,
    question: Question,
    spot: Spot,
    radius: float,
) -> tuple[Scored, ...]:
    if names_something(question.text):
        return retriever.retrieve(question).nodes
    near = store.within(spot.centre, radius, question.scope)  # "what is next to the well?"
    return tuple(Scored(node.node_id, 1.0, 1.0, 1.0) for node in near)


def _radii(spot: Spot, relation: Relation) -> tuple[float, ...]:
    if len(spot.marks) > 1:
        return (math.dist(spot.marks[0].position, spot.marks[1].position) / 2.0 + 1.0,)
    if relation.far_m:
        return (1.5 * relation.far_m,)
    if spot.lacking:  # it is only offered: as far as such a thing mostly lies
        return RADII_M[-1:] if relation.side else RADII_M[:2]
    return (*RADII_M, FARTHEST_M) if relation.nearest else RADII_M


def _nearness(node: Node, spot: Spot, radius: float, relation: Relation) -> float:
    """1 for a thing that lies just so, less for others, 0 for what does not lie so at all."""
    away = math.dist(spot.centre, node.position)
    if away > radius or any(node.node_id == mark.node_id for mark in spot.marks):
        return 0.0
    aside = off_side(relation.side, spot.centre, node.position) if relation.side else 0.0
    if aside > ASIDE_RAD:
        return 0.0
    if relation.nearest:
        return math.exp(-away / FALLS_OFF_M)
    off = abs(away - relation.far_m) / radius
    if relation.side:
        off = (off + aside / ASIDE_RAD) / 2.0
    return 1.0 - (1.0 - FARTHEST) * min(1.0, off)
