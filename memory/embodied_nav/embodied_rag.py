"""Spec 5's orchestrator: loads a graph, embeds it, answers questions with a target to drive to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
import time

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embodied_retriever import EmbodiedRetriever
from embodied_nav.llm import LLMInterface, target_of
from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import (
    Hit,
    Kind,
    Query,
    Recall,
    RecallOutcome,
    RetrievalMethod,
)
from embodied_nav.spatial_memory import SpatialMemory, open_memory
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import ChatModel, Embedder
from rover_common.llm.sentence_encoder import sentence_encoder

IN_MEMORY = ':memory:'


@dataclass(frozen=True)
class Answer:
    """The text of an answer, its target (None: none), and the recall that it is based on."""

    text: str
    target: Hit | None
    recall: Recall


class EmbodiedRAG:
    """Questions and answers over one memory.

    Args:
        embedder: None: the sentence encoder, which needs neither key nor server.
        chat: Words answers and selects nodes; None: a template words answers.
        where: File or address of the memory; by default it is not stored.
        clock: ROS time in s.
    """

    def __init__(
        self,
        embedder: Embedder | None = None,
        chat: ChatModel | None = None,
        where: str | Path = IN_MEMORY,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._embedder = embedder or sentence_encoder()
        self._llm = LLMInterface(chat) if chat else None
        self._graph_cache: dict[Path, int] = {}  # files that were loaded, and their nodes
        self.memory: SpatialMemory = open_memory(where, self._embedder, clock, chat)

    def load_graph_to_rag(self, file: Path) -> int:
        """Import a GML file, once; returns the number of nodes.

        Raises:
            MemoryStoreError: It is damaged, or has existing ids.
        """
        key = file.resolve()
        if key not in self._graph_cache:
            self._graph_cache[key] = self.memory.import_gml(file)
            self.memory.settle()
        return self._graph_cache[key]

    @property
    def retriever(self) -> EmbodiedRetriever:
        """The retriever of the loaded graph."""
        return self.memory.retriever

    def embedding_func(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of unit length per text."""
        return self._embedder.embed(texts)

    def query(
        self,
        text: str,
        query_type: Kind = 'explicit',
        position: Position | None = None,
        method: RetrievalMethod = RetrievalMethod.SEMANTIC,
    ) -> Answer:
        """Return the answer to a query with its target."""
        query = Query(text=text, kind=query_type, near=position, method=method)
        recall = self.memory.recall(query)
        if self._llm is None or recall.outcome is not RecallOutcome.FOUND:
            return Answer(_worded(recall), recall.target, recall)
        try:
            response = self._llm.generate_navigation_response(
                text, self.retriever.context(recall.hits)
            )
        except ModelError as error:
            return Answer(f'{_worded(recall)} ({error.sentence})', recall.target, recall)
        answer = f'{response} ({recall.fault})' if recall.fault else response
        return Answer(answer, target_of(response, recall.hits), recall)

    def close(self) -> None:
        """Close the memory."""
        self.memory.close()


def _worded(recall: Recall) -> str:
    target = recall.target
    return f'<<{target.name}>>: {recall.reason}' if target else recall.reason
