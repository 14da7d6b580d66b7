"""How near a question is to a thing by each word of the question. Pure.

A whole text is compared with the question and with the question without the word. "Robot trolley"
is farther from a row of trolleys than "trolley" is, so nothing there speaks of a robot; "a trailer
with potatoes" is nearer to "a flat trailer loaded with sacks of potatoes" than "a trailer" is, in
whatever language either was written. The likeness of single words does not tell these two apart.
docs/decisions/0149-what-a-word-adds.md, docs/decisions/0162-what-the-whole-text-says.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.retrieval.asked_words import Asked

# Log-odds that a text says a word, learned from the examples that ship: of the support of the
# word, of what it adds as a share of what it changes, and of its cosine with the text.
_WEIGHTS, _BIAS = (1.75, 2.25, 5.96), -2.42
SAYS = 1.7  # log-odds; of 600 words that were put into questions of the bench, 1 is above
MOST_SUPPORT, MOST_SHARE = 0.8, 2.0  # more of it means no more
LEAST_CHANGE = 0.03  # of cosine; what changes less is divided by it


@dataclass(frozen=True)
class WordGains:
    """What the words of a question have to do with texts: a row for each text.

    Attributes:
        gains: By how much each word raises the cosine with the text.
        shares: The same as a share of how much the word changes the question.
        cosines: Of each word alone with the text.
    """

    gains: NDArray[np.float32]
    shares: NDArray[np.float32]
    cosines: NDArray[np.float32]

    def odds(self, support: Sequence[Sequence[float]]) -> NDArray[np.float64]:
        """Return log-odds that each text says each word; `support`: of the word by its words."""
        words = np.array(support).reshape(self.shares.shape)  # of no texts it has no width
        parts = (np.minimum(words, MOST_SUPPORT), self.shares, self.cosines)
        odds = sum(weight * part for weight, part in zip(_WEIGHTS, parts, strict=True))
        return np.asarray(odds + _BIAS, np.float64)

    def says(self, support: Sequence[Sequence[float]]) -> NDArray[np.bool_]:
        """Return which words each text says as a whole; `support`: of each word by its words."""
        found: NDArray[np.bool_] = self.odds(support) >= SAYS
        return found


def gains_of(asked: Asked, rows: NDArray[np.float32], meanings: Meanings) -> WordGains | None:
    """Return what each word of a question adds to its likeness with each text.

    Args:
        asked: The question.
        rows: The vectors of the texts.
        meanings: Knows the vectors of `asked.compared`.

    Returns:
        None: nothing is known.
    """
    known = meanings.vectors(asked.compared)
    if not len(known) or known.shape[1] != rows.shape[1]:
        return None
    count = len(asked.words)
    cosines = rows @ known.T
    gains = cosines[:, :1] - cosines[:, 1 : count + 1]
    changes = np.maximum(1.0 - known[1 : count + 1] @ known[0], LEAST_CHANGE)
    shares = np.clip(gains / changes, -MOST_SHARE, MOST_SHARE)
    return WordGains(gains, shares.astype(np.float32), cosines[:, count + 1 :])
