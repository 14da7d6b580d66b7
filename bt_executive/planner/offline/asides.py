"""Tells asides from commands: reasons, facts, forms of address, exclamations.

“We're leaving the hangar, stow the mast, captain.” It is a linear model of the encoder's vectors,
fitted to the sentences of `asides.txt` against those of `requests.txt` and the tools' examples.
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
    """A linear model of asides.

    Args:
        commands: Vectors of the tools' examples.

    Raises:
        ModelError: The sentence encoder is not there.
    """

    def __init__(self, commands: Rows) -> None:
        asides, requests = read_sentences('asides.txt'), read_sentences('requests.txt')
        sentences = sentence_encoder().embed_lasting([*asides, *requests])
        rows = _with_bias(np.concatenate([sentences, commands]))
        is_aside = np.arange(len(rows)) < len(asides)
        weight = np.where(is_aside, 0.5 / is_aside.sum(), 0.5 / (~is_aside).sum()) * len(rows)
        weighted = rows * weight[:, None].astype(np.float32)
        square = weighted.T @ rows
        square[np.diag_indices_from(square)] += _RIDGE
        self._plane = np.linalg.solve(square, weighted.T @ np.where(is_aside, 1.0, -1.0))

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        """Return for each vector a score near 1 for an aside and near -1 for none."""
        return np.asarray(_with_bias(rows) @ self._plane, np.float64)


def _with_bias(rows: Rows) -> Rows:
    return np.c_[rows, np.ones(len(rows), np.float32)]
