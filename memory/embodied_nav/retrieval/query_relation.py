"""Parses the spatial relation of a query: beside, north-east of, between. Pure."""

from __future__ import annotations

from dataclasses import dataclass
import re
import unicodedata

from embodied_nav.retrieval.query_directions import (
    DIRECTION,
    direction_of,
    has_content,
    mentions_several,
    without_several,
)

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
    """

    target: str
    landmarks: tuple[str, ...]
    direction: str = ''
    distance_m: float = 0.0
    nearest: bool = False
    among_several: bool = False


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
