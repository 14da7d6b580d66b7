"""By how much each term of a query raises its similarity with a text. Pure.

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

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.retrieval.parsed_query import ParsedQuery

# Log-odds that a text matches a term, learned from the examples that ship: of the support of the
# term, of its gain as a share of what it changes, and of its cosine with the text.
_WEIGHTS, _BIAS = (1.75, 2.25, 5.96), -2.42
MIN_LOG_ODDS = 1.7  # of 600 words that were put into questions of the bench, 1 is above
MAX_SUPPORT, MAX_SHARE = 0.8, 2.0  # higher values count as these
LEAST_CHANGE = 0.03  # of cosine; a smaller change counts as this


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
