"""An embedding without weights: words and pieces of words, hashed into a vector of fixed length.

It knows spelling, not meaning: "layered rocks" is near "layered rock", a "boulder" is not. The
numbers of a text depend on nothing but the text, so vectors of today and tomorrow compare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
import math

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.tokens import tokens

DIMENSIONS = 384
_WORD, _PIECE = 1.0, 0.35  # weight of a word and of one of its pieces
_GRAM = 3


class HashedEmbedder:
    """Implements `rover_common.llm.port.Embedder` without key, network or weights."""

    model = f'offline-hashed-{DIMENSIONS}-v2'
    dimensions = DIMENSIONS
    is_local = True

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of unit length per text; zeros for a text without words.

        Also zeros, rarely, for few short words that meet in one place with opposite signs.
        """
        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word, times in Counter(tokens(text)).items():
                for place, weight in _places(word):
                    row[place] += weight * (1.0 + math.log(times))
            row /= np.linalg.norm(row) or 1.0
        return rows


@lru_cache(maxsize=50_000)
def _places(word: str) -> tuple[tuple[int, float], ...]:
    """Where a word stands in the vector, and how strongly."""
    whole = f'#{word}#'
    grams = [whole[at : at + _GRAM] for at in range(len(whole) - _GRAM + 1)]
    parts = [(word, _WORD), *((gram, _PIECE) for gram in grams if len(word) > _GRAM)]
    return tuple(_place(part, weight) for part, weight in parts)


def _place(part: str, weight: float) -> tuple[int, float]:
    number = int.from_bytes(blake2b(part.encode(), digest_size=8).digest(), 'big')
    return number % DIMENSIONS, weight if number >> 63 else -weight
