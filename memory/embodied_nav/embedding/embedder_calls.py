"""When the embedding model is asked, and whose vectors the store holds since.

Vectors are derived from texts and may be missing at any time: a thing without one is found by its
words. So nothing that is seen waits for a model, a model that does not answer costs its vectors
only, and a change of the model needs no second index: its first answer takes the place of all
vectors of the model before, and the rest follows step by step, whatever ends in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

import numpy as np

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.forest.refresh_area_vectors import refresh_vectors
from embodied_nav.nodes_of_forest import Node
from embodied_nav.retrieval.analysed_description import said_of
from embodied_nav.retrieval.asked_words import asked_of
from embodied_nav.retrieval.other_languages import KNOWN
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Embedder

MODEL = 'embedder'  # key under which the store keeps whose vectors it holds
STEP, LOCAL_STEP = 32, 500  # texts at a time
THINGS = Scope(levels=(0, 0))
SHORTEST = 1e-9  # length of a vector that is not that of nothing
NONE: Vector = np.zeros(0, np.float32)  # like nothing


class Index:
    """The vectors of a store.

    Args:
        store: Holds them; used under the lock of its owner.
        embedder: Whose vectors are wanted. Until it has answered once, those that the store
            has are kept.
        waits: A local model is not loaded before the first question, see `wake`.

    Attributes:
        meanings: Of single words, by the same model.
        sleeps: Nobody has asked yet, and the model is not loaded before.
        fault: Why the wanted model gives no vectors, in a sentence; empty: it does.
    """

    def __init__(self, store: MemoryStore, embedder: Embedder, waits: bool = False) -> None:
        self._store, self._wanted = store, embedder
        self.sleeps = waits and embedder.is_local
        self.meanings = Meanings(embedder)
        self._unread: deque[str] | None = None  # ids; None: of all things
        self.fault = ''
        if not store.meta(MODEL):
            store.set_meta(MODEL, embedder.model)

    @property
    def model(self) -> str:
        """Whose vectors the store holds. Another process may have changed it."""
        return self._store.meta(MODEL)

    @property
    def embedder(self) -> Embedder | None:
        """Who made these vectors; None: a model that is not configured any more."""
        return self._wanted if self.model == self._wanted.model else None

    def wake(self, lock: AbstractContextManager[object]) -> None:
        """Somebody asks: from now on vectors are made, and those that are missing at once."""
        if self.sleeps:
            self.sleeps = False
            self.step(lock)

    def at_once(self, texts: Sequence[str]) -> Vector | None:
        """Vectors to store with a change; None: they are left to `step`."""
        embedder = self.embedder
        if self.sleeps or embedder is None or not embedder.is_local:
            return None
        try:
            return embedder.embed(texts)
        except ModelError as error:
            self.fault = error.sentence
            return None

    def of_questions(self, texts: Sequence[str], embedder: Embedder | None) -> list[Vector]:
        """Of a question and its parts; without the model's answer they are like nothing.

        Their words are learned in the same request.
        """
        if embedder is None:
            return [NONE] * len(texts)
        asked = [asked_of(text) for text in texts]
        units = self.meanings.unknown(
            (*KNOWN, *(text for each in asked for text in (*each.units, *each.compared)))
        )
        try:
            rows = embedder.embed([*(text for each in asked for text in each.meant), *units])
        except ModelError as error:
            self.fault = error.sentence
            return [NONE] * len(texts)
        self.fault = ''
        self.meanings.keep(units, rows[2 * len(texts) :])
        return list(in_one(rows[: 2 * len(texts)]))

    def note(self, node_ids: Iterable[str]) -> None:
        """Note things that say something new, so that their words are learned."""
        if self._unread is not None:
            self._unread.extend(node_ids)

    def learn_words(self, lock: AbstractContextManager[object]) -> str:
        """Learn some words of what is remembered; what was done, empty: no more have room.

        A question learns those that it is compared with.
        """
        if self.meanings.is_full:
            return ''
        with lock:
            if self._unread is None:
                self._unread = deque(node.node_id for node in self._store.nodes(THINGS))
            some: list[str] = []
            while self._unread and len(some) < STEP:
                nodes = self._store.get([self._unread.popleft()])
                said = (term for node in nodes.values() for term in said_of(node.text).terms)
                some = self.meanings.unknown([*some, *said])
        if not some:
            return ''
        try:
            self.meanings.learn(some)
        except ModelError as error:
            self.fault, self._unread = error.sentence, None
            return ''
        return f'{len(some)} words were learned.'

    def step(self, lock: AbstractContextManager[object]) -> str:
        """Makes some vectors that are missing; what was done, empty: nothing is to be done.

        The model is asked while the lock is free.
        """
        with lock:
            changes = self.model != self._wanted.model
            some = self._due(changes)
        if not some:
            return ''
        try:
            rows = self._wanted.embed([node.text for node in some])
        except ModelError as error:
            self.fault = error.sentence
            return ''
        self.fault = ''
        with lock, self._store.writing():
            if changes:
                self._store.forget_vectors()
                self._store.set_meta(MODEL, self._wanted.model)
            return self._put(some, rows)

    def _due(self, changes: bool) -> list[Node]:
        count = LOCAL_STEP if self._wanted.is_local else STEP
        if not changes:
            return self._store.sample(count, without_vector=True)
        if self._store.is_shared and self._store.count(THINGS):
            self.fault = (
                f'The memory is shared and holds vectors of {self.model}, not of '
                f'{self._wanted.model}: set memory.embedding to that model, or name another '
                'store with memory.store.'
            )
            return []
        return self._store.sample(count)

    def _put(self, some: Sequence[Node], rows: Vector) -> str:
        """Of what still says the same."""
        now = self._store.get(node.node_id for node in some)
        kept = []
        for node, row in zip(some, rows, strict=True):
            known = now.get(node.node_id)
            if known is not None and known.text == node.text:
                self._store.put(known, row)
                kept.append(known)
        refresh_vectors(self._store, kept)
        return f'{len(kept)} things have vectors of {self._wanted.model} now.'


def in_one(rows: Vector) -> Vector:
    """Return one vector of length 1 for each two rows: the words of a question, and its text."""
    both = rows[0::2] + rows[1::2]
    found: Vector = both / np.maximum(np.linalg.norm(both, axis=1, keepdims=True), SHORTEST)
    return found.astype(np.float32)
