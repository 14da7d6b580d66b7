"""The evidence for and against a thing being meant by a query: similarities, as numbers. Pure.

The same numbers are computed for the examples that ship with the memory, from which their weights
are learned, and for every query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.retrieval.parsed_query import ParsedQuery
from embodied_nav.retrieval.synonyms_and_dictionary import concepts_of, is_kind
from embodied_nav.retrieval.term_support import MATCHED, TermSupport
from embodied_nav.retrieval.terms_of_text import Term
from embodied_nav.retrieval.terms_that_must_match_exactly import allows_semantic_match

OTHER_KIND = 0.7  # support below which a known kind is that of another thing
COMPARED = 15  # things with which the best one is compared
SPREAD = 0.03  # of cosines, at least: a few texts may be equally far
FEW = 0.3  # by which the spread of a single thing is larger
MAX_GAIN = 0.15  # of cosine; higher gains count as this
CLASS_SHARE = 0.4  # of the class beside the whole text, where it is more similar
TERM_WEIGHT = 0.3  # of the term support beside the cosine of the texts
BARE = 2  # terms, at most, of a query that is only a name


class Evidence(IntEnum):
    """The columns of `evidence_of`. A deviation says how far a thing is above most others."""

    COSINE = 0  # of the query with the text of the thing, or with its class where that is higher
    COSINE_DEVIATION = 1
    CLASS_COSINE = 2  # with its class alone
    SIMILARITY = 3  # cosine and term support together
    SIMILARITY_DEVIATION = 4
    MEAN = 5  # support of the terms
    LEAST = 6  # support of the weakest term, of those that may be matched by their vectors
    ALL_MATCHED = 7  # 1: each term is matched
    MATCHED_SHARE = 8  # of the terms that the text contains
    LACKS_QUALITY = 9  # 1: a colour, size or number is not matched
    LACKS_CONDITION = 10  # the same, where it may describe the asker: "my hands are dirty"
    OTHER_KIND = 11  # 1: the query names a known kind of thing which the text does not contain
    OTHER_KIND_OF_NEED = 12  # the same, where the query says what a thing is good for
    BARE = 13  # 1: the query is a name only, and a part of it is not matched
    GAINS = 14  # of the terms, together
    LEAST_GAIN = 15  # the lowest gain of a term that is not matched
    NEED = 16  # how much it helps the asker, see `Needs.scores`
    NEED_DEVIATION = 17  # the same over all needs, in deviations


def null_evidence(query: ParsedQuery) -> NDArray[np.float64]:
    """Return the numbers of a query that say how probable it is that nothing is meant."""
    count = len(query.terms)
    return np.array([1.0, query.is_implied, count / 3.0, count == 1, count == 0], np.float64)


NULL_NUMBERS = len(null_evidence(ParsedQuery('')))


@dataclass(frozen=True)
class Similarities:
    """The similarities of a query: of each thing one number, in their order.

    Attributes:
        cosines: See `Evidence.COSINE`.
        class_cosines: See `Evidence.CLASS_COSINE`.
        similarities: See `Evidence.SIMILARITY`.
        needs: See `Evidence.NEED`.
        all_needs: The same over all needs.
    """

    cosines: NDArray[np.float64]
    class_cosines: NDArray[np.float64]
    similarities: NDArray[np.float64]
    needs: NDArray[np.float32]
    all_needs: NDArray[np.float32]


def similarities_of(
    text: str,
    cosines: NDArray[np.float64],
    vector: NDArray[np.float32],
    rows: NDArray[np.float32],
    classes: Sequence[str],
    supports: Sequence[TermSupport],
    term_vectors: TermVectors,
) -> Similarities:
    """Return the similarities of a query with things.

    The cosine of a long caption with a short query is low, whatever the thing is: so its class
    counts, too.

    Args:
        text: Of the query, as it was asked.
        cosines: Of the query with the text of each thing; 0: there is no vector, and the term
            support counts instead.
        vector: Of the query; empty: not known.
        rows: The vectors of the texts.
        classes: Of the things; empty: not known.
        supports: The support of the query's terms by each thing.
        term_vectors: Has the vectors of the classes.
    """
    class_rows = _rows_of(classes, term_vectors, len(vector))
    class_cosines = class_rows @ vector
    means = np.array([support.mean for support in supports], np.float64)
    texts = np.where(cosines == 0.0, means, cosines)
    by_class = np.where(class_rows.any(axis=1), class_cosines, texts) if len(vector) else texts
    best = np.maximum(texts, (1.0 - CLASS_SHARE) * texts + CLASS_SHARE * by_class)
    similarities = (1.0 - TERM_WEIGHT) * np.maximum(0.0, best) + TERM_WEIGHT * means
    similarities = np.where((cosines == 0.0) | (best == 0.0), means, similarities)
    similarities[[bool(support.violated) for support in supports]] = 0.0
    needs, all_needs = term_vectors.needs.scores(text, rows, class_rows)
    return Similarities(best, by_class, similarities, needs, all_needs)


def _rows_of(classes: Sequence[str], term_vectors: TermVectors, width: int) -> NDArray[np.float32]:
    """Return the vectors of classes; zeros where there is none."""
    found = np.zeros((len(classes), width), np.float32)
    rows: dict[str, NDArray[np.float32] | None] = {}
    for at, name in enumerate(classes):
        if name not in rows:
            row = term_vectors.vectors([name])
            rows[name] = row if row.shape == (1, width) else None
        if (row_of_class := rows[name]) is not None:
            found[at] = row_of_class
    return found


def evidence_of(
    query: ParsedQuery, supports: Sequence[TermSupport], similarities: Similarities
) -> NDArray[np.float64]:
    """Return the evidence for each of some things: a row each, with the columns of `Evidence`.

    Args:
        query: The query.
        supports: Of its terms by each thing.
        similarities: Of the query with each thing.
    """
    count = len(query.terms)
    support = np.array([[value for _, value in each.terms] for each in supports], np.float64)
    support = support.reshape(len(supports), count)
    gains = np.array([each.gains or (0.0,) * count for each in supports], np.float64)
    gains = gains.reshape(len(supports), count)
    semantic = np.array([allows_semantic_match(term) for term in query.terms], np.bool_)
    kinds = np.array([_is_kind(term) for term in query.terms], np.bool_)
    is_unmatched = support < MATCHED
    lacks_quality = (is_unmatched & ~semantic).any(axis=1)
    has_unmatched = (is_unmatched & semantic).any(axis=1)
    other_kind = ((support < OTHER_KIND) & semantic & kinds).any(axis=1)
    least_gains = np.where(is_unmatched & semantic, gains, np.inf).min(axis=1, initial=np.inf)
    rows = np.zeros((len(supports), len(Evidence)))
    rows[:, Evidence.COSINE] = similarities.cosines
    rows[:, Evidence.COSINE_DEVIATION] = deviations(similarities.cosines)
    rows[:, Evidence.CLASS_COSINE] = similarities.class_cosines
    rows[:, Evidence.SIMILARITY] = similarities.similarities
    rows[:, Evidence.SIMILARITY_DEVIATION] = deviations(similarities.similarities)
    rows[:, Evidence.MEAN] = support.sum(axis=1) / max(1, count)
    rows[:, Evidence.LEAST] = support[:, semantic].min(axis=1) if semantic.any() else count > 0
    rows[:, Evidence.ALL_MATCHED] = ~lacks_quality & ~has_unmatched & (count > 0)
    rows[:, Evidence.MATCHED_SHARE] = (support == 1.0).sum(axis=1) / max(1, count)
    rows[:, Evidence.LACKS_QUALITY] = lacks_quality & (not query.is_implied)
    rows[:, Evidence.LACKS_CONDITION] = lacks_quality & query.is_implied
    rows[:, Evidence.OTHER_KIND] = other_kind
    rows[:, Evidence.OTHER_KIND_OF_NEED] = other_kind & query.is_implied
    rows[:, Evidence.BARE] = has_unmatched & (count <= BARE and not query.is_implied)
    rows[:, Evidence.GAINS] = 5.0 * np.clip(gains, -MAX_GAIN, MAX_GAIN).sum(axis=1)
    least_gains[np.isposinf(least_gains)] = 0.0
    rows[:, Evidence.LEAST_GAIN] = 10.0 * np.clip(least_gains, -MAX_GAIN, MAX_GAIN)
    rows[:, Evidence.NEED] = similarities.needs
    rows[:, Evidence.NEED_DEVIATION] = deviations(similarities.all_needs)
    return rows


def deviations(values: NDArray[np.float64] | NDArray[np.float32]) -> NDArray[np.float64]:
    """Return by how many deviations each value is above the highest but the first of them.

    Of a few values, the deviation is not known well.
    """
    array = np.asarray(values, np.float64)
    rest = np.sort(array)[::-1][1 : COMPARED + 1]
    if not len(rest):
        return np.zeros(len(array))
    found: NDArray[np.float64] = (array - rest.mean()) / (rest.std() + SPREAD + FEW / len(rest))
    return found


def terms_matched_anywhere(query: ParsedQuery, supports: Sequence[TermSupport]) -> tuple[str, ...]:
    """Return the terms that some text contains: a thing that contains none is not meant.

    Not for a query that says what a thing is good for: its terms may describe the asker.
    """
    if query.is_implied:
        return ()
    columns = zip(*(support.terms for support in supports), strict=True)
    return tuple(
        column[0][0].text
        for column in columns
        if allows_semantic_match(column[0][0]) and any(value == 1.0 for _, value in column)
    )


def _is_kind(term: Term) -> bool:
    return is_kind(concepts_of(term.text))
