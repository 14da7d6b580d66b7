"""Spec 5's retriever: SEMANTIC and LLM_HIERARCHICAL over one store.

The hybrid guard: LLM_HIERARCHICAL reorders what SEMANTIC found and fills what it left empty, so
it is never worse than SEMANTIC, whatever the model chooses and whether or not it answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from embodied_nav.config import Config
from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.forest.directions import BESIDE_M, direction
from embodied_nav.llm import LLMInterface, quoted
from embodied_nav.llm_hierarchical_retriever import LLMHierarchicalRetriever
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import Position
from embodied_nav.question_and_outcome import Hit, RetrievalMethod
from embodied_nav.retrieval.calibration import Calibration
from embodied_nav.retrieval.semantic_search import (
    Question,
    Scored,
    boosted,
    cosines_of,
    likenesses,
    normalised,
)
from embodied_nav.store.memory_store import MemoryStore
from rover_common.llm.model_errors import ModelError

NOT_ALIKE = 'is what the model chose, but not like the question, so likeness decided.'


@dataclass(frozen=True)
class Retrieved:
    """What was found, best first; how it was come by; what went wrong on the way.

    `means_first`: it is the nearest to a landmark that is meant.
    """

    nodes: tuple[Scored, ...]
    chain: tuple[str, ...] = ()
    calls: int = 0
    fault: str = ''
    means_first: bool = False


class EmbodiedRetriever:
    """Finds nodes. `llm`: without one, LLM_HIERARCHICAL is SEMANTIC, and says so."""

    def __init__(
        self,
        graph: MemoryStore,
        llm: LLMInterface | None,
        calibration: Calibration,
        meanings: Meanings,
        config: Config | None = None,
        now: float | None = None,
    ) -> None:
        self._store, self._llm, self._calibration = graph, llm, calibration
        self._meanings, self._config, self._now = meanings, config or Config(), now

    def retrieve(
        self,
        question: Question,
        method: RetrievalMethod = RetrievalMethod.SEMANTIC,
        near: Position | None = None,
    ) -> Retrieved:
        """The best `question.k` nodes."""
        found = likenesses(self._store, question, self._calibration, self._meanings, self._now)
        nodes = self._semantic_based_retrieval(question, found)
        if method is RetrievalMethod.SEMANTIC:
            return Retrieved(tuple(nodes))
        if self._llm is None:
            return Retrieved(tuple(nodes), fault='No model is configured, so likeness decided.')
        return self._hierarchical(question, found, nodes, near)

    def _semantic_based_retrieval(
        self, question: Question, found: Sequence[Scored]
    ) -> list[Scored]:
        """Threshold, boosts, normalisation; empty when nothing passes the threshold."""
        if not any(each.may_be for each in found):
            return []
        passing = {each.node_id: each for each in found[: 2 * question.k]}
        likeness = {node_id: each.likeness for node_id, each in passing.items()}
        scores = self._apply_hierarchical_boost(question, likeness)
        scores = self._apply_spatial_boost(question, scores)
        return normalised(passing, scores, self._calibration.related)[: question.k]

    def _apply_hierarchical_boost(
        self, question: Question, scores: Mapping[str, float]
    ) -> dict[str, float]:
        """X 1.2, once, where the area that holds a node is like the question, too."""
        nodes = self._store.get(scores)
        areas = list({node.parent: None for node in nodes.values() if node.parent})
        alike = cosines_of(self._store, question, areas)
        return boosted(scores, nodes, alike, self._calibration.related)

    def _apply_spatial_boost(
        self, question: Question, scores: Mapping[str, float]
    ) -> dict[str, float]:
        """+ 0.2 x the mean likeness of what lies beside a node."""
        beside = self._store.neighbours(list(scores), BESIDE_M)
        others = list({each: None for some in beside.values() for each in some})
        alike = cosines_of(self._store, question, others)
        share = self._config.RETRIEVAL.spatial_share
        added = dict(scores)
        for each, some in beside.items():
            added[each] += share * sum(max(0.0, alike[other]) for other in some) / len(some)
        return added

    def context(self, hits: Sequence[Hit]) -> str:
        """Return what a model is told of hits."""
        return self._build_context(hits)

    def _build_context(self, hits: Sequence[Hit]) -> str:
        """Return hits as a model reads them: place, area, words, and what lies beside them."""
        lines = []
        for hit in hits:
            x, y, z = hit.position
            area = f', in {quoted(hit.parents[0])}' if hit.parents else ''
            lines.append(f'- {quoted(hit.name)} at ({x:.1f}, {y:.1f}, {z:.1f}) m{area}: '
                         f'{quoted(hit.caption)}')  # fmt: skip
            lines += [f'  - {quoted(each)}' for each in hit.relations]
        return '\n'.join(lines)

    def _hierarchical(
        self,
        question: Question,
        found: Sequence[Scored],
        nodes: Sequence[Scored],
        near: Position | None,
    ) -> Retrieved:
        assert self._llm is not None
        down = LLMHierarchicalRetriever(self._store, self._llm, self._config.LLM)
        try:
            descent = down.retrieve(question, down.first_areas(question, found), near)
        except ModelError as error:
            fault = f'The model did not answer, so likeness decided: {error.sentence}'
            return Retrieved(tuple(nodes), fault=fault)
        ranked = list(nodes)
        if descent.leaf is None:
            fault = 'The model chose nothing that was offered, so likeness decided.'
            return Retrieved(tuple(ranked), descent.chain, descent.calls, fault)
        ranked = self._with_choice(question, ranked, descent.leaf.node_id)
        is_taken = ranked[0].node_id == descent.leaf.node_id
        fault = '' if is_taken else f'{descent.leaf.name} {NOT_ALIKE}'
        return Retrieved(tuple(ranked), descent.chain, descent.calls, fault)

    def _with_choice(self, question: Question, ranked: list[Scored], chosen: str) -> list[Scored]:
        """The choice first, if it was found by likeness, too, or if there is room for it."""
        known = next((each for each in ranked if each.node_id == chosen), None)
        if known is None and len(ranked) >= question.k:
            return ranked
        likeness = cosines_of(self._store, question, [chosen])[chosen]
        first = known or Scored(chosen, max(0.0, likeness), 0.0)
        best = max((each.score for each in ranked), default=0.0)
        others = [each for each in ranked if each.node_id != chosen]
        return [replace(first, score=max(best, first.score)), *others]


def relation(node: Node, other: Node) -> str:
    """Where a neighbour lies, in words."""
    there = direction(node.position, other.position)
    return f'{other.name} is {there.distance:.1f} m {there.words} {node.name}'
