"""Queries for a thing by its landmark: "the flat rock 20 m north of the cairn", beside, between.

The query is split at its preposition into the target and the landmark. The landmark is retrieved
first, then the target around it; their positions decide, not their captions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
import math
import re
import unicodedata

from embodied_nav.embodied_retriever import EmbodiedRetriever
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import Bounds
from embodied_nav.retrieval.candidate_ranking import EncodedQuery, ScoredNode
from embodied_nav.retrieval.compass_direction_queries import (
    DIRECTION,
    angle_off,
    direction_of,
    has_content,
    mentions_several,
    without_several,
)
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.store.memory_store import MemoryStore, Vector

_FAR = r'(?P<far>\d+(?:\.\d+)?)\s*'
_METRES = r'm(?:et(?:er|re)s?)?'
_JUST = (
    r'(?:(?:just|right|directly|immediately|straight|due|slightly'
    r'|a\s+(?:bit|little|short\s+way|(?:few|couple\s+of)\s+(?:steps|paces|met(?:er|re)s)))\s+)?'
)
_BY_IT = r'(?:beside|alongside|next\s+to|close\s+to|near|by|in\s+front\s+of|behind)'
_JA_MOST = '(?:すぐ|真|いちばん|一番|最も|もっとも)?'
_JA_BY = '(?:隣り?|となり|どなり|そば|傍|横|近く|付近|脇|前|後ろ|裏|下|上|向かい|手前)'
_JA_IS = (
    '(?:に(?:ある|いる|あった|[^、。にの]{1,8}(?:[てで](?:ある|いる)|た)|見える)|で見た|には?|の)'
)
_ZH_CLOSE = '(?:(?:离(?:它|那里|那儿))?最近|紧?(?:挨|靠)着|紧邻|相邻)?'
_ZH_BY = (
    rf'(?:(?<!东){DIRECTION}(?:边|面|侧|方|部)?|旁边?|附近|边上|前面|后面|下面|上面|对面|隔壁)'
    rf'(?:{_FAR}米(?:处|远)?)?{_ZH_CLOSE}'
)
_NEAREST_OF = (  # Spanish, French, Portuguese and Italian; German; Dutch; Russian; Polish
    r"m[áa]s cerca(?:n[oa]s?)? (?:del?|al?)|plus (?:proche|près) d(?:e|u|')"
    r'|mais (?:perto|próxim\w+) (?:d|a)\w*|più vicin\w+ a\w*'
    r'|am nächsten(?: (?:a[nm]|beim?|zu[rm]?))?'
    r'|näher (?:a[nm]|beim?|zu[rm]?)'
    r'|(?:het )?dicht(?:st|er) ?bij|ближ(?:е(?: всего| всех)?|айш\w+) к|naj?bliżej|bliżej'
)
_BY_OF = (
    r'(?:justo |pegado )?al lado del?|junto al?|cerca del?|detrás del?'
    r"|(?:juste )?à côté d(?:e|u|')|près d(?:e|u|')|derrière"
    r'|ao lado d\w+|perto d\w+|junto a\w*|atrás d\w+|accanto a\w*'
    r'|vicino a\w*|dietro|(?:direkt |gleich )?neben|nahe bei|hinter|(?:vlak |direct )?naast'
    r'|vlak ?bij|dicht ?bij|рядом с[о]?|около|возле|obok|koło|tuż przy|niedaleko'
)
_SIDE_OF = (
    rf"(?:(?:al?|au|ao|à l'|im|ten|к|na) ?)?{DIRECTION}"
    r" (?:d(?:e|u|')\w*|d[oa]s?|van|v[oa][nm]|от|od)"
)
_PATTERNS = [
    re.compile(each, re.IGNORECASE)
    for each in (
        r'^(?P<thing>.+?)\s+(?:in\s+)?between\s+(?P<mark>.+?)\s+and\s+(?P<other>.+)$',
        rf'^(?P<thing>.+?)\s+(?:that|which|who)\s+(?:has|have)\s+(?P<mark>.+?)\s+{_JUST}{_BY_IT}'
        r'\s+(?:it|them)$',
        rf'^(?P<thing>.+?)\s+with\s+(?P<mark>.+?)\s+{_JUST}{_BY_IT}\s+(?:it|them)$',
        r'^(?:what|which\s+(?P<thing>[\w ]+?))\s+(?:is|are|does|do)\s+(?P<mark>(?!there\b).+?)'
        r'\s+(?:(?:sitting|standing|lying|parked|sit|stand|lie)\s+)?'
        rf'{_JUST}(?:next\s+to|beside|near(?:est)?(?:\s+to)?|close(?:st)?\s+to)$',
        rf'^(?P<thing>.+?)\s+(?:(?:about|some|~)?\s*{_FAR}{_METRES}\s+)?'
        rf'(?:(?:that|which)?\s*(?:is|are|lies|lying|stands|standing|located)\s+)?{_JUST}'
        r'(?:(?:(?:to|on|at|in)\s+the\s+)?'
        r'(?P<side>(?:north|south)(?:[- ]?(?:east|west))?|east|west)(?:ern)?(?:\s+side)?\s+of'
        r'|beside|alongside|next\s+to|close\s+to|near(?:\s+to)?'
        r'|(?<!the )(?<!which )(?<!what )near(?:est|er)(?:\s+to)?'
        r'|close(?:st|r)\s+to|adjacent\s+to|in\s+front\s+of|behind|opposite|underneath|beneath'
        r'|under|below|above|by)\s+(?P<mark>.+)$',
        r'^(?:.+\s)?(?:near|clos)est\s+(?P<thing>(?!to\b)[\w -]+?)\s+to\s+(?P<mark>.+)$',
        r'^(?P<mark>.+?)と(?P<other>.+?)の(?:間|あいだ)(?:にある|にいる|には?|の)(?P<thing>.+)$',
        rf'^(?P<mark>.+?)(?:の|から|より)(?:すぐ)?(?:{_FAR}(?:m|メートル)(?:ほど)?の?)?{_JA_MOST}'
        rf'(?:{DIRECTION}(?:側|の方|方向|方|隣り?|どなり)?|{_JA_BY}){_JA_IS}(?P<thing>.+)$',
        rf'^(?P<mark>.+?)の{_JA_MOST}{DIRECTION}?(?:隣り?|となり|どなり|横|そば)は(?P<thing>.*)$',
        r'^(?P<mark>.+?)(?:に|から)(?:一番|最も|もっとも|いちばん)?近い(?P<thing>.+)$',
        r'^(?:在)?(?P<mark>.+?)(?:和|与|跟)(?P<other>.+?)(?:之间|中间)(?:的|有)?(?P<thing>.+)$',
        r'^.*?(?:距离|离|靠)(?P<mark>.+)最近的(?P<thing>.+)$',
        r'^.*?(?:靠近|挨着|紧邻着?|离)(?P<mark>.+)的(?P<thing>是.+)$',
        r'^.*?(?:离|靠近|挨着)(?P<mark>.+?)(?:很近)?的(?P<thing>.+)$',
        r'^(?P<thing>.*?)(?:距离|距|离)(?P<mark>.+?)(?:最近|(?:更|比较)?近(?:一?[些点])?)$',
        rf'^(?P<mark>.+?)(?:的|以)?{_ZH_BY}(?:放着|停着|摆着|立着)?(?:的|有|是|那)(?P<thing>.+)$',
        rf'^(?P<thing>.+?)\s+(?:{_NEAREST_OF}|{_BY_OF}|{_SIDE_OF})\s*(?P<mark>.+)$',
        r'^(?P<thing>.+?)\s+(?:ist|steht|liegt)\s+(?P<mark>.+?)\s+am nächsten$',
        r'^(?P<thing>.+?)\s+(?:entre|zwischen|tussen|tra|fra|между|między)\s+(?P<mark>.+?)'
        r'\s+(?:y|et|und|en|e|и|i|a)\s+(?P<other>.+)$',
        r'^(?P<mark>.+?)(?:에서|에|와|과)?\s+(?:제일|가장)\s*가까운\s+(?P<thing>.+)$',
        rf'^(?P<mark>.+?)의?\s+(?:바로\s*)?(?:(?=[가-힣]){DIRECTION}|옆|근처|앞|뒤)에?\s*(?:있는\s+)?(?P<thing>.+)$',
    )
]
_NEAREST = re.compile(
    r'\b(?:near(?:est|er)|close(?:st|r))\b|(?:一番|最も|もっとも|いちばん)近|最近|近一?[些点]$|更近$|挨着|紧邻'
    rf'|{_NEAREST_OF}|am nächsten|가까운',
    re.IGNORECASE,
)

_DOES_SOMETHING = re.compile(r'\b(?:that|which|who) (?!is\b|are\b|was\b|were\b|has\b|have\b)')
_ARTICLE_LAST = re.compile(r'\b(?:the|an?)$', re.IGNORECASE)
_AND_IS = re.compile(r'^(?P<mark>.+?),? (?:and|that|which) (?:is|are|has|have) (?P<thing>.+)$')


LANDMARKS = 3  # that fit as well as the best one
AS_LIKELY = 0.9
RADII_M = (10.0, 30.0, 100.0)  # around a landmark; the first one with such a thing decides
FARTHEST_M = 1000.0  # around it, if the nearest one is asked for, however far it is
FALL_OFF_M = 2.0  # over which the score of what is not the nearest falls to a third
SHARE_AT_EDGE = 0.5  # of the score of a thing at the edge of the radius
SECTOR_RAD = math.radians(45.5)  # to each side of a direction
MOST = 20  # things around a landmark that are candidates
MOST_COMPARED = 500  # of which the nearest one is meant


@dataclass(frozen=True)
class Relation:
    """Where a thing lies.

    Attributes:
        target: What is asked for; it may name nothing: "what is beside the well?"
        landmarks: The landmark, or the two that it lies between.
        direction: Of the target from the landmark, such as "northeast"; empty: beside it.
        distance_m: Of the target from the landmark; 0: near.
        nearest: The nearest target is meant, instead of any that is near.
        among_several: There must be several targets to choose from.
        all_are_meant: Each target in the direction is meant, however far, not one near by.
    """

    target: str
    landmarks: tuple[str, ...]
    direction: str = ''
    distance_m: float = 0.0
    nearest: bool = False
    among_several: bool = False
    all_are_meant: bool = False


def parse_relation(text: str) -> Relation | None:
    """Return the relation in a query; None: it has none, or no landmark."""
    normalised = unicodedata.normalize('NFKC', text).strip().rstrip('?.。! ')
    for pattern in _PATTERNS:
        found = pattern.match(normalised)
        if found is None:
            continue
        parts = found.groupdict()
        parts['thing'] = parts['thing'] or ''
        also = _AND_IS.match(parts['mark'])
        if also and not has_content(parts['thing']):  # what lies by it and is green
            parts |= also.groupdict()
        landmarks = tuple(filter(None, (parts['mark'], parts.get('other'))))
        if not all(map(has_content, landmarks)):
            continue
        if any(map(_DOES_SOMETHING.search, landmarks)):  # the target does, not the landmark
            continue
        if _ARTICLE_LAST.search(parts['thing']):  # the near boat is not what lies near a boat
            continue
        nearest = _means_the_nearest(found, parts['thing'])
        return Relation(
            without_several(parts['thing']) if nearest else parts['thing'],
            landmarks,
            direction_of(parts.get('side') or ''),
            float(parts.get('far') or 0),
            nearest,
            nearest and mentions_several(parts['thing']),
        )
    return None


def _means_the_nearest(found: re.Match[str], target: str) -> bool:
    """Return whether one is asked for: the nearest bench, or what is next to the well."""
    return bool(_NEAREST.search(_link(found))) or not has_content(target)


def _link(found: re.Match[str]) -> str:
    """Return the text between the target and its landmarks."""
    text = found[0]
    for name in ('thing', 'mark', 'other'):
        if name in found.re.groupindex and found[name]:
            text = text.replace(found[name], ' ', 1)
    return text


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


Encoded = tuple[Vector, EncodedRelation | None]  # a query and its parts, if it has a landmark


def encode_with_landmarks(text: str, embed: Callable[[list[str]], Sequence[Vector]]) -> Encoded:
    """Return the vector of a query, and those of its parts if it has a landmark."""
    relation = parse_relation(text)
    parts = [relation.target, *relation.landmarks] if relation else []
    vector, *others = embed([text, *parts])
    if relation is None:
        return vector, None
    return vector, EncodedRelation(relation, others[0], tuple(others[1:]))


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
    most = MOST_COMPARED if relation.nearest else MOST
    target = replace(query, text=relation.target, vector=encoded.target, k=max(most, query.k))
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
            replace(each, score=_score_there(each, nearness, relation))
            for each in found
            if (nearness := _nearness(nodes[each.node_id], area, radius, relation)) > 0.0
        ]
        fits = [each for each in scored if not each.unsupported]
        if fits:
            return fits
        fallback = fallback or scored
    return fallback


def _score_there(scored: ScoredNode, nearness: float, relation: Relation) -> float:
    """Return the score; of the nearest of what carries each word, likeness changes nothing."""
    by_distance = relation.nearest and not scored.unsupported
    return nearness if by_distance else scored.score * nearness


def square_around(near: Position, radius_m: float, within: Bounds | None) -> Bounds:
    """Return the square around a place, cut to the bounds."""
    x, y, _ = near
    box = (x - radius_m, y - radius_m, x + radius_m, y + radius_m)
    if within is None:
        return box
    return (
        max(box[0], within[0]),
        max(box[1], within[1]),
        min(box[2], within[2]),
        min(box[3], within[3]),
    )


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
    if relation.all_are_meant and relation.direction:
        return (FARTHEST_M,)
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
