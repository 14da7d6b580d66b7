"""The vectors of single terms, as far as they have been computed.

They come from the embedding model and are kept in RAM only. The upkeep computes those of what is
remembered; a query computes its own, and some of the things that it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
import time

import numpy as np
from numpy.typing import NDArray

from embodied_nav.retrieval.needs import NeedsInQuery
from embodied_nav.store.memory_store import Vector
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Embedder

MAX_TERMS = 20_000  # 20 MB; then the oldest are replaced
LONGEST = 60  # characters; what is longer is no term


class TermVectors:
    """Vectors of terms. `embedder`: None: no term is similar to another.

    Attributes:
        encoding_s: Time that the model has taken for terms until now.
        needs: What is known by them of needs that a query states.
    """

    def __init__(self, embedder: Embedder | None, max_terms: int = MAX_TERMS) -> None:
        self._embedder, self._max_terms = embedder, max_terms
        self._row_of: dict[str, int] = {}
        self._terms: list[str] = []
        self._next = 0
        self.encoding_s = 0.0
        self.needs = NeedsInQuery(embedder)
        self._rows: NDArray[np.float16] = np.zeros((0, 0), np.float16)

    @property
    def is_full(self) -> bool:
        """Whether each further term replaces another one."""
        return len(self._terms) >= self._max_terms

    def missing(self, terms: Iterable[str]) -> list[str]:
        """Return the terms that have no vector yet, each once."""
        if self._embedder is None:
            return []
        unknown = dict.fromkeys(term for term in terms if term not in self._row_of)
        return [term for term in unknown if 0 < len(term) <= LONGEST]

    def learn(self, terms: Sequence[str]) -> None:
        """Compute the vectors of terms.

        Raises:
            ModelError: The model does not answer.
        """
        if terms and self._embedder is not None:
            begin = time.perf_counter()
            rows = self._embedder.embed(terms)
            self.encoding_s += time.perf_counter() - begin
            self.add(terms, rows)

    def learn_if_local(self, terms: Iterable[str], most: int) -> None:
        """Compute some missing vectors, if the model is a local one that answers."""
        if self._embedder is None or not self._embedder.is_local:
            return
        try:
            self.learn(self.missing(terms)[:most])
        except ModelError:
            return  # the index reports it

    def add(self, terms: Sequence[str], rows: Vector) -> None:
        """Add vectors that were computed elsewhere."""
        for term, row in zip(terms, rows, strict=True):
            if len(row):
                at = self._allocate(term, len(row))  # may make the table larger
                self._rows[at] = row

    def vectors(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of terms, one row each; no row if one of them is missing."""
        indices = self._indices(terms)
        if not indices or min(indices) < 0:
            return np.zeros((0, 0), np.float32)
        found: NDArray[np.float32] = self._rows[indices].astype(np.float32)
        return found

    def cosines(self, query: Sequence[str], terms: Sequence[str]) -> Vector:
        """Return the cosine of each term, a row, with each term of a query; 0: one is missing."""
        columns, rows = self._indices(query), self._indices(terms)
        if max(columns, default=-1) < 0 or max(rows, default=-1) < 0:
            return np.zeros((len(terms), len(query)), np.float32)
        found: Vector = self._or_zeros(rows) @ self._or_zeros(columns).T
        return found

    def max_cosines(self, query: Sequence[str], texts: Sequence[Sequence[str]]) -> Vector:
        """Return the cosine of each term of a query with the most similar term of each text.

        Returns:
            One row per text, one column per term of the query; 0 where a vector is missing.
        """
        found = np.zeros((len(texts), len(query)), np.float32)
        columns = self._indices(query)
        indices = self._indices(chain.from_iterable(texts))
        if max(indices, default=-1) < 0 or max(columns, default=-1) < 0:
            return found
        distinct, picked = np.unique(indices, return_inverse=True)
        cosines = self._rows[distinct].astype(np.float32) @ self._or_zeros(columns).T
        cosines[distinct < 0] = -np.inf
        filled = [at for at, terms in enumerate(texts) if terms]
        starts = np.cumsum([0, *(len(texts[at]) for at in filled)])[:-1]
        nearest = np.maximum.reduceat(cosines[picked], starts, axis=0)
        found[filled] = np.where(np.isneginf(nearest), np.float32(0.0), nearest)
        return found

    def _indices(self, terms: Iterable[str]) -> list[int]:
        """Return the row of each term; -1: it is missing."""
        return list(map(self._row_of.get, terms, repeat(-1)))

    def _or_zeros(self, indices: list[int]) -> Vector:
        rows: Vector = self._rows[indices].astype(np.float32)
        rows[[at < 0 for at in indices]] = 0.0
        return rows

    def _allocate(self, term: str, width: int) -> int:
        if self._rows.shape[1] != width:
            self._rows = np.zeros((256, width), np.float16)
            self._row_of, self._terms, self._next = {}, [], 0
        if term in self._row_of:
            return self._row_of[term]
        at = self._next
        self._next = (at + 1) % self._max_terms
        if at < len(self._terms):
            del self._row_of[self._terms[at]]
            self._terms[at] = term
        else:
            self._terms.append(term)
        if at >= len(self._rows):
            self._rows = np.concatenate((self._rows, np.zeros_like(self._rows)))
        self._row_of[term] = at
        return at
