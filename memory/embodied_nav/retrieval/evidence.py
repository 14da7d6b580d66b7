"""The evidence for and against a thing being meant by a query, as numbers. Pure.

The same numbers are computed for the examples that ship with the memory, from which their weights
are learned, and for every query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embodied_nav.retrieval.parsed_query import ParsedQuery, allows_semantic_match
from embodied_nav.retrieval.synonyms import concepts_of, is_kind
from embodied_nav.retrieval.term_support import MATCHED, TermSupport
from embodied_nav.retrieval.terms_of_text import Term
from rover_common.dataclass_replace import replace

OTHER_KIND = 0.7  # support below which a known kind is that of another thing
COMPARED = 15  # things with which the best one is compared
SPREAD = 0.03  # of cosines, at least: a few texts may be equally far
FEW = 0.3  # by which the spread of a single thing is larger
MAX_GAIN = 0.15  # of cosine; higher gains count as this
BARE = 2  # terms, at most, of a query that is only a name


@dataclass(frozen=True)
class Evidence:
    """Numbers for a thing. A deviation says how far it is above most other things.

    Attributes:
        cosine: Of the query with the text of the thing, or with its class where that is higher.
        cosine_deviation: The same, in deviations.
        class_cosine: With its class alone.
        similarity: Cosine and term support together.
        similarity_deviation: The same, in deviations.
        mean: Support of the terms.
        least: Support of the weakest term, of those that may be matched by their vectors.
        all_matched: 1: each term is matched.
        matched_share: Share of the terms that the text contains.
        lacks_quality: 1: a colour, size or number is not matched.
        lacks_condition: The same, where it may describe the asker: "my hands are dirty".
        other_kind: 1: the query names a known kind of thing which the text does not contain.
        other_kind_of_need: The same, where the query says what a thing is good for.
        bare: 1: the query is a name only, and a part of it is not matched.
        gains: The gains of the terms, together.
        least_gain: The lowest gain of a term that is not matched.
        need: How much it helps the asker, see `Needs.scores`.
        need_deviation: The same over all needs, in deviations.
    """

    cosine: float = 0.0
    cosine_deviation: float = 0.0
    class_cosine: float = 0.0
    similarity: float = 0.0
    similarity_deviation: float = 0.0
    mean: float = 0.0
    least: float = 0.0
    all_matched: float = 0.0
    matched_share: float = 0.0
    lacks_quality: float = 0.0
    lacks_condition: float = 0.0
    other_kind: float = 0.0
    other_kind_of_need: float = 0.0
    bare: float = 0.0
    gains: float = 0.0
    least_gain: float = 0.0
    need: float = 0.0
    need_deviation: float = 0.0

    def values(self) -> NDArray[np.float64]:
        """Return them in their order."""
        return np.array([*vars(self).values()], np.float64)  # astuple copies each deeply


def null_evidence(query: ParsedQuery) -> NDArray[np.float64]:
    """Return the numbers of a query that say how probable it is that nothing is meant."""
    count = len(query.terms)
    return np.array([1.0, query.is_implied, count / 3.0, count == 1, count == 0], np.float64)


NUMBERS = len(Evidence().values())
NULL_NUMBERS = len(null_evidence(ParsedQuery('')))


@dataclass(frozen=True)
class Similarities:
    """The similarities of a query: of each thing one number, in their order.

    Attributes:
        cosines: See `Evidence.cosine`.
        class_cosines: See `Evidence.class_cosine`.
        similarities: See `Evidence.similarity`.
        needs: See `Evidence.need`.
        all_needs: The same over all needs.
    """

    cosines: Sequence[float]
    class_cosines: Sequence[float]
    similarities: Sequence[float]
    needs: Sequence[float]
    all_needs: Sequence[float]


def evidence_of(
    query: ParsedQuery, supports: Sequence[TermSupport], similarities: Similarities
) -> list[Evidence]:
    """Return the evidence for each of some things.

    Args:
        query: The query.
        supports: Of its terms by each thing.
        similarities: Of the query with each thing.
    """
    columns = zip(
        similarities.cosines,
        deviations(similarities.cosines),
        similarities.class_cosines,
        similarities.similarities,
        deviations(similarities.similarities),
        similarities.needs,
        deviations(similarities.all_needs),
        strict=True,
    )
    return [
        replace(
            _term_evidence(query, support),
            cosine=cosine,
            cosine_deviation=cosine_deviation,
            class_cosine=class_cosine,
            similarity=similarity,
            similarity_deviation=similarity_deviation,
            need=need,
            need_deviation=need_deviation,
        )
        for support, (
            cosine,
            cosine_deviation,
            class_cosine,
            similarity,
            similarity_deviation,
            need,
            need_deviation,
        ) in zip(supports, columns, strict=True)
    ]


def _term_evidence(query: ParsedQuery, support: TermSupport) -> Evidence:
    semantic = [(term, value) for term, value in support.terms if allows_semantic_match(term)]
    lacks_quality = any(
        not allows_semantic_match(term) and value < MATCHED for term, value in support.terms
    )
    has_unmatched = any(value < MATCHED for _, value in semantic)
    other_kind = float(any(value < OTHER_KIND and _is_kind(term) for term, value in semantic))
    values = [value for _, value in support.terms]
    return Evidence(
        mean=support.mean,
        least=min((value for _, value in semantic), default=float(bool(values))),
        all_matched=float(bool(values) and not lacks_quality and not has_unmatched),
        matched_share=sum(value == 1.0 for value in values) / max(1, len(values)),
        lacks_quality=float(lacks_quality and not query.is_implied),
        lacks_condition=float(lacks_quality and query.is_implied),
        other_kind=other_kind,
        other_kind_of_need=other_kind * query.is_implied,
        bare=float(len(values) <= BARE and has_unmatched and not query.is_implied),
        gains=5.0 * sum(map(_clipped, support.gains)),
        least_gain=10.0 * _clipped(_least_gain(support)),
    )


def _clipped(gain: float) -> float:
    return max(-MAX_GAIN, min(MAX_GAIN, gain))


def _least_gain(support: TermSupport) -> float:
    """Return the lowest gain of a term that is not matched."""
    gains = (support.gain(at) for at, (term, value) in enumerate(support.terms)
             if allows_semantic_match(term) and value < MATCHED)  # fmt: skip
    return min(gains, default=0.0)


def deviations(values: Sequence[float]) -> list[float]:
    """Return by how many deviations each value is above the highest but the first of them.

    Of a few values, the deviation is not known well.
    """
    array = np.array(values, np.float64)
    rest = np.sort(array)[::-1][1 : COMPARED + 1]
    if not len(rest):
        return [0.0] * len(array)
    found: list[float] = ((array - rest.mean()) / (rest.std() + SPREAD + FEW / len(rest))).tolist()
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
