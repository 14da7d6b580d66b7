"""What helps somebody who says what is the matter: a lamp, where it is dark. Pure.

A question that names nothing ("I have not eaten") is compared with what people say who need
something (`needs.txt`), and what helps them with each thing.
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
SAYS_SO = 0.3  # cosine from which on a question may speak of a need
APART = 0.05  # of cosine, over which a need counts less by e


class Needs:
    """The vectors of needs and of what helps.

    Args:
        rows: Of `needs_in_words()`.
    """

    def __init__(self, rows: Rows) -> None:
        needs = _needs()
        self._says = rows[: sum(len(says) for says, _ in needs)]
        self._said_by = _begins([len(says) for says, _ in needs])
        begins = _begins([len(helps) for _, helps in needs])
        self._helps = [*np.split(rows[len(self._says) :], begins[1:])]  # of each need

    def helping(self, vector: Rows, rows: Rows, classes: Rows) -> tuple[Rows, Rows]:
        """Return how much each thing helps whoever asks.

        Args:
            vector: Of the question.
            rows: Of the things' texts.
            classes: Of what each is; a row without a length: nobody said.

        Returns:
            By the need that it helps most with, and over all needs that the question may speak
            of, times how clearly it does.
        """
        spoken = np.maximum.reduceat(self._says @ vector, self._said_by)
        nearest = np.argsort(-spoken)[:NEAREST]
        helping = [self._helps[each] for each in nearest]
        texts = np.concatenate(helping) @ rows.T
        alike = np.maximum(texts, (texts + np.concatenate(helping) @ classes.T) / 2.0)
        helps = np.maximum.reduceat(alike, _begins([*map(len, helping)]))
        gates = np.maximum(0.0, spoken[nearest] - SAYS_SO)
        shares = np.exp((spoken[nearest] - spoken[nearest[0]]) / APART)
        return (gates[:, None] * helps).max(axis=0), gates[0] * (shares @ helps) / shares.sum()


def says_need(vector: Rows) -> bool:
    """Return whether a sentence says what is the matter, in any language, and names nothing.

    By a linear model of its vector, see docs/decisions/0180-what-people-say-who-need-something.md.
    """
    weights = _weights()
    return bool(vector @ weights[:-1] + weights[-1] > 0.0)


def needs_in_words() -> list[str]:
    """Return what people say, of each need, then what helps with each."""
    needs = _needs()
    says = [each for some, _ in needs for each in some]
    return [*says, *(each for _, some in needs for each in some)]


def _begins(counts: list[int]) -> NDArray[np.intp]:
    return np.cumsum([0, *counts[:-1]])


@cache
def _weights() -> Rows:
    found: Rows = np.load(WEIGHTS)['weights'].astype(np.float32)
    return found


@cache
def _needs() -> tuple[tuple[list[str], list[str]], ...]:
    text = files('embodied_nav.retrieval').joinpath('needs.txt').read_text('utf-8')
    lines = (line.split('=>') for line in text.splitlines() if '=>' in line)
    return tuple((_parts(says, '|'), _parts(helps, ';')) for says, helps in lines)


def _parts(text: str, mark: str) -> list[str]:
    return [each.strip() for each in text.split(mark)]
