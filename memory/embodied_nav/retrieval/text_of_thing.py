"""The analysed text of a thing: its terms, their concepts, and what it negates; cached."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import chain, pairwise
import re

from embodied_nav.retrieval.parsed_query import join_terms
from embodied_nav.retrieval.synonyms_and_dictionary import (
    alternative_senses,
    alternatives_to,
    concepts_of,
    exact_concepts,
    is_kind,
    parts_of,
    senses_of,
    with_implied,
)
from embodied_nav.retrieval.terms_of_text import Term, normalise_text, terms_of
from embodied_nav.retrieval.terms_that_must_match_exactly import (
    allows_semantic_match,
    requires_exact_match,
)
from embodied_nav.retrieval.tokens_and_word_forms import (
    SHORTEST_MISSPELT,
    misspelt,
    opposites_of,
    root,
    roots_of,
)

_ENDING = re.compile('[ぁ-ん]+$')
SHORTEST_STEM = 2  # characters that remain of a Japanese word without its ending
MAX_DOCUMENTS = 10_000  # that are cached: 6 kB each
MAX_CACHED_MATCHES = 50  # terms per document: a query looks the same ones up repeatedly


class Document:
    """The text of one thing: its name, class, attributes and caption.

    It keeps no `Term`s: of thousands of texts, they would slow down each garbage collection.

    Attributes:
        comparable_terms: The terms, and bigrams that may be one name, that are compared by their
            vectors.
        unclassified_terms: Those of them that belong to no concept.
        is_cjk: Some of its terms are Japanese or Chinese.
    """

    def __init__(self, text: str) -> None:
        self._text = normalise_text(text)
        self._matches: dict[tuple[str, bool], bool] = {}
        terms = terms_of(self._text)
        self._negated = tuple(term.text for term in terms if term.negated)
        terms = tuple(term for term in terms if not term.negated)
        self._terms = tuple(term.text for term in terms)
        self._latin_terms = tuple(term.text for term in terms if not term.is_cjk)
        pairs = [
            (one.text, two.text)
            for one, two in pairwise(terms)
            if not two.starts_phrase and one.is_cjk == two.is_cjk
        ]
        self._bigrams = tuple(map(join_terms, pairs))
        no_kinds = [pair for pair in pairs if not any(map(has_kind, pair))]
        semantic = [term.text for term in terms if allows_semantic_match(term)]
        unclassified = [text for text in semantic if not concepts_of(text)]
        self.comparable_terms = tuple(dict.fromkeys((*semantic, *self._bigrams)))
        self.unclassified_terms = tuple(dict.fromkeys((*unclassified, *map(join_terms, no_kinds))))
        self.is_cjk = any(term.is_cjk for term in terms)

    @cached_property
    def _roots(self) -> frozenset[str]:
        """The roots of the terms, without the negated ones."""
        return frozenset(each for term in self._latin_terms for each in roots_of(term))

    @cached_property
    def _concepts(self) -> frozenset[str]:
        found = map(concepts_of, (*self._terms, *self._roots))
        names = map(exact_concepts, self._bigrams)
        return with_implied(chain.from_iterable(chain(found, names)))

    @cached_property
    def _opposites(self) -> frozenset[str]:
        """The roots of the opposites of its terms."""
        return frozenset(root(each) for term in self._latin_terms for each in opposites_of(term))

    @cached_property
    def _senses(self) -> frozenset[str]:
        """The senses of its terms in the dictionary."""
        parts = (part for term in self._terms for part in parts_of(term))
        return frozenset(each for part in parts for each in senses_of(part))

    def contains_synonym(self, term: Term) -> bool:
        """Return whether the dictionary has a synonym of the term, or of each of its parts."""
        return all(map(self._has_sense, parts_of(term.text)))

    def contains_compound(self, words: Sequence[str]) -> bool:
        """Return whether a term means these words together: 雪かきスコップ is a snow shovel."""
        return self.is_cjk and '+'.join(map(root, words)) in self._senses

    def _has_sense(self, text: str) -> bool:
        senses, compounds = alternative_senses(text)
        return not senses.isdisjoint(self._senses) or any(map(self._senses.issuperset, compounds))

    def negates(self, term: Term) -> bool:
        """Return whether the text negates the term."""
        return any(
            root(term.text) == root(each)
            or not {*concepts_of(term.text)}.isdisjoint(concepts_of(each))
            for each in self._negated
        )

    def contains_opposite(self, term: Term) -> bool:
        """Return whether the text contains an opposite of the term."""
        found = any(self.contains(Term(each)) for each in opposites_of(term.text))
        return found or root(term.text) in self._opposites

    def contradicts(self, term: Term) -> bool:
        """Return whether the term is negated, or its opposite or another colour is in the text."""
        others = alternatives_to(concepts_of(term.text))
        return (
            self.negates(term) or self.contains_opposite(term) or self.contains_concept([*others])
        )

    def contains(self, term: Term) -> bool:
        """Return whether the text contains the term, or one that means the same."""
        key = term.text, term.is_distinguishing
        match = self._matches.get(key)
        if match is None:
            if len(self._matches) >= MAX_CACHED_MATCHES:
                self._matches.clear()
            match = self._matches[key] = self._contains(term)
        return match

    def _contains(self, term: Term) -> bool:
        if self._contains_literally(term) or self.contains_concept(concepts_of(term.text)):
            return True
        if any(self.negates(Term(each)) for each in opposites_of(term.text)):
            return True
        if term.is_cjk or len(term.text) < SHORTEST_MISSPELT - 1 or requires_exact_match(term):
            return False
        return any(misspelt(term.text, each) for each in self._latin_terms
                   if each[0] == term.text[0])  # fmt: skip

    def contains_concept(self, concepts: Sequence[str]) -> bool:
        """Return whether one of its terms belongs to one of these concepts."""
        return not self._concepts.isdisjoint(concepts)

    def _contains_literally(self, term: Term) -> bool:
        if not term.is_cjk:
            return root(term.text) in self._roots
        if concepts_of(term.text):
            return False  # 大 stands in 大理石, too
        stem = _ENDING.sub('', term.text)
        stem = stem if len(stem) >= SHORTEST_STEM else term.text
        return stem in self._text and not any(stem in each for each in self._negated)


@lru_cache(maxsize=MAX_DOCUMENTS)
def document_of(text: str) -> Document:
    """Return the analysed text; the latest ones are cached."""
    return Document(text)


def has_kind(text: str) -> bool:
    """Return whether a word belongs to a concept that says what a thing is."""
    return is_kind(concepts_of(text))
