"""Tells what is said around a wish from a wish: why, what is so, who speaks, what one calls out.

“We're leaving the hangar, stow the mast, captain.” A linear model of the encoder's vectors
knows it by the sentences of `asides.txt`, against those of `requests.txt` and the tools' examples.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from rover_common.llm.sentence_encoder import sentence_encoder

_RIDGE = 1.0
Rows = NDArray[np.float32]


@cache
def read_sentences(name: str) -> tuple[str, ...]:
    """Return the sentences of a file of this package, without its comments."""
    text = (files(__package__) / name).read_text(encoding='utf-8')
    return tuple(each for each in text.splitlines() if each and not each.startswith('#'))


class Asides:
    """A model of what is beside the wishes for a robot.

    Args:
        wishes: Vectors of its tools' examples.

    Raises:
        ModelError: The sentence encoder is not there.
    """

    def __init__(self, wishes: Rows) -> None:
        asides, requests = read_sentences('asides.txt'), read_sentences('requests.txt')
        both = sentence_encoder().embed_lasting([*asides, *requests])
        rows = _with_one(np.concatenate([both, wishes]))
        is_aside = np.arange(len(rows)) < len(asides)
        weight = np.where(is_aside, 0.5 / is_aside.sum(), 0.5 / (~is_aside).sum()) * len(rows)
        weighted = rows * weight[:, None].astype(np.float32)
        square = weighted.T @ rows
        square[np.diag_indices_from(square)] += _RIDGE
        self._plane = np.linalg.solve(square, weighted.T @ np.where(is_aside, 1.0, -1.0))

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        """Return for each vector how surely it is an aside: 1 surely, -1 surely not."""
        return np.asarray(_with_one(rows) @ self._plane, np.float64)


def _with_one(rows: Rows) -> Rows:
    return np.c_[rows, np.ones(len(rows), np.float32)]
