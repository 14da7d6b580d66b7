"""Compass directions in many languages, and queries for what lies farthest in one. Pure.

"The northernmost bench", いちばん東のベンチ, 最靠南的长椅, el banco más al oeste.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import math
import re

from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import Hit, Recall, RecallOutcome
from embodied_nav.retrieval.answer_verdict import APART_M, located, named
from embodied_nav.retrieval.other_languages import without_stop_words
from embodied_nav.retrieval.parsed_query import parse_query

# English; Spanish, Portuguese; French, Italian; German; Dutch; Russian; Polish; signs; Korean.
_NORTH = r'north|nor(?:te|d)|nörd|noord|север\w*|północ\w*|북'
_SOUTH = r'south|su[rld]|süd|zuid|юг\w*|юж\w*|połudn\w*|남'
_EAST = r'east|l?este|est|ost|öst|oost|вост\w*|wsch\w*|동'
_WEST = r'west|oeste|ouest|ovest|запад\w*|zach\w*|서'
_ENDS = r'(?:ern(?:most)?|erly|en|lich\w*|elijk\w*|쪽)?'
_NAMES = (
    ('northeast', r'north[- ]?east|nor[td]este|nord-?est|nord[oö]st|noordoost'
     r'|северо-?вост\w*|północn\w+[- ]wsch\w*|北東|東北|东北|북동'),
    ('northwest', r'north[- ]?west|noroeste|nord-?ouest|nord-?ovest|nordwest|noordwest'
     r'|северо-?запад\w*|północn\w+[- ]zach\w*|北西|西北|북서'),
    ('southeast', r'south[- ]?east|su[rd]este|sud-?est|süd[oö]st|zuidoost'
     r'|юго-?вост\w*|południow\w+[- ]wsch\w*|南東|東南|东南|남동'),
    ('southwest', r'south[- ]?west|su[rd]oeste|sud-?ouest|sud-?ovest|südwest|zuidwest'
     r'|юго-?запад\w*|południow\w+[- ]zach\w*|南西|西南|남서'),
    ('north', f'{_NORTH}|北'), ('south', f'{_SOUTH}|南'),
    ('east', f'{_EAST}|東|东'), ('west', f'{_WEST}|西'),
)  # fmt: skip
DIRECTION = f'(?P<side>(?:{"|".join(pattern for _, pattern in _NAMES)}){_ENDS})'
_PATTERNS = [(name, re.compile(f'(?:{pattern}){_ENDS}')) for name, pattern in _NAMES]

_IS = r'(?:(?:that|which|whichever|who|whoever)\s+)?(?:(?:is|are|lies?|stands?|sits?)\s+)?'
_NOT_OF = r'(?! of\b(?! (?:all|the (?:two|three|four)|these|those|them)\b))'
_JA_IS = (
    '(?:に(?:ある|いる|位置する|[^ 、。]{1,6}[てで](?:ある|いる)|あった|いた)'
    '(?:の[はが])?|の|は|な)?'
)
_FARTHEST = [
    re.compile(each, re.IGNORECASE)
    for each in (
        rf'\b{_IS}(?:the\s+)?(?:furthest|farthest|further|farther|most|more)\s+'
        rf'(?:(?:away|out|over|up|down)\s+)?(?:to(?:wards?)?\s+)?(?:the\s+)?{DIRECTION}\b{_NOT_OF}',
        r'\b(?:furthest|farthest)\s+(?=(?P<rest>[\w -]+?)\s+(?:to|in|towards?)\s+the\s+'
        rf'{DIRECTION}\b{_NOT_OF})(?P=rest)\s+(?:to|in|towards?)\s+the\s+(?P=side)',
        r'\b(?P<side>(?:north|south)(?:east|west)?|east|west)ernmost\b',
        rf'\b(?:more|most)\s+{DIRECTION}(?<=ly)\s+of\b',
        r'\b(?:más|plus|più|mais|meest|verst|verder|(?:am )?weite(?:r|sten)|najbardziej|bardziej'
        r'|najdalej|дальше(?: всего| всех)?|сам(?:ый|ая|ое|ые|ую))\s+'
        rf"(?:(?:al?|au|ao|à|l|im|in|nach|naar|het|den|na|на|к)[\s']+){{0,3}}{DIRECTION}\b",
        r'\b(?P<side>(?:север|юж|восточ|запад)\w*ее)\b(?:\s+(?:все\w+|остальн\w+|друг\w+))*',
        r'\b(?:am\s+)?(?P<side>n(?:ö|o)rd(?:öst|west)?|süd(?:öst|west)?|öst|west)lichste[nrs]?\b',
        r'\b(?:het\s+)?(?P<side>(?:noord|zuid)(?:oost|west)?|oost|west)elijkste?\b',
        rf'(?:位置|位于)?(?:最(?!も)|更|比较)(?:靠|偏|往|朝)?{DIRECTION}(?:边|面|头|端|侧|部|方)?'
        '(?:一[些点])?[的の]?',
        rf'(?:この|その)?(?:中で|なかで|うち)?[、 ]*'
        rf'(?:いちばん|一番|最も|もっとも|(?<=[がはも、 ])より|最){DIRECTION}'
        rf'(?:側|寄り|の?端|の?方)?{_JA_IS}',
        rf'(?:제일|가장|더)\s*{DIRECTION}(?:에)?(?:\s*있는)?',
    )
]
_OF_SEVERAL = re.compile(  # the several to choose from
    r'\b(?:out )?of (?:(?:all )?the|these|those|all)(?: two| three| four| five)?\b|\bboth\b'
    r'|\b(?:in|of|on|around) (?:the|this) (?:whole|entire) \w+$|\bof (?:the )?all\b'
    r'|,?\s*(?:i|we) (?:want|mean|need) (?:whichever|whoever|the one)(?: that| which)?$'
    r'|\b(?:de (?:los|las) dos|des deux|de[il]l?e? due|d[oa]s (?:dois|duas)|van de twee'
    r'|von den (?:zwei|beiden)|der (?:zwei|beiden)|z (?:dwóch|obu)|из двух)\b'
    '|(?:二つ|２つ|2つ|三つ|両方)の|のうち|[这那]?(?:两|三|几)[个只张把台条辆座棵艘盏顶件块根扇]|(?:之|当)中'
    '|里(?=[，, ]|$)',
    re.IGNORECASE,
)
_ANYTHING = re.compile(
    r'\b(?:what|who|things?|objects?|anything|everything|qu[eé]|quoi|co|cosa|was|wat|что)\b'
    r'|もの|物|何|なに|什么|东西|뭐|것|게|무엇',
    re.IGNORECASE,
)


_ANGLES = {
    'east': 0, 'northeast': 45, 'north': 90, 'northwest': 135,
    'west': 180, 'southwest': 225, 'south': 270, 'southeast': 315,
}  # fmt: skip


@dataclass(frozen=True)
class Farthest:
    """What lies farthest in a direction.

    Attributes:
        targets: Among which things; it may name none: among all.
        direction: Such as "northeast".
        among_several: There must be several to choose from: "of the two", 两个…里.
    """

    targets: str
    direction: str
    among_several: bool = False


def direction_of(text: str) -> str:
    """Return the direction that a word of any of these languages means; empty: none."""
    return next((name for name, each in _PATTERNS if each.fullmatch(text.lower())), '')


def parse_farthest(text: str) -> Farthest | None:
    """Return what a query asks for as the farthest in a direction; None: it does not."""
    for pattern in _FARTHEST:
        found = pattern.search(text)
        if found is None:
            continue
        rest = found.groupdict().get('rest') or ''
        targets = without_several(f'{text[: found.start()]} {rest} {text[found.end() :]}')
        direction = direction_of(found['side'])
        if direction and (has_content(targets) or _ANYTHING.search(targets)):
            return Farthest(targets, direction, mentions_several(text))
    return None


def has_content(text: str) -> bool:
    """Return whether a part of a query has content terms, in whatever language."""
    return without_stop_words(parse_query(text)).has_terms


def mentions_several(text: str) -> bool:
    """Return whether a text mentions the several among which one is meant."""
    return bool(_OF_SEVERAL.search(text))


def without_several(text: str) -> str:
    """Return a text without the words that mention the several among which one is meant."""
    return ' '.join(_OF_SEVERAL.sub(' ', text).split())


def farthest_first(direction: str, nodes: Iterable[Node]) -> list[Node]:
    """Return nodes, the farthest in a direction first."""
    return sorted(nodes, key=lambda node: -distance_along(direction, node.position))


def farthest_hit(direction: str, hits: Sequence[Hit]) -> Recall:
    """Return the hit farthest in a direction; AMBIGUOUS if two are as far, or of two maps."""
    ordered = sorted(hits, key=lambda hit: -distance_along(direction, hit.position))
    best = ordered[0]
    ties = [
        hit
        for hit in ordered[1:]
        if (hit.frame_id, hit.map_epoch) != (best.frame_id, best.map_epoch)
        or distance_along(direction, best.position) - distance_along(direction, hit.position)
        < APART_M
    ]
    if ties:
        reason = f'As far {direction}: {named([best, *ties])}. Say which one is meant.'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(ordered))
    reason = f'{located(best)}, the farthest {direction} of {len(hits)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(ordered))


def distance_along(direction: str, position: Position) -> float:
    """Return how far a place lies in a direction, m."""
    angle = math.radians(_ANGLES[direction])
    return position[0] * math.cos(angle) + position[1] * math.sin(angle)


def angle_off(direction: str, landmark: Position, place: Position) -> float:
    """Return the angle between a direction from a landmark and the bearing of a place, rad.

    A place at the landmark itself lies in no direction: π.
    """
    if landmark[:2] == place[:2]:
        return math.pi
    bearing = math.atan2(place[1] - landmark[1], place[0] - landmark[0])
    return abs(math.remainder(bearing - math.radians(_ANGLES[direction]), math.tau))
