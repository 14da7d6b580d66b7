"""Parses a query: which terms say what is meant, what it excludes, when it was seen. Pure.

Stop words of queries ("where did you see", どこで見ましたか, 在哪里) are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import zip_longest
import re

from embodied_nav.retrieval.japanese_and_chinese_terms import is_japanese
from embodied_nav.retrieval.needs import (
    may_be_need,
    mentions_need,
    states_lack,
    subject_of_need,
    without_contractions,
)
from embodied_nav.retrieval.negations_in_query import normalise_negations
from embodied_nav.retrieval.synonyms_and_dictionary import (
    concepts_of,
    exact_concepts,
    gloss_of,
    is_kind,
    is_quality,
    senses_of,
)
from embodied_nav.retrieval.terms_of_text import Term, is_english, normalise_text, terms_of
from embodied_nav.retrieval.terms_that_must_match_exactly import allows_semantic_match
from embodied_nav.retrieval.time_in_query import TimeConstraint, parse_time

MOST_JOINED = 4  # terms of a query that are one word
MAX_ABLATED = 8  # terms of a query whose gains are computed
_STOP_WORDS = frozenset(
    """
    about again ago all already also am another anywhere back being both but called came check
    come anything
    coordinates d detected earlier else encountered ever every everything exactly examine first
    get give go goes headed heard here if inspect instead just kind know known last lately lie
    let lies like ll located location look looked looking looks lying m may maybe might move must
    named navigate nearby noticed now observed once one ones only or passed sitting situated
    perhaps please position possible previously proceed put quite re really recently remembered
    return right s same saw say self send shall showed sit sits so sort spot spotted such
    stand standing stands still sure t take then think tour travel type us ve very
    equipment gear hurry quick quickly 设备 装置
    visible visit visited want went were whatever whether whichever while whoever
    whose wish won yes yet you yours object objects item items stuff could i'm there's hey hi
    hello made somebody someone anybody anyone people need needs want wants have nearly almost i
    he she it him his hers theirs myself yourself himself herself itself themselves
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_ARTICLE = re.compile(  # of the thing itself: not in "the rock with a flat top"
    r'(?<!\bwith )(?<!\bof )(?<!\blike )\b(?:(?P<any>an?|any|some|either|one of)(?= )'
    r'|the|this|that|these|those|my|our|your|its|his|her|their|which|what)\b'
    '|(?P<some>何か|なにか|どれか|どれでも|どこか|任[何意]|随便|一[个只辆把张台块座条根棵件艘])'
)
_PURPOSES = frozenset('sit lie stand send travel'.split())  # noqa: SIM905
_KEPT = '(?:kept|stored|parked|placed|put|hidden|moored|left|stacked|tied up|set up)'
_KEEP = '(?:keep|store|park|place|put|hide|moor|leave|stack|tie up|set up|drop)'
_IS_KEPT = re.compile(  # where a thing is, not which one
    rf'(?<=\w )(?:is|are|was|were) (?:being )?{_KEPT}(?=[?.!]*$)'
    rf'|(?P<where>^where(?: is| are| was| were|\'s) .*\w)(?<! the)(?<! on)(?<! to) {_KEPT}'
    r'(?=[?.!]*$)'
    rf'|^where (?:did|do|does|would) (?:(?:the|our|my) )?\w+ (?:last |usually )?{_KEEP}\b',
    re.IGNORECASE,
)
_HEAD_TO = re.compile(r'^head (?:over |back |on )?(?:to|for|towards?)\b', re.IGNORECASE)
_ASKS = re.compile(  # verbs of the question that may also name a thing
    r'^(?:please |now )?list (?=(?:all|every|each|the|any|our|my)\b)'
    r'|\b(?<=did you )(?:ever )?(?:pass|come across|drive past)\b',
    re.IGNORECASE,
)
_ROBOT = re.compile(r'\b(?:the |our |a )?(?:rover|robot)\b', re.IGNORECASE)
_FULL_OF = re.compile(r'\bfull of\b', re.IGNORECASE)


@dataclass(frozen=True)
class ParsedQuery:
    """A query for one thing.

    Attributes:
        text: As it was asked.
        terms: The text of a thing that is meant supports each of these.
        excluded: It does not contain all the terms of one of these groups.
        time: When it must have been seen.
        is_implied: The query says what the thing is good for, not what it is.
        subject: What lacks something in a query that is implied: the tractor that is out of fuel
            is not where to get some.
    """

    text: str
    terms: tuple[Term, ...] = ()
    excluded: tuple[tuple[Term, ...], ...] = ()
    time: TimeConstraint = field(default_factory=TimeConstraint)
    is_implied: bool = False
    subject: str = ''

    @property
    def accepts_any(self) -> bool:
        """Whether each thing that fits is as good as another: "show me a bench", どれか."""
        first = _ARTICLE.search(normalise_text(self.text))
        return self.is_implied or bool(first and (first['any'] or first['some']))

    @property
    def has_terms(self) -> bool:
        """Whether there is a term to retrieve things by."""
        return bool(self.terms)

    @property
    def core(self) -> str:
        """The terms as one text, in their order; the whole text if there are none."""
        return join_terms([term.text for term in self.terms]) or self.text

    @property
    def texts(self) -> tuple[str, str]:
        """The two texts whose mean is the vector of the query: its core and the whole of it.

        A Japanese or Chinese core is in English if each of its terms is known: the encoder does
        not know かかし.
        """
        names = self._english_names
        is_known = bool(names) and all(names) and any(term.is_cjk for term in self.terms)
        return ' '.join(names) if is_known else self.core, self.text

    @cached_property
    def _english_names(self) -> tuple[str, ...]:
        """Each term in English, by the tables or the dictionary; empty: it is in neither."""
        has_kana = is_japanese(self.text)
        return tuple(
            next(iter(concepts_of(term.text)), '') or gloss_of(term.text, has_kana)
            if term.is_cjk
            else term.text
            for term in self.terms
        )

    @cached_property
    def bigrams(self) -> tuple[tuple[int, int], ...]:
        """Indices of adjacent terms that may be one name: "fire" and "extinguisher"."""
        return tuple(
            (at, at + 1)
            for at, (one, two) in enumerate(zip(self.terms, self.terms[1:], strict=False))
            if one.is_cjk == two.is_cjk and not two.starts_phrase
            if (allows_semantic_match(one) and allows_semantic_match(two))
            or is_kind(exact_concepts(join_terms([one.text, two.text])))  # a hard hat
        )

    @cached_property
    def bigram_concepts(self) -> tuple[tuple[str, ...], ...]:
        """The concepts of each bigram as one name."""
        return tuple(map(exact_concepts, map(self.joined, self.bigrams)))

    @cached_property
    def compounds(self) -> tuple[tuple[int, ...], ...]:
        """Indices of adjacent terms that are one word of the dictionary: 銅 and 像."""
        texts = [term.text if term.is_cjk else '' for term in self.terms]
        runs = (
            tuple(range(at, end))
            for at in range(len(texts))
            for end in range(at + 2, min(len(texts), at + MOST_JOINED) + 1)
            if all(texts[at:end])
        )
        return tuple(
            run for run in runs if (word := self.joined(run)) in self.text and senses_of(word)
        )

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The terms, then the bigrams, as they are compared by their vectors."""
        terms = zip(self.terms, self._english_names, strict=True)
        return (
            *(term.text if is_quality(concepts_of(term.text)) else name or term.text
              for term, name in terms),
            *map(self.joined, self.bigrams),
        )  # fmt: skip

    @property
    def ablations(self) -> tuple[str, ...]:
        """The core, the core without each term, and each term; empty for a single term."""
        texts = [term.text for term in self.terms]
        if not 1 < len(texts) <= MAX_ABLATED:
            return ()
        without = (join_terms(texts[:at] + texts[at + 1 :]) for at in range(len(texts)))
        return (self.core, *without, *texts)

    def joined(self, indices: Sequence[int]) -> str:
        """Return adjacent terms as one name."""
        return join_terms([self.terms[at].text for at in indices])


@lru_cache(maxsize=500)
def parse_query(text: str, may_imply: bool = True, is_need: bool = False) -> ParsedQuery:
    """Return the parts of a query.

    Args:
        text: As it was asked.
        may_imply: It may say what a thing is good for.
        is_need: It states a need, by its vector.
    """
    rest, time = parse_time(normalise_negations(text))
    rest = _ASKS.sub('', _HEAD_TO.sub('', _IS_KEPT.sub(_asked_for, rest.rstrip())))
    normalised = without_contractions(normalise_text(text))
    is_tabled = is_english(text) or any(term.is_cjk for term in terms_of(text))
    implied = may_imply and (
        (is_need and may_be_need(text)) or (mentions_need(normalised) and is_tabled)
    )
    found = terms_of(_ROBOT.sub(' ', rest) if implied else _FULL_OF.sub(' ', rest))
    terms = [
        term
        for term, following in zip_longest(found, found[1:])
        if _is_content(term, following, implied)
    ]
    groups: dict[int, list[Term]] = {}
    for term in terms:
        if term.negated:
            groups.setdefault(term.group, []).append(term)
    if groups and all(term.negated for term in terms) and states_lack(normalised):
        # What the asker lacks is wanted.
        terms, groups, implied = [replace(term, negated=False) for term in terms], {}, True
    return ParsedQuery(
        text,
        tuple(term for term in terms if not term.negated),
        tuple(map(tuple, groups.values())),
        time,
        implied,
        subject_of_need(normalised) if implied else '',
    )


def _asked_for(found: re.Match[str]) -> str:
    """Return what names the thing in the part of a question that asks where it is kept."""
    return found['where'] or ''


def join_terms(texts: Sequence[str]) -> str:
    """Return terms as a text; between Japanese or Chinese ones there are no spaces."""
    joined = ''
    for text in texts:
        has_space = joined and (joined[-1].isascii() or text[0].isascii())
        joined += f' {text}' if has_space else text
    return joined


def _is_content(term: Term, following: Term | None, implied: bool) -> bool:
    """Return whether a term says what is meant; a stop word may still begin a name."""
    is_negated = term.negated and term.text not in ('one', 'ones')
    is_purpose = implied and term.text in _PURPOSES
    if is_negated or term.text not in _STOP_WORDS or term.is_distinguishing or is_purpose:
        return not (implied and term.text == 'down')
    return following is not None and bool(exact_concepts(join_terms([term.text, following.text])))
