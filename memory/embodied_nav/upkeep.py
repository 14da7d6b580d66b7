"""Deferred work of the memory: calibration, and names and summaries of areas."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from embodied_nav.embedding.vector_index import Index
from embodied_nav.llm import UNDEFINED, LLMInterface
from embodied_nav.nodes_of_forest import LEVELS_OF_AREAS, Node
from embodied_nav.retrieval.answering import CALIBRATION
from embodied_nav.retrieval.calibration import assumed, read_calibration
from embodied_nav.retrieval.calibration_examples import calibration_of
from embodied_nav.store.memory_store import MemoryStore, Scope
from rover_common.llm.model_errors import GIVEN_UP, ModelError


class Upkeep:
    """Runs steps of deferred work. While a model is called, `lock` is free for others.

    Args:
        lock: Held while the store is used.
        llm: Names areas; None: they keep the texts of the template.
    """

    def __init__(
        self,
        store: MemoryStore,
        index: Index,
        lock: AbstractContextManager[object],
        llm: LLMInterface | None = None,
    ) -> None:
        self._store, self._index, self._lock, self._llm = store, index, lock, llm
        self._unnamed: dict[str, int] = {}  # areas that the model had no name for; their changes
        self.fault = ''

    def calibrate(self) -> str:
        """Calibrate a new model with the examples that ship with the memory."""
        embedder = self._index.embedder
        if embedder is None or assumed(embedder.model).samples:
            return ''
        with self._lock:
            calibration = read_calibration(self._store.meta(CALIBRATION) or '')
        if calibration is not None and calibration.model == embedder.model:
            return ''
        try:
            found = calibration_of(embedder)
        except ModelError:
            return ''  # the index reports it
        with self._lock, self._store.writing():
            self._store.set_meta(CALIBRATION, found.text())
        return (
            f'Words of {found.model} mean the same from {found.sure:.2f} on '
            f'({found.samples} examples).'
        )

    def summarise(self, calls: int) -> str:
        """Let the model name areas that it has not named, or that have changed since.

        A model that does not answer ends the round.
        """
        if self._llm is None or calls < 1:
            return ''
        done = 0
        with self._lock:
            pending = self._pending()[:calls]
        for area in pending:
            with self._lock:
                children = self._store.children(area.node_id)
            try:
                name, summary = self._llm.generate_community_summary(children)
            except ModelError as error:
                if error.sentence != GIVEN_UP:
                    self.fault = error.sentence
                break
            self.fault = ''
            if self._store_names(area, name, summary):
                done += 1
            else:
                self._unnamed[area.node_id] = area.dirty
        return f'{done} areas were named by {self._llm.model or "the model"}.' if done else ''

    def _pending(self) -> Sequence[Node]:
        areas = [
            node
            for node in self._store.nodes(Scope(levels=LEVELS_OF_AREAS))
            if node.summary_by == 'template' or (node.summary_by == 'model' and node.dirty)
            if self._unnamed.get(node.node_id) != node.dirty
        ]
        return sorted(areas, key=lambda node: (node.summary_by != 'template', node.level))

    def _store_names(self, area: Node, name: str, summary: str) -> bool:
        """Store name and summary, if they are valid and the area still exists."""
        with self._lock, self._store.writing():
            current = self._store.get([area.node_id]).get(area.node_id)
            if current is None or name == UNDEFINED or not summary:
                return False
            named = replace(current, name=name, summary=summary, summary_by='model', dirty=0)
            self._store.put(named)
        return True
