"""Sides of the compass as people name them, and what is asked for as farthest to one. Pure.

"The northernmost bench", いちばん東のベンチ, 最靠南的长椅, el banco más al oeste.
"""

from __future__ import annotations

from dataclasses import dataclass
import re

from embodied_nav.retrieval.asked_words import asked_of
from embodied_nav.retrieval.other_languages import without_framing

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
SIDE = f'(?P<side>(?:{"|".join(pattern for _, pattern in _NAMES)}){_ENDS})'
_SIDES = [(name, re.compile(f'(?:{pattern}){_ENDS}')) for name, pattern in _NAMES]

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
        rf'(?:(?:away|out|over|up|down)\s+)?(?:to(?:wards?)?\s+)?(?:the\s+)?{SIDE}\b{_NOT_OF}',
        rf'\b(?:furthest|farthest)\s+(?=(?P<rest>[\w -]+?)\s+(?:to|in|towards?)\s+the\s+{SIDE}\b'
        rf'{_NOT_OF})(?P=rest)\s+(?:to|in|towards?)\s+the\s+(?P=side)',
        r'\b(?P<side>(?:north|south)(?:east|west)?|east|west)ernmost\b',
        rf'\b(?:more|most)\s+{SIDE}(?<=ly)\s+of\b',
        r'\b(?:más|plus|più|mais|meest|verst|verder|(?:am )?weite(?:r|sten)|najbardziej|bardziej'
        r'|najdalej|дальше(?: всего| всех)?|сам(?:ый|ая|ое|ые|ую))\s+'
        rf"(?:(?:al?|au|ao|à|l|im|in|nach|naar|het|den|na|на|к)[\s']+){{0,3}}{SIDE}\b",
        r'\b(?P<side>(?:север|юж|восточ|запад)\w*ее)\b(?:\s+(?:все\w+|остальн\w+|друг\w+))*',
        r'\b(?:am\s+)?(?P<side>n(?:ö|o)rd(?:öst|west)?|süd(?:öst|west)?|öst|west)lichste[nrs]?\b',
        r'\b(?:het\s+)?(?P<side>(?:noord|zuid)(?:oost|west)?|oost|west)elijkste?\b',
        rf'(?:位置|位于)?(?:最(?!も)|更|比较)(?:靠|偏|往|朝)?{SIDE}(?:边|面|头|端|侧|部|方)?'
        '(?:一[些点])?[的の]?',
        rf'(?:この|その)?(?:中で|なかで|うち)?[、 ]*'
        rf'(?:いちばん|一番|最も|もっとも|(?<=[がはも、 ])より|最){SIDE}'
        rf'(?:側|寄り|の?端|の?方)?{_JA_IS}',
        rf'(?:제일|가장|더)\s*{SIDE}(?:에)?(?:\s*있는)?',
    )
]
_OF_SEVERAL = re.compile(  # says among how many it is
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


@dataclass(frozen=True)
class Farthest:
    """What lies farthest to a side.

    Attributes:
        things: Among which things; it may name none: among all.
        side: Such as "northeast".
        of_several: There must be several to choose from: "of the two", 两个…里.
    """

    things: str
    side: str
    of_several: bool = False


def side_of(text: str) -> str:
    """Return the side that a word of any of these languages means; empty: none."""
    return next((name for name, each in _SIDES if each.fullmatch(text.lower())), '')


def farthest_of(text: str) -> Farthest | None:
    """Return what lies farthest to a side, as a question asks for it; None: it does not."""
    for pattern in _FARTHEST:
        found = pattern.search(text)
        if found is None:
            continue
        kept = found.groupdict().get('rest') or ''
        things = one_of_several(f'{text[: found.start()]} {kept} {text[found.end() :]}')
        side = side_of(found['side'])
        if side and (names_something(things) or _ANYTHING.search(things)):
            return Farthest(things, side, means_several(text))
    return None


def names_something(text: str) -> bool:
    """Return whether a part of a question names anything, in whatever language."""
    return without_framing(asked_of(text)).names_something


def means_several(text: str) -> bool:
    """Return whether a text says among how many one is meant."""
    return bool(_OF_SEVERAL.search(text))


def one_of_several(text: str) -> str:
    """Return a text without the words that say among how many one is meant."""
    return ' '.join(_OF_SEVERAL.sub(' ', text).split())
