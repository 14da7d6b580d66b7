"""Queries for how many, the first, the last, what was seen before or after something. Pure.

In English, Japanese and Chinese. What is left of the query says which things are meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
import re
from typing import Literal
import unicodedata

from embodied_nav.nodes_of_forest import Node, age_s
from embodied_nav.query_and_recall_types import Hit, Query, Recall, RecallOutcome
from embodied_nav.retrieval.answer_verdict import ago, if_fresh, judge, located, named
from embodied_nav.retrieval.candidate_ranking import LIKELY
from embodied_nav.retrieval.compass_direction_queries import (
    distance_along,
    farthest_hit,
    parse_farthest,
)
from embodied_nav.retrieval.japanese_and_chinese_terms import ZH_MEASURES
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.term_support import join_alternatives

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


MAX_COUNTED = 500  # things that are counted, or compared by when they were seen


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


def answer_of(
    form: QueryForm,
    hits: Sequence[Hit],
    nodes: Mapping[str, Node],
    landmark: Node | None,
    now: float,
) -> Recall:
    """Return the answer to a query of such a form.

    Args:
        form: Of the query.
        hits: What is similar to the things that are meant, best first, with unsupported terms.
        nodes: The nodes of the hits.
        landmark: The node that `form.landmark` means; None: there is none.
        now: s.
    """
    if form.landmark and landmark is None:
        return _absent(
            f'Nothing that is remembered is {form.landmark!r}, so nothing is {form.when} it'
        )
    fits = [hit for hit in hits if hit.has_only_supported]
    condition = ''
    if landmark is not None:
        condition = f' first seen {form.when} {landmark.name}'
        fits = [
            hit
            for hit in fits
            if hit.node_id != landmark.node_id
            and _was_seen(nodes[hit.node_id], landmark, form.when == 'before')
        ]
    if form.is_count:
        return _count(form.text, fits, hits, condition)
    is_guess = sum(hit.probability for hit in fits) < LIKELY
    if is_guess and form.direction and hits:  # the best hit shows which things are meant
        similar = [hit for hit in hits if _matched_terms(hit) == _matched_terms(hits[0])]
        others = [hit for hit in hits if hit not in similar]
        similar.sort(key=lambda hit: -distance_along(form.direction, hit.position))
        return judge(Query(text=form.text), [*similar, *others], [], [])
    if not fits:
        return _absent(f'Nothing{condition} is remembered{_nearest_miss(hits)}')
    if form.direction and form.among_several and len(fits) == 1:  # others may have other names
        reason = f'Of several such only {located(fits[0])} is known. Go there?'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(fits))
    if form.direction:
        return farthest_hit(form.direction, fits)
    if form.order:
        return _first_or_last(form, fits, nodes, now)
    if len(fits) == 1:
        return Recall(RecallOutcome.FOUND, f'{located(fits[0])}{condition}.', tuple(fits))
    reason = f'{len(fits)} remembered{condition}: {named(fits)}. Say which one is meant.'
    return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(fits))


def final_answer(query: Query, recall: Recall, around_m: float) -> Recall:
    """Return the answer for the asker: STALE if it is too old, and with `query.k` hits at most.

    `around_m`: how far from the asker was searched, if the asker's place is known.
    """
    if query.near is not None:
        only = f'{recall.reason} Only what lies within {around_m:.0f} m of here is meant.'
        recall = replace(recall, reason=only)
    return replace(
        if_fresh(query, recall), hits=recall.hits if recall.count else recall.hits[: query.k]
    )


def _matched_terms(hit: Hit) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return hit.supported, hit.unsupported


def _count(text: str, fits: Sequence[Hit], hits: Sequence[Hit], condition: str) -> Recall:
    if not fits and (anywhere := _with_place_unsupported(text, hits)):
        found = _count('', anywhere, hits, condition)
        best = anywhere[0]
        places = join_alternatives([each for each in best.unsupported
                                    if each not in best.supported])  # fmt: skip
        reason = f'{found.reason} Of none it is said that it is there: {places}.'
        return replace(found, outcome=RecallOutcome.AMBIGUOUS, reason=reason)
    if not fits:
        return replace(_absent(f'None{condition} is remembered{_nearest_miss(hits)}'), count=0)
    fits = sorted(fits, key=lambda hit: hit.name)
    label = f' as {" and ".join(fits[0].supported)}' if fits[0].supported else ''
    more = ' or more' if len(fits) >= MAX_COUNTED else ''
    reason = f'{len(fits)}{more} remembered{label}{condition}: {named(fits)}.'
    return Recall(RecallOutcome.FOUND, reason, tuple(fits), count=len(fits))


def _with_place_unsupported(text: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits that lack only the place where they were counted, if no hit supports it.

    No caption says that a thing is in the castle that the rover drives in.
    """
    places = {
        term.text for term in parse_query(text, may_imply=False).terms if term.in_place_phrase
    }
    if any(not places.isdisjoint(hit.supported) for hit in hits):
        return []
    missing = [{*hit.unsupported} - {*hit.supported} for hit in hits]
    return [hit for hit, terms in zip(hits, missing, strict=True) if terms and terms <= places]


def _first_or_last(
    form: QueryForm, fits: Sequence[Hit], nodes: Mapping[str, Node], now: float
) -> Recall:
    """Return what was seen first or last; AMBIGUOUS if that are several, as in one picture."""
    is_first = form.order == 'first'
    stamps = {
        hit.node_id: nodes[hit.node_id].first_seen if is_first else nodes[hit.node_id].last_seen
        for hit in fits
    }
    ages = {node_id: age_s(stamp, now) for node_id, stamp in stamps.items()}
    ordered = sorted(fits, key=lambda hit: ages[hit.node_id], reverse=is_first)
    stamp = stamps[ordered[0].node_id]
    when = f'seen {form.order} of {len(fits)}, {ago(age_s(stamp, now))}'
    ties = [hit for hit in ordered if stamps[hit.node_id] == stamp]
    if len(ties) > 1:
        reason = f'{len(ties)} were {when}: {named(ties)}. Say which one is meant.'
        return Recall(RecallOutcome.AMBIGUOUS, reason, tuple(ordered))
    return Recall(RecallOutcome.FOUND, f'{located(ordered[0])}, {when}.', tuple(ordered))


def _was_seen(node: Node, landmark: Node, before: bool) -> bool:
    """Return whether it was first seen before, or after, the landmark."""
    difference = node.first_seen - landmark.first_seen
    return difference < 0.0 if before else difference > 0.0


def _absent(reason: str) -> Recall:
    return Recall(RecallOutcome.ABSENT, f'{reason}.')


def _nearest_miss(hits: Sequence[Hit]) -> str:
    """Return the nearest hit with its unsupported terms, in words."""
    best = next((hit for hit in hits if hit.unsupported), None)
    if best is None:
        return ''
    return f': {best.name} is the nearest, but not {join_alternatives(best.unsupported)}'
