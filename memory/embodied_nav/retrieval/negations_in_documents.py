"""Exclusions of a query that a text violates in other words. Pure.

"The goal whose net is not ripped": a torn net is one. What would answer the query without its
negation does not answer the query with it; the more similar it is to that, the lower it ranks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.retrieval.document import Document
from embodied_nav.retrieval.negations_in_query import has_foreign_negation
from embodied_nav.retrieval.parsed_query import ParsedQuery, join_terms
from embodied_nav.retrieval.term_gains import gains_of
from embodied_nav.retrieval.term_support import TermSupport, supports_of, with_gains
from embodied_nav.retrieval.unsupported_terms import unsupported_of
from rover_common.dataclass_replace import replace


def with_exclusions(
    query: ParsedQuery,
    supports: Sequence[TermSupport],
    documents: Sequence[Document],
    rows: NDArray[np.float32],
    term_vectors: TermVectors,
    sure: float,
    max_new_vectors: int,
) -> list[TermSupport]:
    """Return supports with the exclusions that each thing violates, in whatever words.

    Args:
        query: The query.
        supports: Of its terms by each thing.
        documents: The texts of the things.
        rows: The vectors of the texts.
        term_vectors: Of single terms.
        sure: See `Calibration.sure`.
        max_new_vectors: That may be computed for this.
    """
    found = [*supports]
    if query.is_implied or has_foreign_negation(query.text):  # senza testa is near headless
        return found
    for group in query.excluded:
        affirmed = tuple(replace(term, negated=False) for term in group)
        positive = ParsedQuery(query.text, (*query.terms, *affirmed))
        term_vectors.learn_if_local(positive.ablations, max_new_vectors)
        gains = gains_of(positive, rows, term_vectors)
        positive_supports = with_gains(supports_of(positive, documents, term_vectors), gains, True)
        values = [[value for _, value in support.terms] for support in positive_supports]
        odds = (
            np.full((len(documents), len(positive.terms)), -np.inf)
            if gains is None
            else gains.odds(values)
        )
        chances = (1.0 / (1.0 + np.exp(-odds[:, len(query.terms) :]))).mean(axis=1).tolist()
        unsupported = unsupported_of(positive, positive_supports, sure)
        texts = {term.text for term in group}
        for at, (support, missing, document) in enumerate(
            zip(positive_supports, unsupported, documents, strict=True)
        ):
            if found[at].violated or any(map(document.contradicts, affirmed)):
                continue
            is_violated = support.has_match and texts.isdisjoint(missing)
            label = f'not {join_terms([term.text for term in group])}'
            found[at] = replace(
                found[at],
                violated=(label,) if is_violated else (),
                exclusion_similarity=max(found[at].exclusion_similarity, chances[at]),
            )
    return found
