"""The vectors of single words, as far as they are known: what is like what, word by word.

They are derived from the embedding model and kept in RAM alone. The upkeep makes those of what is
remembered; a question makes its own, and some of the things that it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
import time

import numpy as np
from numpy.typing import NDArray

from embodied_nav.retrieval.what_helps_with_needs import Needs, needs_in_words, says_need
from embodied_nav.store.memory_store import Vector
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Embedder
from rover_common.llm.sentence_encoder import SentenceEncoder

MOST_KEPT = 20_000  # words: 20 MB; then the oldest make room
LONGEST = 60  # characters; what is longer is no word


class Meanings:
    """Vectors of words. `embedder`: None: no word is like another.

    Attributes:
        spent_s: How long the model took for words until now.
    """

    def __init__(self, embedder: Embedder | None, most_kept: int = MOST_KEPT) -> None:
        self._embedder, self._most = embedder, most_kept
        self._places: dict[str, int] = {}
        self._terms: list[str] = []
        self._next = 0
        self.spent_s = 0.0
        self._rows: NDArray[np.float16] = np.zeros((0, 0), np.float16)

    @property
    def is_full(self) -> bool:
        """Whether each word more takes the place of one that is known."""
        return len(self._terms) >= self._most

    def helping(self, question: str, rows: Vector, classes: Vector) -> tuple[Vector, Vector]:
        """Return how much things help whoever asks, see `Needs.helping`; zeros: not known."""
        if self._embedder is not None and self._needs is not None:
            (vector,) = self._embedder.embed([question])
            if rows.shape[1] == classes.shape[1] == len(vector):
                return self._needs.helping(vector, rows, classes)
        return np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)

    def says_need(self, text: str) -> bool:
        """Return whether a question says what is the matter, see `says_need`; False: not known."""
        if not isinstance(self._embedder, SentenceEncoder):
            return False
        try:
            return says_need(self._embedder.embed([text])[0])
        except ModelError:
            return False  # the index reports it

    @cached_property
    def _needs(self) -> Needs | None:
        """They are many texts: only the own encoder keeps their vectors on disk."""
        if not isinstance(self._embedder, SentenceEncoder):
            return None
        try:
            return Needs(self._embedder.embed_lasting(needs_in_words()))
        except ModelError:
            return None  # the index reports it

    def unknown(self, terms: Iterable[str]) -> list[str]:
        """Return the words that have no vector yet, each once."""
        if self._embedder is None:
            return []
        return [
            each
            for each in dict.fromkeys(terms)
            if each not in self._places and 0 < len(each) <= LONGEST
        ]

    def learn(self, terms: Sequence[str]) -> None:
        """Make the vectors of words.

        Raises:
            ModelError: The model does not answer.
        """
        if terms and self._embedder is not None:
            begin = time.perf_counter()
            rows = self._embedder.embed(terms)
            self.spent_s += time.perf_counter() - begin
            self.keep(terms, rows)

    def learn_if_quick(self, terms: Iterable[str], most: int) -> None:
        """Make some that are missing, if the model is a local one; none if it does not answer."""
        if self._embedder is None or not self._embedder.is_local:
            return
        try:
            self.learn(self.unknown(terms)[:most])
        except ModelError:
            return  # the index reports it

    def keep(self, terms: Sequence[str], rows: Vector) -> None:
        """Keep vectors that were made elsewhere."""
        for term, row in zip(terms, rows, strict=True):
            if len(row):
                at = self._place(term, len(row))  # may make the table larger
                self._rows[at] = row

    def vectors(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of words, one row each; no row, if one of them is not known."""
        places = [self._places.get(each, -1) for each in terms]
        if not places or min(places) < 0:
            return np.zeros((0, 0), np.float32)
        found: NDArray[np.float32] = self._rows[places].astype(np.float32)
        return found

    def cosines(self, asked: Sequence[str], terms: Sequence[str]) -> Vector:
        """Return the cosine of each term, a row, with each asked word; 0: one is not known."""
        mine, other = ([self._places.get(each, -1) for each in some] for some in (asked, terms))
        if max(mine, default=-1) < 0 or max(other, default=-1) < 0:
            return np.zeros((len(terms), len(asked)), np.float32)
        columns = self._rows[mine].astype(np.float32)
        columns[[at < 0 for at in mine]] = 0.0
        rows = self._rows[other].astype(np.float32)
        rows[[at < 0 for at in other]] = 0.0
        found: Vector = rows @ columns.T
        return found

    def alike(self, asked: Sequence[str], said: Sequence[Sequence[str]]) -> Vector:
        """Return how alike each asked word is to the most alike word of each text.

        Returns:
            One row per text, one column per asked word; 0 where no vector is known.
        """
        found = np.zeros((len(said), len(asked)), np.float32)
        mine = [self._places.get(each, -1) for each in asked]
        places = [self._places.get(each, -1) for some in said for each in some]
        if max(places, default=-1) < 0 or max(mine, default=-1) < 0:
            return found
        columns = self._rows[mine].astype(np.float32)
        columns[[at < 0 for at in mine]] = 0.0
        terms, picked = np.unique(places, return_inverse=True)
        cosines = self._rows[terms].astype(np.float32) @ columns.T
        cosines[terms < 0] = -np.inf
        full = [at for at, some in enumerate(said) if some]
        starts = np.cumsum([0, *(len(said[at]) for at in full)])[:-1]
        nearest = np.maximum.reduceat(cosines[picked], starts, axis=0)
        found[full] = np.where(np.isneginf(nearest), np.float32(0.0), nearest)
        return found

    def _place(self, term: str, width: int) -> int:
        if self._rows.shape[1] != width:
            self._rows = np.zeros((256, width), np.float16)
            self._places, self._terms, self._next = {}, [], 0
        if term in self._places:
            return self._places[term]
        at = self._next
        self._next = (at + 1) % self._most
        if at < len(self._terms):
            del self._places[self._terms[at]]
            self._terms[at] = term
        else:
            self._terms.append(term)
        if at >= len(self._rows):
            self._rows = np.concatenate((self._rows, np.zeros_like(self._rows)))
        self._places[term] = at
        return at
