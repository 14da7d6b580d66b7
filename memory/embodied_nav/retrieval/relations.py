"""Questions for a thing by what it lies beside: "the flat rock 20 m north of the cairn".

The sentence is cut at its word of place into the thing and the landmark. The landmark is looked
for first, then the thing around it; where they lie, not what is said of them, decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
import math
import re

from embodied_nav.embedding.tokens import tokens
from embodied_nav.embodied_retriever import EmbodiedRetriever
from embodied_nav.forest.directions import direction
from embodied_nav.retrieval.fitting import Fitting
from embodied_nav.retrieval.semantic import Question, Scored, around
from embodied_nav.store.port import MemoryStore, Vector
from embodied_nav.values import Node, Position

LANDMARKS = 3  # that fit as well as the best one
AS_LIKELY = 0.9
RADII_M = (10.0, 30.0, 100.0)  # around a landmark; the first one that holds such a thing decides
FARTHEST = 0.5  # of its score is left to a thing at the edge of the radius

_SIDES = {'北': 'north', '南': 'south', '東': 'east', '西': 'west'}
_ENGLISH = re.compile(
    r'^(?P<thing>.+?)\s+(?:(?:about|some|~)?\s*(?P<far>\d+(?:\.\d+)?)\s*m(?:et(?:er|re)s?)?\s+)?'
    r'(?:that (?:is|lies|stands)\s+)?(?:just\s+)?(?:(?:(?:to|on|at)\s+the\s+)?'
    r'(?P<side>north|south|east|west)(?:ern)?(?:\s+side)?\s+of'
    r'|beside|next\s+to|close\s+to|near(?:\s+to)?|adjacent\s+to)\s+(?P<mark>.+)$',
    re.IGNORECASE,
)
_JAPANESE = re.compile(
    r'^(?P<mark>.+?)の(?:(?P<far>\d+(?:\.\d+)?)\s*(?:m|メートル))?'
    r'(?:(?P<side>[北南東西])側?|隣|となり|そば|横|近く)(?:にある|の)(?P<thing>.+)$'
)


@dataclass(frozen=True)
class Relation:
    """`side`: where the thing lies, seen from the landmark; empty: beside it. `far_m`: 0: near."""

    thing: str
    mark: str
    side: str = ''
    far_m: float = 0.0


@dataclass(frozen=True)
class RelatedQuestion:
    """A relation with the vectors of its two parts."""

    relation: Relation
    thing: Vector
    mark: Vector


def relation_of(text: str) -> Relation | None:
    """The relation that a question speaks of; None: of none, or of no landmark ("near me")."""
    plain = text.strip().rstrip('?？.。! ')
    found = _ENGLISH.match(plain) or _JAPANESE.match(plain)
    if found is None or not tokens(found['thing']) or not tokens(found['mark']):
        return None
    side = (found['side'] or '').lower()
    return Relation(
        found['thing'], found['mark'], _SIDES.get(side, side), float(found['far'] or 0)
    )


def related(
    store: MemoryStore,
    retriever: EmbodiedRetriever,
    question: Question,
    asked: RelatedQuestion,
    fitting: Fitting | None = None,
) -> tuple[Scored, ...]:
    """Things that lie so, best first; empty: there is no such landmark, or nothing beside it.

    `fitting`: the words that the landmark must carry; None: likeness is enough.
    """
    of_mark = replace(question, text=asked.relation.mark, vector=asked.mark)
    of_thing = replace(question, text=asked.relation.thing, vector=asked.thing)
    best: dict[str, Scored] = {}
    marks = retriever.retrieve(of_mark).nodes
    if fitting:
        marks = fitting.those(marks) or fitting.those(
            retriever.retrieve(fitting.reworded(of_mark)).nodes
        )
    enough = AS_LIKELY * max((each.likeness for each in marks), default=0.0)
    marks = tuple(each for each in marks if each.likeness >= enough)[:LANDMARKS]
    nodes = store.get([each.node_id for each in marks])
    for mark in marks:
        for each in _beside(store, retriever, of_thing, nodes[mark.node_id], asked.relation):
            both = replace(each, likeness=(each.likeness + mark.likeness) / 2.0)
            if each.node_id not in best or best[each.node_id].score < both.score:
                best[each.node_id] = both
    return tuple(sorted(best.values(), key=lambda each: -each.score)[: question.k])


def _beside(
    store: MemoryStore,
    retriever: EmbodiedRetriever,
    question: Question,
    mark: Node,
    relation: Relation,
) -> list[Scored]:
    radii = (1.5 * relation.far_m,) if relation.far_m else RADII_M
    for radius in radii:
        box = around(mark.position, radius, question.scope.within)
        scope = replace(
            question.scope, within=box, frame_id=mark.frame_id, map_epoch=mark.map_epoch
        )
        found = retriever.retrieve(replace(question, scope=scope)).nodes
        nodes = store.get([each.node_id for each in found])
        fitting = [
            replace(each, score=each.score * _nearness(mark.position, place, radius, relation))
            for each, place in _lying_so(found, nodes, mark, relation, radius)
        ]
        if fitting:
            return fitting
    return []


def _lying_so(
    found: tuple[Scored, ...],
    nodes: dict[str, Node],
    mark: Node,
    relation: Relation,
    radius: float,
) -> Iterator[tuple[Scored, Position]]:
    for each in found:
        place = nodes[each.node_id].position
        towards = direction(mark.position, place)
        if each.node_id == mark.node_id or towards.distance > radius:
            continue
        if not relation.side or towards.cardinal == relation.side:
            yield each, place


def _nearness(mark: Position, place: Position, radius: float, relation: Relation) -> float:
    """1 for a thing that lies just so far away, less for others."""
    off = abs(math.dist(mark, place) - relation.far_m) / radius
    return 1.0 - (1.0 - FARTHEST) * min(1.0, off)
