"""Parses the form of a query: for one thing, how many, the first or the northernmost. Pure.

In English, Japanese and Chinese. What is left of the query says which things are meant.
"""

from __future__ import annotations

from dataclasses import dataclass
import re
from typing import Literal
import unicodedata

from embodied_nav.retrieval.query_directions import parse_farthest
from embodied_nav.retrieval.terms_of_text import ZH_MEASURES

_SEE = r'(?:see|seen|saw|spot|spotted|notice|noticed|find|found|pass|passed|remember(?:ed)?)'
_YOU = rf'(?:(?:did|have|do|had) )?(?:you|we|i|the rover) (?:ever )?{_SEE}'
_JA_COUNTER = '(?:[個台本匹頭枚軒件人羽つ脚隻冊両基艘着門張株杯]|箇所|か所|カ所)'
_JA_SEEN = '(?:見ました|見た|見つけました|ありました|あります|いました|います|ある|いる)?か?'
_ZH_COUNTER = '[个块辆座只台棵根张条把扇间艘颗位匹头]?'
_COUNTS = [
    re.compile(each, re.IGNORECASE)
    for each in (
        r'\bhow many\b|\b(?:the )?(?:total )?(?:number|count) of\b|^\s*count\b',
        rf'[はをが]?(?:全部で|合計)?(?:いくつ|幾つ|何{_JA_COUNTER})の?{_JA_SEEN}',
        '(?:の)?(?:数|個数|台数|本数)(?:は|を)',
        rf'(?:一共|总共)?(?:有|看到|见到|看见|见)?[了过]?(?:几[{ZH_MEASURES}门颗]|(?:多少|几(?![点时号岁月])){_ZH_COUNTER})',
        '的?数量(?:是多少)?',
        r"\bcu[áa]nt[oa]s\b|\bcombien d(?:e |')|\bwie ?viele\b|\bquant[ioea]s?\b|\bhoeveel\b"
        r'|\bсколько\b|\bile\b|몇\s*(?:개|명|마리|대)',
    )
]
_OF_ALL = re.compile(  # only says that the counted things are there
    r'\b(?:(?:are|is|were|was) there|(?:have|has) (?:we|you|i|they|it) (?:got)?'
    r'|(?:do|does|did) (?:we|you|they|it|(?:the|this) \w+) (?:have|own))\b'
    r'|\b(?:are |is )?(?:on|in|at|along|around) (?:this|the whole|our) \w+(?= *[?.!]*$)'
    r'|\b(?:can|could|do) (?:you|we) (?:count|see)\b|\b(?:in total|altogether|all told|overall)\b'
    r'|(?<=\w )(?:areas|places|spots|points)(?=(?: (?:are|is) there)? *[?.!]*$)|\by a-t-il\b'
    '|^(?:(?:この|ここの?|うちの?)[^、はに]{0,4}に?は|ここに|うちに)[、]?'
    '|^(?:这[条个片座栋]?[^，有]{1,3}[上里中]|这[里儿]|我们(?:这[里儿])?)',
    re.IGNORECASE,
)
_PLACES = (  # the place of what is counted, as a phrase of one thing
    (re.compile('^([^ 你我]+[里中内]) (?=.)'), r'\1的'),
    (re.compile('^([^はがをにで、 ]+?)(?:の中)?に(?:は|、)?(?![あい]る)(?=.)'), r'\1にある'),
)
_ORDERS = tuple(
    (order, re.compile(pattern, re.IGNORECASE))
    for order, pattern in (
        ('first', rf'(?:^|\b)(?:{_YOU} )?(?:at )?(?:first|earliest)(?: of all)?[?.! ]*$'),
        ('first', rf'\b(?:first|earliest)(?= (?:\w+ ){{1,4}}(?:that )?{_YOU})'),
        ('first', r'最初に(?:見た|見つけた|見かけた)|一番(?:最初|先)に見た'),
        ('first', r'(?:最先|最早|第一次|首先)(?:看到|见到|看见|发现)了?的?'),
        ('last', rf'\b{_YOU} (?:last|latest|most recently)[?.! ]*$'),
        ('last', rf'\b(?:last|newest)(?= (?:\w+ ){{1,4}}(?:that )?{_YOU})'),
        ('last', r'\b(?:latest|newest|most recent(?:ly)?)\b'),
        ('last', rf'\b(?<=you )last(?= {_SEE}\b)'),
        ('first', rf'\b(?<=you )first(?= {_SEE}\b)'),
        ('last', r'\b(?:last|latest|newest|most recent)(?= (?:\w+ ){1,4}(?:that was )?seen\b)'),
        ('first', r'\bfirst(?= (?:\w+ ){1,4}(?:that was )?seen\b)'),
        ('last', r'最後に(?:見た|見つけた|見かけた)|一番最近見た'),
        ('last', r'(?:最后|最近一次|最近|最新)(?:看到|见到|看见|发现)了?的?'),
    )
)
_VERSUS = [
    re.compile(each, re.IGNORECASE)
    for each in (
        rf'(?:\b{_YOU})?(?: that)?(?: was| were)?(?: seen| spotted)?\s*\b(?P<side>before|after)\b'
        rf'(?: (?:you|we) {_SEE})? (?:seeing )?(?P<mark>(?!.*\b(?:ago|sol|day)\b).+?)[?.! ]*$',
        r'^(?P<mark>.+?)(?:を見る|を見た|を見つけた|を見つける|の|より)(?P<side>前|後|あと)(?:に|で)?(?:見た|見つけた)',
        r'^(?:在)?(?:看到|见到|发现)?(?P<mark>.+?)(?P<side>之前|之后|以前|以后)(?:你)?(?:看到|见到|看见|发现)[了过]?的?',
    )
]
_SEEN = re.compile(rf'(?<!\bthe )(?<!\ba )\b{_SEE}\b', re.IGNORECASE)  # no spot
_BEFORE = ('before', '前', '之前', '以前')


@dataclass(frozen=True)
class QueryForm:
    """The kind of answer that is wanted.

    Attributes:
        text: The rest of the query: which things.
        is_count: How many there are.
        order: Only the one that was seen first or last.
        when: Only what was first seen 'before' or 'after' the landmark.
        landmark: That landmark, as it was asked.
        direction: Only the one that lies farthest in this direction, such as "northeast".
        among_several: There must be several to choose from.
    """

    text: str
    is_count: bool = False
    order: Literal['', 'first', 'last'] = ''
    when: Literal['', 'before', 'after'] = ''
    landmark: str = ''
    direction: str = ''
    among_several: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the query is for one thing, by what it is and where it lies."""
        return not (self.is_count or self.order or self.when or self.direction)


def parse_form(text: str) -> QueryForm:
    """Return the form of a query."""
    rest = unicodedata.normalize('NFKC', text).strip()
    if farthest := parse_farthest(rest):
        return QueryForm(
            farthest.targets, direction=farthest.direction, among_several=farthest.among_several
        )
    is_count, order, when, landmark = False, '', '', ''
    for pattern in _COUNTS:
        if found := pattern.search(rest):
            is_count, rest = True, _without(rest, found)
            rest = ' '.join(_OF_ALL.sub(' ', rest).split())
            for place, replacement in _PLACES:
                rest = place.sub(replacement, rest)
            break
    for name, pattern in _ORDERS:
        if found := pattern.search(rest):
            order, rest = name, _without(rest, found)
            break
    for pattern in _VERSUS:
        found = pattern.search(rest)
        if found and (_SEEN.search(rest) or not rest.isascii()):
            when = 'before' if found['side'].lower() in _BEFORE else 'after'
            landmark, rest = found['mark'].strip(), _without(rest, found)
            break
    return QueryForm(rest, is_count, order, when, landmark)  # type: ignore[arg-type]


def _without(text: str, found: re.Match[str]) -> str:
    return ' '.join(f'{text[: found.start()]} {text[found.end() :]}'.split()).rstrip('?？。. ')
