"""Tokenizes English, Japanese and Chinese texts into terms, and marks the negated ones. Pure.

Captions and queries get the same form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
import re
import unicodedata

from embodied_nav.retrieval.japanese_and_chinese_terms import (
    Piece,
    chinese_pieces,
    is_japanese,
    japanese_pieces,
)
from embodied_nav.retrieval.synonyms_and_dictionary import (
    concepts_of,
    is_quality,
)
from embodied_nav.retrieval.tokens_and_word_forms import STOP_WORDS, split_camel_case

_CJK = '㐀-鿿豈-﫿々ァ-ヺーぁ-ゖ'
_RUNS = re.compile(
    rf"(?P<signs>[{_CJK}]+)|(?P<word>(?:(?![{_CJK}])[^\W_])+)(?:'[a-z]+)?|(?P<stop>[,.;:、。，；：])"
)
_STARTS_WITH_CJK = re.compile(f'[{_CJK}]')

NEGATIONS = frozenset(
    ['not', 'no', 'without', 'never', 'non', 'nobody', 'lacks', 'lacking']
)  # fmt: skip
# These negate a noun with the qualities before it.
_DISTRIBUTIVE_NEGATIONS = frozenset(['without', 'no', 'lacks', 'lacking'])
_NEGATION_FILLERS = frozenset(  # between "not" and what is negated
    """
    called made named painted one ones any ever really very quite been being got get have need
    needs needing take takes taking use uses using used require requires accept accepts show shows
    hold holds contain contains carry carries include includes want wants
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_NOT_FIRST_PERSON = r'(?<!\bi )(?<!\bwe )'  # what the asker cannot do describes no thing
_CONTRACTED = ((re.compile(rf"{_NOT_FIRST_PERSON}\b(?:can't|cannot)\b"), 'can not'),
               (re.compile(rf"{_NOT_FIRST_PERSON}\bwon't\b"), 'will not'),
               (re.compile(rf"{_NOT_FIRST_PERSON}\b(ha(?:s|d|ve)|would|could)n't\b"), r'\1 not'),
               (re.compile(r"\b(is|are|was|were|do|does)n't\b"), r'\1 not'))  # fmt: skip
EXCEPT = frozenset(['except', 'excluding', 'besides'])
_EXCEPT_BIGRAMS = {'other': 'than', 'apart': 'from', 'rather': 'than', 'different': 'from'}

_PLACE_PREPOSITIONS = frozenset(
    """
    in at on inside within around from behind under below above over between along across near
    beside by next close of onto into beneath underneath against through outside
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_ATTRIBUTE_WORDS = frozenset(['with', 'that', 'which', 'who', 'whose', 'having', 'has'])
_ENGLISH = re.compile(  # rarely words of another language
    r'(?<!\w)(?:the|where|what|which|with|you|your|our|that|there|this|show|find|bring|did|how|does'
    r"|my|his|need|needs|want|wants|have|some|someone|somebody|something|somewhere|for|i am|i'm"
    r"|it's|she's|he's|we're|they're)(?!\w)"
)
_STOP_WORDS = (
    STOP_WORDS
    | _PLACE_PREPOSITIONS
    | {'other', 'apart', 'rather', 'than', 'or', 'but', 'up', 'out', 'off'}
)

_PHRASES = tuple(  # in several words what the tables have in one
    (re.compile(phrase, re.IGNORECASE), word)
    for phrase, word in (
        (r'\bout[ -]of[ -]order\b', 'broken'),
        (r'\b(?:too full|full to overflowing)\b', 'overflowing'),
        (r'\b(?:upside[ -]down|bottom[ -]up)\b', 'overturned'),
        (r'\bflat (?=(?:(?:front|rear|back|left|right) )?t[iy]re)', 'punctured '),
        (r'\bx-ray', 'xray'),
        ('用を足(?=せ)', 'トイレに行け'),
        ('用を足(?=し)', 'トイレに行き'),
    )
)
_HYPHENATED = re.compile(r'\b([a-z]+)-(in|by|on|off|over|through|hand)\b')  # check-in
_NOUN = r'(?:(?:an?|the) )?(?!or\b|nor\b)[a-z-]+'
_NEGATED_LIST = re.compile(rf'\b(?:not|neither|no) (?P<all>{_NOUN}(?:, {_NOUN})*,? n?or {_NOUN})')
_COMPARATIVE = re.compile('[a-z]{3,}er')  # before "than"
# Between an article and a noun these distinguish a thing; elsewhere they are stop words.
_DISTINGUISHING = frozenset(
    ['another', 'back', 'first', 'known', 'last', 'lying', 'other', 'right', 'sitting', 'spotted',
     'standing', 'still', 'visible']
)  # fmt: skip
_BEFORE_PRONOUN = STOP_WORDS | {'am', 'may', 'might', 'must', 'shall'}  # before "I"
_ARTICLES = frozenset(['the', 'a', 'an', 'my', 'your', 'our', 'its'])
_IN_IT = '(?:に(?:ある|いる|あった|いた)(?!か)|の中(?:の|に)|内の|[里中内]的)'


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a text, in lower case.

    Attributes:
        negated: The text negates it.
        group: Terms of one number are negated together: the blue barrel, in "other than the blue
            barrel", and not everything that is blue.
        starts_phrase: It follows a pause, so it belongs to none of the terms before.
        in_place_phrase: It may describe the place of the thing, instead of the thing.
        is_distinguishing: It distinguishes one of several, whatever else the word may mean: shelf
            A, the right shelf, bigger than the shelf.
    """

    text: str
    negated: bool = False
    group: int = 0
    starts_phrase: bool = False
    in_place_phrase: bool = False
    is_distinguishing: bool = False

    @property
    def is_cjk(self) -> bool:
        """Whether it is Japanese or Chinese."""
        return _is_cjk(self.text)


@lru_cache(maxsize=10_000)
def _is_cjk(text: str) -> bool:
    return bool(_STARTS_WITH_CJK.match(text))


def normalise_text(text: str) -> str:
    """Return a text in the form in which terms are compared."""
    straight = unicodedata.normalize('NFKC', text).replace('’', "'")
    for phrase, quality in _PHRASES:
        straight = phrase.sub(quality, straight)
    return _HYPHENATED.sub(r'\1\2', split_camel_case(straight).lower().replace('_', ' '))


@lru_cache(maxsize=500)
def is_english(text: str) -> bool:
    """Return whether a text in Latin letters has a word that is rare in other languages."""
    return bool(_ENGLISH.search(normalise_text(text)))


@lru_cache(maxsize=1000)
def terms_of(text: str) -> tuple[Term, ...]:
    """Return the content terms of a text, without grammar and stop words."""
    text = _in_full(normalise_text(text))
    if 'or ' in text:
        text = _NEGATED_LIST.sub(_negate_each, text)
    pieces_of = japanese_pieces if is_japanese(text) else chinese_pieces
    terms: list[Term] = []
    starts_phrase = True
    in_negation = in_exception = in_place_phrase = is_distributive = False
    group = 0
    previous = ''
    whose_at: int | None = None
    matches = [*_RUNS.finditer(text)]
    for match, following in zip_longest(matches, matches[1:]):
        kind, run = str(match.lastgroup), match.group(match.lastgroup or 0)
        next_word = following['word'] if following else None
        if kind == 'stop':
            starts_phrase, in_negation, in_exception = True, False, False
            continue
        if kind == 'signs':
            terms += _cjk_terms(run, pieces_of, group, starts_phrase, in_negation)
            starts_phrase, in_negation = False, False
            group = max((group, *(each.group for each in terms)))
            continue
        if run in EXCEPT or _EXCEPT_BIGRAMS.get(previous) == run:
            in_exception, group = True, group + 1
        elif run in NEGATIONS:
            in_negation, group, is_distributive = True, group + 1, run in _DISTRIBUTIVE_NEGATIONS
            if whose_at is not None:  # whose net is not ripped: it has no ripped net
                terms[whose_at:] = _negated(terms[whose_at:], group)
        elif run in ('and', 'but', 'that', 'which', 'with'):
            in_exception = in_exception and run == 'with'
            in_negation = False
        elif run == 'than' and terms and _COMPARATIVE.fullmatch(previous):
            terms[-1] = replace(terms[-1], text=f'{previous} than', is_distinguishing=True)
        elif (in_negation or in_exception) and run in _NEGATION_FILLERS and next_word is not None:
            pass  # not made of steel
        elif (
            (is_distinguishing := _is_distinguishing(previous, run, next_word))
            or run not in _STOP_WORDS
            or (in_negation and (following is None or following['stop']))  # that is not on
        ):
            negated = in_negation or in_exception
            term_group = group if negated else 0
            terms.append(
                Term(run, negated, term_group, starts_phrase, in_place_phrase, is_distinguishing)
            )
            starts_phrase = False
            is_open = is_distributive and next_word not in _STOP_WORDS
            in_negation = in_negation and is_open and is_quality(concepts_of(run))
        whose_at = len(terms) if run == 'whose' else whose_at
        in_place_phrase = run in _PLACE_PREPOSITIONS or (
            in_place_phrase and run not in _ATTRIBUTE_WORDS
        )
        previous = run
    return tuple(terms)


def _negated(terms: Iterable[Term], group: int) -> list[Term]:
    return [replace(term, negated=True, group=group) for term in terms]


def _in_full(text: str) -> str:
    """Return "can not" for "can't"."""
    if "'" in text or 'cannot' in text:
        for contracted, in_full in _CONTRACTED:
            text = contracted.sub(in_full, text)
    return text


def _cjk_terms(
    run: str,
    pieces_of: Callable[[str, int], Iterator[Piece]],
    group: int,
    starts_phrase: bool,
    is_negated: bool,
) -> Iterator[Term]:
    """Yield the terms of a run of characters; `is_negated`: "not" precedes it."""
    for text, negated, own_group in pieces_of(run, group):
        yield Term(
            text,
            negated or is_negated,
            (own_group or group) if is_negated else own_group,
            starts_phrase,
            _is_place_phrase(run, text),
        )
        starts_phrase = False


def _negate_each(found: re.Match[str]) -> str:
    """Return "not red, not green" for "not red or green"."""
    parts = re.split(r',? (?:n?or) |, ', found['all'])
    return ', '.join(f'not {each}' for each in parts)


def _is_distinguishing(previous: str, run: str, next_word: str | None) -> bool:
    """Return whether a possible stop word distinguishes a thing in its context.

    A letter behind a word and before none is a name: shelf A. "am I" and "5 m" are no names.
    """
    ends = next_word is None or next_word in _STOP_WORDS
    if len(run) == 1 and run.isalpha():
        return (
            (run != 'i' or next_word is None)
            and ends
            and bool(previous)
            and not previous.isdigit()
            and previous not in _BEFORE_PRONOUN
        )
    is_behind_article = previous in _ARTICLES or run == 'another'
    return run in _DISTINGUISHING and is_behind_article and not ends and next_word != 'one'


def _is_place_phrase(run: str, text: str) -> bool:
    """Return whether something lies in it, by the run: 谷にある岩, 山谷中的石头."""
    return bool(re.search(re.escape(text) + _IN_IT, run))
