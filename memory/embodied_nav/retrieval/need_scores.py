"""Scores for what helps somebody who states a need: a lamp, where it is dark. Pure.

A query that names nothing ("I have not eaten") is compared with needs as people state them
(`needs.txt`), and what helps with them is compared with each thing.
docs/decisions/0179-a-conditional-logit-and-what-people-need.md
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]

WEIGHTS = Path(__file__).with_name('needs.npz')  # written by bench.models.needs_fit
NEAREST = 5  # needs that count
MIN_COSINE = 0.3  # of a query with a need from which on it may be that one
DECAY = 0.05  # of cosine, over which a need counts less by e


class Needs:
    """The vectors of needs and of what helps.

    Args:
        rows: Of `need_texts()`.
    """

    def __init__(self, rows: Rows) -> None:
        needs = _needs()
        self._statements = rows[: sum(len(statements) for statements, _ in needs)]
        self._starts = _starts([len(statements) for statements, _ in needs])
        remedy_starts = _starts([len(remedies) for _, remedies in needs])
        self._remedies = [*np.split(rows[len(self._statements) :], remedy_starts[1:])]  # by need

    def scores(self, vector: Rows, rows: Rows, classes: Rows) -> tuple[Rows, Rows]:
        """Return how much each thing helps the asker.

        Args:
            vector: Of the query.
            rows: Of the things' texts.
            classes: Of their classes; a row of length 0: not known.

        Returns:
            By the need that it helps most with, and over all needs that the query may state,
            times the similarity of the query with them.
        """
        cosines = np.maximum.reduceat(self._statements @ vector, self._starts)
        nearest = np.argsort(-cosines)[:NEAREST]
        remedies = [self._remedies[need] for need in nearest]
        texts = np.concatenate(remedies) @ rows.T
        similarity = np.maximum(texts, (texts + np.concatenate(remedies) @ classes.T) / 2.0)
        helps = np.maximum.reduceat(similarity, _starts([*map(len, remedies)]))
        gates = np.maximum(0.0, cosines[nearest] - MIN_COSINE)
        shares = np.exp((cosines[nearest] - cosines[nearest[0]]) / DECAY)
        return (gates[:, None] * helps).max(axis=0), gates[0] * (shares @ helps) / shares.sum()


def states_need(vector: Rows) -> bool:
    """Return whether a sentence states a need, in any language, and names nothing.

    By a linear model of its vector, see docs/decisions/0180-what-people-say-who-need-something.md.
    """
    weights = _weights()
    return bool(vector @ weights[:-1] + weights[-1] > 0.0)


def need_texts() -> list[str]:
    """Return the statements of each need, then what helps with each."""
    needs = _needs()
    statements = [text for texts, _ in needs for text in texts]
    return [*statements, *(text for _, texts in needs for text in texts)]


def _starts(counts: list[int]) -> NDArray[np.intp]:
    return np.cumsum([0, *counts[:-1]])


@cache
def _weights() -> Rows:
    found: Rows = np.load(WEIGHTS)['weights'].astype(np.float32)
    return found


@cache
def _needs() -> tuple[tuple[list[str], list[str]], ...]:
    text = files('embodied_nav.retrieval').joinpath('needs.txt').read_text('utf-8')
    lines = (line.split('=>') for line in text.splitlines() if '=>' in line)
    return tuple((_parts(needs, '|'), _parts(remedies, ';')) for needs, remedies in lines)


def _parts(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator)]
