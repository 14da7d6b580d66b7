"""How far the text of a thing supports each term of a query, by its words and as a whole. Pure.

A thing that is similar to a query is not its answer while a term of the query is unsupported: a
white rock is similar to "the green rock", and is not it.
docs/decisions/0085-every-word-is-carried.md

The text is compared with the query and with the query without the term. "Robot trolley" is less
similar to a row of trolleys than "trolley" is, so the text does not mention a robot; "a trailer
with potatoes" is more similar to "a flat trailer loaded with sacks of potatoes" than "a trailer"
is, in whatever languages both were written. The similarity of single words does not tell these
two cases apart.
docs/decisions/0149-what-a-word-adds.md, docs/decisions/0162-what-the-whole-text-says.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
import re

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.retrieval.parsed_query import ParsedQuery, join_terms
from embodied_nav.retrieval.synonyms_and_dictionary import QUALITIES, is_kind
from embodied_nav.retrieval.terms_of_text import Term
from embodied_nav.retrieval.terms_that_must_match_exactly import allows_semantic_match
from embodied_nav.retrieval.text_of_thing import Document, has_kind
from rover_common.dataclass_replace import replace

# Log-odds that a text matches a term, learned from the examples that ship: of the support of the
# term, of its gain as a share of what it changes, and of its cosine with the text.
_WEIGHTS, _BIAS = (1.75, 2.25, 5.96), -2.42
MIN_LOG_ODDS = 1.7  # of 600 words that were put into questions of the bench, 1 is above
MAX_SUPPORT, MAX_SHARE = 0.8, 2.0  # higher values count as these
LEAST_CHANGE = 0.03  # of cosine; a smaller change counts as this


MATCHED = 0.75  # support from which on a term counts as contained in the text
SAME, GUESSED = 0.8, 0.4  # cosines: as good as contained; at most, of a term that others contain
SAME_WITHIN = 0.05  # of cosine, by which a similarity may be lower and counts as the same
RIVALS = 0.7  # support from which on a term belongs to the thing that supports it most
QUALIFIES = 0.7  # support from which on a term counts that distinguishes a thing
LIKELY_QUALITY = 0.6  # cosine with a quality from which on a term may be one


@dataclass(frozen=True)
class TermGains:
    """The gains of the terms of a query: a row for each text, a column for each term.

    Attributes:
        gains: By how much the term raises the cosine with the text.
        shares: The same as a share of how much the term changes the query.
        cosines: Of the term alone with the text.
    """

    gains: NDArray[np.float32]
    shares: NDArray[np.float32]
    cosines: NDArray[np.float32]

    def odds(self, supports: Sequence[Sequence[float]]) -> NDArray[np.float64]:
        """Return the log-odds that each text matches each term, given the support of the terms."""
        values = np.array(supports).reshape(self.shares.shape)  # of no texts it has no width
        parts = (np.minimum(values, MAX_SUPPORT), self.shares, self.cosines)
        odds = sum(weight * part for weight, part in zip(_WEIGHTS, parts, strict=True))
        return np.asarray(odds + _BIAS, np.float64)

    def matches(self, supports: Sequence[Sequence[float]]) -> NDArray[np.bool_]:
        """Return which terms each text matches as a whole, given the support of the terms."""
        found: NDArray[np.bool_] = self.odds(supports) >= MIN_LOG_ODDS
        return found


def gains_of(
    query: ParsedQuery, rows: NDArray[np.float32], term_vectors: TermVectors
) -> TermGains | None:
    """Return the gain of each term of a query for each text.

    Args:
        query: The query.
        rows: The vectors of the texts.
        term_vectors: Has the vectors of `query.ablations`.

    Returns:
        None: not known.
    """
    ablations = term_vectors.vectors(query.ablations)
    if not len(ablations) or ablations.shape[1] != rows.shape[1]:
        return None
    count = len(query.terms)
    cosines = rows @ ablations.T
    gains = cosines[:, :1] - cosines[:, 1 : count + 1]
    changes = np.maximum(1.0 - ablations[1 : count + 1] @ ablations[0], LEAST_CHANGE)
    shares = np.clip(gains / changes, -MAX_SHARE, MAX_SHARE)
    return TermGains(gains, shares.astype(np.float32), cosines[:, count + 1 :])


@dataclass(frozen=True)
class TermSupport:
    """The support of each term of a query by one thing, 0 to 1; 1: the text contains it.

    Attributes:
        terms: The terms with their support: the cosine of the most similar term, below 1.
        violated: What the query excludes and the text contains, as it was asked.
        exclusions_met: How many of the excluded terms the text contradicts.
        gains: By how much each term raises the similarity of the query, see `gains_of`; empty:
            not known.
        whole_text_matches: Whether the text as a whole matches each term; empty: not known.
        exclusion_similarity: The similarity to what the query excludes, 0 to 1.
        is_cjk: The text has Japanese or Chinese terms, besides its class.
    """

    terms: tuple[tuple[Term, float], ...] = ()
    violated: tuple[str, ...] = ()
    exclusions_met: int = 0
    gains: tuple[float, ...] = ()
    whole_text_matches: tuple[bool, ...] = ()
    exclusion_similarity: float = 0.0
    is_cjk: bool = False

    def gain(self, at: int) -> float:
        """Return by how much a term raises the similarity of the query; 0: not known."""
        return self.gains[at] if self.gains else 0.0

    def is_matched_by_whole_text(self, at: int) -> bool:
        """Return whether the text as a whole matches a term, though no term of it does."""
        return bool(self.whole_text_matches) and self.whole_text_matches[at]

    @property
    def texts(self) -> tuple[str, ...]:
        """The terms, as they were asked."""
        return tuple(term.text for term, _ in self.terms)

    @cached_property
    def mean(self) -> float:
        """The mean support; 0 for a query without terms."""
        return sum(value for _, value in self.terms) / len(self.terms) if self.terms else 0.0

    @cached_property
    def least(self) -> float:
        """The support of the weakest term; 0 if an exclusion is violated."""
        return min((value for _, value in self.terms), default=0.0) if not self.violated else 0.0

    @property
    def kind(self) -> float:
        """The best support of a term that says what the thing is, not what it is like."""
        kinds = [value for term, value in self.terms if allows_semantic_match(term)]
        return max(kinds or [value for _, value in self.terms], default=0.0)

    @property
    def has_match(self) -> bool:
        """Whether a term that names something is contained, or nearly."""
        return any(value >= QUALIFIES and allows_semantic_match(term)
                   for term, value in self.terms)  # fmt: skip

    def supported(self, threshold: float) -> tuple[str, ...]:
        """The terms with at least this support, as they were asked."""
        return tuple(term.text for term, value in self.terms if value >= threshold)

    @property
    def weakest(self) -> tuple[str, ...]:
        """The term with the least support."""
        return (min(self.terms, key=lambda pair: pair[1])[0].text,) if self.terms else ()


def supports_of(
    query: ParsedQuery,
    documents: Sequence[Document],
    term_vectors: TermVectors,
    surroundings: Sequence[Document | None] = (),
) -> list[TermSupport]:
    """Return how far each of some things supports each term of a query.

    Args:
        query: The query.
        documents: The text of each thing.
        term_vectors: Of single terms.
        surroundings: The texts of the areas and neighbours of each thing.
    """
    literal = [
        [_literal_support(term, document, around) for term in query.terms]
        for document, around in zip(
            documents, surroundings or [None] * len(documents), strict=True
        )
    ]
    kinds = [has_kind(unit) for unit in query.units]
    comparable = [document.comparable_terms for document in documents]
    unclassified = [each.unclassified_terms for each in documents] if any(kinds) else []
    cosines = term_vectors.max_cosines(query.units, [*comparable, *unclassified])
    if unclassified:
        cosines[: len(documents), kinds] = cosines[len(documents) :, kinds]
    cosines = _without_likely_qualities(
        query, cosines, term_vectors.cosines(query.units, QUALITIES).max(axis=0)
    )
    found = [
        _with_cosines(query, values, row, document)
        for document, values, row in zip(
            documents, literal, cosines[: len(documents)].tolist(), strict=True
        )
    ]
    within_query = term_vectors.cosines(query.units, query.units)[: len(query.terms)]
    for values in found:
        _cap_redundant_similarity(values, within_query.tolist())
    for at in range(len(query.terms)):  # no guess where another thing contains it, or nearly
        best = max((values[at] for values in found), default=0.0)
        if best >= RIVALS:
            for values in found:
                values[at] = values[at] if values[at] >= SAME * best else min(values[at], GUESSED)
    excluded = [term for group in query.excluded for term in group]
    return [
        TermSupport(
            tuple(zip(query.terms, values, strict=True)),
            _violated_exclusions(query, document) if excluded else (),
            sum(map(document.contradicts, excluded)) if excluded else 0,
            is_cjk=document.is_cjk,
        )
        for document, values in zip(documents, found, strict=True)
    ]


def with_gains(
    supports: Sequence[TermSupport], gains: TermGains | None, is_own_model: bool = False
) -> list[TermSupport]:
    """Return supports with the gain of each term.

    Args:
        supports: Without gains.
        gains: Of each term; None: not known.
        is_own_model: The gains are of the model from which `TermGains.matches` was learned.
    """
    if gains is None:
        return [*supports]
    found = [replace(support, gains=tuple(row))
             for support, row in zip(supports, gains.gains.tolist(), strict=True)]  # fmt: skip
    if not is_own_model:
        return found
    matches = gains.matches([[value for _, value in support.terms] for support in supports])
    return [replace(support, whole_text_matches=tuple(row))
            for support, row in zip(found, matches.tolist(), strict=True)]  # fmt: skip


def _cap_redundant_similarity(
    values: list[float], within_query: Sequence[Sequence[float]]
) -> None:
    """Cap the support of a term that is similar only through another term of the query.

    Lichen is similar to rock, so it is similar to each thing that is a rock.
    """
    contained = [at for at, value in enumerate(values) if value == 1.0]
    for at, value in enumerate(values):
        if GUESSED < value < 1.0 and any(
            within_query[each][at] >= value - SAME_WITHIN for each in contained
        ):
            values[at] = GUESSED


def _without_likely_qualities(
    query: ParsedQuery, cosines: NDArray[np.float32], quality: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the cosines, 0 for a term that is more similar to a quality, and for its bigrams.

    It may be that quality in other words, and qualities are not matched by their vectors.
    """
    if query.is_implied:
        return cosines
    is_quality = (cosines < quality) & (quality >= LIKELY_QUALITY)
    for at, (one, two) in enumerate(query.bigrams, len(query.terms)):
        is_quality[:, at] |= is_quality[:, one] | is_quality[:, two]
    return np.where(is_quality, np.float32(0.0), cosines)


def _with_cosines(
    query: ParsedQuery,
    values: Sequence[float | None],
    cosines: Sequence[float],
    document: Document,
) -> list[float]:
    """Fill in the support that no literal match decides; a bigram may be one name."""
    found = [cosine if value is None else value
             for value, cosine in zip(values, cosines, strict=False)]  # fmt: skip
    bigrams = zip(query.bigrams, query.bigram_concepts, cosines[len(query.terms) :], strict=True)
    for (one, two), concepts, cosine in bigrams:
        names = [query.terms[at].text for at in (one, two)]
        if document.contains_concept(concepts) or document.contains_compound(names):
            found[one] = found[two] = 1.0
        elif is_kind(concepts):  # a swimming pool is not every pool
            found[one], found[two] = min(found[one], GUESSED), min(found[two], GUESSED)
        elif (
            values[one] is None
            and values[two] is None
            and cosine > max(cosines[one], cosines[two])
        ):
            found[one], found[two] = max(found[one], cosine), max(found[two], cosine)
    for run in query.compounds:
        if document.contains_synonym(Term(query.joined(run))):
            for at in run:
                found[at] = 1.0
    for at, term in enumerate(query.terms):
        if values[at] is None and found[at] < SAME and not has_kind(term.text):
            found[at] = SAME if document.contains_synonym(term) else found[at]
    return found


def _violated_exclusions(query: ParsedQuery, document: Document) -> tuple[str, ...]:
    return tuple(
        f'not {join_terms([term.text for term in group])}'
        for group in query.excluded
        if all(document.contains(term) for term in group)
    )


def _literal_support(term: Term, document: Document, around: Document | None) -> float | None:
    """1 or 0 where the text decides; None where vectors may."""
    if document.contains(term) or (
        around is not None and term.in_place_phrase and around.contains(term)
    ):
        return 1.0
    return None if allows_semantic_match(term) and not document.contains_opposite(term) else 0.0


def join_alternatives(parts: Sequence[str]) -> str:
    """Return words as a list in a sentence: green, or hollow."""
    return re.sub(r', ([^,]+)$', r' or \1', ', '.join(parts))
