"""What a memory does when nothing waits: learns what scores are worth, and words for its areas."""

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
    """Needs no answer soon. While a model is asked, `lock` is free for others.

    Args:
        lock: Is held while the store is used.
        llm: Names areas; None: the template's words stay.
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
        """Learn what scores of a new model are worth, from examples; nothing of the store."""
        embedder = self._index.embedder
        if embedder is None or assumed(embedder.model).samples:
            return ''
        with self._lock:
            known = read_calibration(self._store.meta(CALIBRATION) or '')
        if known is not None and known.model == embedder.model:
            return ''
        try:
            found = calibration_of(embedder)
        except ModelError:
            return ''  # the index says so
        with self._lock, self._store.writing():
            self._store.set_meta(CALIBRATION, found.text())
        return (
            f'Words of {found.model} mean the same from {found.sure:.2f} on '
            f'({found.samples} examples).'
        )

    def summarise(self, calls: int) -> str:
        """Lets the model name areas that it has not named, or that changed most since.

        A model that does not answer ends the round; nothing is lost by it.
        """
        if self._llm is None or calls < 1:
            return ''
        done = 0
        with self._lock:
            due = self._due()[:calls]
        for area in due:
            with self._lock:
                children = self._store.children(area.node_id)
            try:
                name, summary = self._llm.generate_community_summary(children)
            except ModelError as error:
                if error.sentence != GIVEN_UP:
                    self.fault = error.sentence
                break
            self.fault = ''
            if self._keep(area, name, summary):
                done += 1
            else:
                self._unnamed[area.node_id] = area.dirty
        return f'{done} areas were named by {self._llm.model or "the model"}.' if done else ''

    def _due(self) -> Sequence[Node]:
        areas = [
            node
            for node in self._store.nodes(Scope(levels=LEVELS_OF_AREAS))
            if node.summary_by == 'template' or (node.summary_by == 'model' and node.dirty)
            if self._unnamed.get(node.node_id) != node.dirty
        ]
        return sorted(areas, key=lambda node: (node.summary_by != 'template', node.level))

    def _keep(self, area: Node, name: str, summary: str) -> bool:
        """Keeps the words, if there are any and the area is still there."""
        with self._lock, self._store.writing():
            now = self._store.get([area.node_id]).get(area.node_id)
            if now is None or name == UNDEFINED or not summary:
                return False
            words = replace(now, name=name, summary=summary, summary_by='model', dirty=0)
            self._store.put(words)
        return True
