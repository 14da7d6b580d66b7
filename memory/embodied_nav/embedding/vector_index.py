"""Keeps the vectors of the store up to date with the configured embedding model.

Vectors are derived from texts and may be missing at any time: a thing without one is found by its
terms. So no observation waits for a model, a model that does not answer costs its vectors only,
and a change of the model needs no second index: its first answer replaces all vectors of the
previous model, and the rest follows step by step, also after a restart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress

import numpy as np

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.forest.area_nodes import area_vector
from embodied_nav.nodes_of_forest import Node
from embodied_nav.retrieval.other_languages import TRANSLATIONS
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.text_of_thing import document_of
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector
from rover_common.errors import MemoryStoreError
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Embedder

MODEL = 'embedder'  # key in the store: the model of its vectors
STEP, LOCAL_STEP = 32, 500  # texts per call
THINGS = Scope(levels=(0, 0))
SHORTEST = 1e-9  # length of a vector, at least, that is divided by
NO_VECTOR: Vector = np.zeros(0, np.float32)  # similar to nothing


def refresh_vectors(store: MemoryStore, things: Iterable[Node]) -> None:
    """Update the areas above some things, the lowest first; their texts stay."""
    due = {node.parent for node in things if node.parent}
    while due:
        areas = store.get(due)
        lowest = min((area.level for area in areas.values()), default=0)
        due = {each for each, area in areas.items() if area.level > lowest}
        for node_id, area in areas.items():
            if area.level == lowest:
                children = store.children(node_id)
                vectors = store.vectors([each.node_id for each in children])
                store.put(area, area_vector(children, vectors))
                due |= {area.parent} - {''}


class Index:
    """The vectors of a store.

    Args:
        store: Contains them; used under the lock of its owner.
        embedder: The configured model. Until it has answered once, the vectors in the store are
            kept.
        is_lazy: A local model is not loaded before the first query, see `wake`.

    Attributes:
        term_vectors: Of single terms, by the same model.
        is_dormant: There was no query yet, and the model is not loaded before.
        fault: Why the configured model gives no vectors, in a sentence; empty: it does.
    """

    def __init__(self, store: MemoryStore, embedder: Embedder, is_lazy: bool = False) -> None:
        self._store, self._configured = store, embedder
        self.is_dormant = is_lazy and embedder.is_local
        self.term_vectors = TermVectors(embedder)
        self._pending: deque[str] | None = None  # ids with new terms; None: all things
        self.fault = ''
        if not store.meta(MODEL):
            store.set_meta(MODEL, embedder.model)

    @property
    def model(self) -> str:
        """The model of the vectors in the store. Another process may have changed it."""
        return self._store.meta(MODEL)

    @property
    def embedder(self) -> Embedder | None:
        """The model of these vectors; None: one that is not configured any more."""
        return self._configured if self.model == self._configured.model else None

    def wake(self, lock: AbstractContextManager[object]) -> None:
        """Start to compute vectors, at the first query; the missing ones at once."""
        if self.is_dormant:
            self.is_dormant = False
            with suppress(MemoryStoreError):  # a full disk is read; the next step reports it
                self.step(lock)

    def embed_if_local(self, texts: Sequence[str]) -> Vector | None:
        """Return vectors to store with a change; None: they are left to `step`."""
        embedder = self.embedder
        if self.is_dormant or embedder is None or not embedder.is_local:
            return None
        try:
            return embedder.embed(texts)
        except ModelError as error:
            self.fault = error.sentence
            return None

    def embed_queries(self, texts: Sequence[str], embedder: Embedder | None) -> list[Vector]:
        """Return the vectors of a query and its parts; empty ones if the model does not answer.

        Their terms are embedded in the same request.
        """
        if embedder is None:
            return [NO_VECTOR] * len(texts)
        queries = [parse_query(text) for text in texts]
        terms = self.term_vectors.missing(
            (
                *TRANSLATIONS,
                *(text for query in queries for text in (*query.units, *query.ablations)),
            )
        )
        try:
            rows = embedder.embed([*(text for query in queries for text in query.texts), *terms])
        except ModelError as error:
            self.fault = error.sentence
            return [NO_VECTOR] * len(texts)
        self.fault = ''
        self.term_vectors.add(terms, rows[2 * len(texts) :])
        return list(mean_of_pairs(rows[: 2 * len(texts)]))

    def add_changed(self, node_ids: Iterable[str]) -> None:
        """Add things whose text has changed, so that their terms are embedded."""
        if self._pending is not None:
            self._pending.extend(node_ids)

    def learn_terms(self, lock: AbstractContextManager[object]) -> str:
        """Embed some terms of remembered things.

        A query embeds those that it is compared with.

        Returns:
            What was done; empty: there is no room for more.
        """
        if self.term_vectors.is_full:
            return ''
        with lock:
            if self._pending is None:
                self._pending = deque(node.node_id for node in self._store.nodes(THINGS))
            terms: list[str] = []
            while self._pending and len(terms) < STEP:
                for node in self._store.get([self._pending.popleft()]).values():
                    terms += document_of(node.text).comparable_terms
                terms = self.term_vectors.missing(terms)
        if not terms:
            return ''
        try:
            self.term_vectors.learn(terms)
        except ModelError as error:
            self.fault, self._pending = error.sentence, None
            return ''
        return f'{len(terms)} words were learned.'

    def step(self, lock: AbstractContextManager[object]) -> str:
        """Compute some missing vectors; returns what was done, empty: nothing was due.

        The model is called while the lock is free.
        """
        with lock:
            changes = self.model != self._configured.model
            nodes = self._due(changes)
        if not nodes:
            return ''
        try:
            rows = self._configured.embed([node.text for node in nodes])
        except ModelError as error:
            self.fault = error.sentence
            return ''
        self.fault = ''
        with lock, self._store.writing():
            if changes:
                self._store.forget_vectors()
                self._store.set_meta(MODEL, self._configured.model)
            return self._put(nodes, rows)

    def _due(self, changes: bool) -> list[Node]:
        count = LOCAL_STEP if self._configured.is_local else STEP
        if not changes:
            return self._store.sample(count, without_vector=True)
        if self._store.is_shared and self._store.count(THINGS):
            self.fault = (
                f'The memory is shared and holds vectors of {self.model}, not of '
                f'{self._configured.model}: set memory.embedding to that model, or name another '
                'store with memory.store.'
            )
            return []
        return self._store.sample(count)

    def _put(self, nodes: Sequence[Node], rows: Vector) -> str:
        """Store the vectors of nodes whose text is still the same."""
        current = self._store.get(node.node_id for node in nodes)
        stored = []
        for node, row in zip(nodes, rows, strict=True):
            now = current.get(node.node_id)
            if now is not None and now.text == node.text:
                self._store.put(now, row)
                stored.append(now)
        refresh_vectors(self._store, stored)
        return f'{len(stored)} things have vectors of {self._configured.model} now.'


def mean_of_pairs(rows: Vector) -> Vector:
    """Return one vector of length 1 for each two rows: `ParsedQuery.texts`."""
    sums = rows[0::2] + rows[1::2]
    found: Vector = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), SHORTEST)
    return found.astype(np.float32)
