"""How near a question is to a thing by each word of the question. Pure.

A whole text is compared with the question and with the question without the word. "Robot trolley"
is farther from a row of trolleys than "trolley" is, so nothing there speaks of a robot; "a trailer
with potatoes" is nearer to "a flat trailer loaded with sacks of potatoes" than "a trailer" is, in
whatever language either was written. The likeness of single words does not tell these two apart.
docs/decisions/0149-what-a-word-adds.md
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.retrieval.asked_words import Asked

SUPPORTS = 0.1  # gain from which on a thing is said to be so, though in other words
ADDS = 0.055  # more than a word adds that is not said of a thing: of 504, 0.053 at most
OPPOSES = -0.08  # gain up to which it is not


def gains_of(
    asked: Asked, rows: NDArray[np.float32], meanings: Meanings
) -> NDArray[np.float32] | None:
    """Return by how much each word of a question raises its cosine with each text.

    Args:
        asked: The question.
        rows: The vectors of the texts.
        meanings: Knows the vectors of `asked.compared`.

    Returns:
        One row per text, one column per word; None: nothing is known.
    """
    known = meanings.vectors(asked.compared)
    if not len(known) or known.shape[1] != rows.shape[1]:
        return None
    cosines = rows @ known.T
    found: NDArray[np.float32] = cosines[:, :1] - cosines[:, 1:]
    return found
