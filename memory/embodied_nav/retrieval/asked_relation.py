"""What a question says of where a thing lies: beside, north-east of, between. Pure."""

from __future__ import annotations

from dataclasses import dataclass
import math
import re
import unicodedata

from embodied_nav.memory_values import Position
from embodied_nav.retrieval.asked_words import asked_of

_ANGLES = {
    'east': 0, 'northeast': 45, 'north': 90, 'northwest': 135,
    'west': 180, 'southwest': 225, 'south': 270, 'southeast': 315,
}  # fmt: skip
_SIDES = {
    '北東': 'northeast', '東北': 'northeast', '东北': 'northeast',
    '北西': 'northwest', '西北': 'northwest',
    '南東': 'southeast', '東南': 'southeast', '东南': 'southeast',
    '南西': 'southwest', '西南': 'southwest',
    '北': 'north', '南': 'south', '東': 'east', '东': 'east', '西': 'west',
}  # fmt: skip
_SIDE = f'(?P<side>{"|".join(_SIDES)})'
_FAR = r'(?P<far>\d+(?:\.\d+)?)\s*'
_METRES = r'm(?:et(?:er|re)s?)?'
_ZH_CLOSE = '(?:(?:离(?:它|那里|那儿))?最近|紧?(?:挨|靠)着|紧邻|相邻)?'
_PATTERNS = [
    re.compile(each, re.IGNORECASE)
    for each in (
        r'^(?P<thing>.+?)\s+(?:in\s+)?between\s+(?P<mark>.+?)\s+and\s+(?P<other>.+)$',
        rf'^(?P<thing>.+?)\s+(?:(?:about|some|~)?\s*{_FAR}{_METRES}\s+)?'
        r'(?:(?:that|which)?\s*(?:is|are|lies|lying|stands|standing|located)\s+)?(?:just\s+|right\s+)?'
        r'(?:(?:(?:to|on|at|in)\s+the\s+)?'
        r'(?P<side>(?:north|south)(?:[- ]?(?:east|west))?|east|west)'
        r'(?:ern)?(?:\s+side)?\s+of|beside|alongside|next\s+to|close\s+to|near(?:\s+to)?'
        r'|(?<!the )(?<!which )(?<!what )nearest(?:\s+to)?'
        r'|closest\s+to|adjacent\s+to|in\s+front\s+of|behind|opposite|underneath|beneath|under|below'
        r'|above|by)\s+(?P<mark>.+)$',
        r'^(?P<mark>.+?)と(?P<other>.+?)の(?:間|あいだ)(?:にある|にいる|には?|の)(?P<thing>.+)$',
        rf'^(?P<mark>.+?)(?:の|から)(?:すぐ)?(?:{_FAR}(?:m|メートル)(?:ほど)?の?)?'
        rf'(?:{_SIDE}(?:側|の方|方向|方)?|隣り?|となり|そば|傍|横|近く|付近|脇|前|後ろ|裏|下|上|向かい|手前)'
        r'(?:にある|にいる|にあった|に見える|で見た|には?|の)(?P<thing>.+)$',
        rf'^(?P<mark>.+?)の(?:すぐ)?{_SIDE}?(?:隣り?|となり|横|そば)は(?P<thing>.*)$',
        r'^(?P<mark>.+?)(?:に|から)(?:一番|最も|もっとも|いちばん)?近い(?P<thing>.+)$',
        r'^(?:在)?(?P<mark>.+?)(?:和|与|跟)(?P<other>.+?)(?:之间|中间)(?:的|有)?(?P<thing>.+)$',
        r'^.*?(?:离|靠近|挨着)(?P<mark>.+?)(?:最近|很近)?的(?P<thing>.+)$',
        rf'^(?P<mark>.+?)(?:的|以)?(?:{_SIDE}(?:边|面|侧|方|部)?|旁边?|附近|边上|前面|后面|下面|上面|对面|隔壁)'
        rf'(?:{_FAR}米(?:处|远)?)?{_ZH_CLOSE}(?:的|有|是)(?P<thing>.+)$',
    )
]

_DOES_SOMETHING = re.compile(r'\b(?:that|which|who) (?!is\b|are\b|was\b|were\b|has\b|have\b)')
_ARTICLE_LAST = re.compile(r'\b(?:the|an?)$', re.IGNORECASE)
_AND_IS = re.compile(r'^(?P<mark>.+?),? (?:and|that|which) (?:is|are|has|have) (?P<thing>.+)$')
_NEAREST = re.compile(
    r'\b(?:nearest|closest)\b|(?:一番|最も|もっとも|いちばん)近|最近|挨着|紧邻', re.IGNORECASE
)


@dataclass(frozen=True)
class Relation:
    """Where a thing lies.

    Attributes:
        thing: What is asked for; it may name nothing: "what is beside the well?"
        marks: The landmark, or the two that it lies between.
        side: Where it lies, seen from the landmark, such as "northeast"; empty: beside it.
        far_m: How far away; 0: near.
        nearest: The one that lies nearest is meant, instead of any that lies near.
    """

    thing: str
    marks: tuple[str, ...]
    side: str = ''
    far_m: float = 0.0
    nearest: bool = False

    def aside(self, mark: Position, place: Position) -> float:
        """Return by how much a place lies off that side of a landmark, rad."""
        bearing = math.atan2(place[1] - mark[1], place[0] - mark[0])
        return abs(math.remainder(bearing - math.radians(_ANGLES[self.side]), math.tau))


def relation_of(text: str) -> Relation | None:
    """Return the relation that a question speaks of; None: of none, or of no landmark."""
    plain = unicodedata.normalize('NFKC', text).strip().rstrip('?.。! ')
    for pattern in _PATTERNS:
        found = pattern.match(plain)
        if found is None:
            continue
        parts = found.groupdict()
        also = _AND_IS.match(parts['mark'])
        if also and not asked_of(parts['thing']).names_something:  # what lies by it and is green
            parts |= also.groupdict()
        marks = tuple(filter(None, (parts['mark'], parts.get('other'))))
        if not all(asked_of(each).names_something for each in marks):
            continue
        if any(_DOES_SOMETHING.search(each) for each in marks):  # the thing does, not the mark
            continue
        if _ARTICLE_LAST.search(parts['thing']):  # the near boat is not what lies near a boat
            continue
        side = re.sub('[- ]', '', (parts.get('side') or '').lower())
        return Relation(
            parts['thing'],
            marks,
            _SIDES.get(side, side),
            float(parts.get('far') or 0),
            _means_the_nearest(found, parts['thing']),
        )
    return None


def _means_the_nearest(found: re.Match[str], thing: str) -> bool:
    """Return whether one is asked for: the nearest bench, or what is next to the well."""
    return bool(_NEAREST.search(_link(found))) or not asked_of(thing).names_something


def _link(found: re.Match[str]) -> str:
    """Return what stands between the thing and its landmarks."""
    text = found[0]
    for name in ('thing', 'mark', 'other'):
        if name in found.re.groupindex and found[name]:
            text = text.replace(found[name], ' ', 1)
    return text
