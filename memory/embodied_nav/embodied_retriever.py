"""Spec 5's retriever: SEMANTIC and LLM_HIERARCHICAL over one store.

LLM_HIERARCHICAL reorders what SEMANTIC found and fills what it left empty, so it is never worse
than SEMANTIC, whatever the model chooses and whether or not it answers.

SEMANTIC has a threshold, a boost by the area, a boost by neighbours and a normalisation. What
differs from the public implementation: an empty match is no error; a thing at the origin is one
like others; the boost by the parent counts once; a single hit is not 1.0, because scores are
normalised against the fixed ends of the scale and not against each other alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from embodied_nav.config import Config, RetrievalConfig
from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.forest.neighbours_and_directions import BESIDE_M
from embodied_nav.llm import LLMInterface, quoted
from embodied_nav.llm_hierarchical_retriever import LLMHierarchicalRetriever
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import Hit, RetrievalMethod
from embodied_nav.retrieval.calibration import Calibration
from embodied_nav.retrieval.candidate_ranking import (
    EncodedQuery,
    ScoredNode,
    cosines_of,
    rank_candidates,
)
from embodied_nav.store.memory_store import MemoryStore
from rover_common.llm.model_errors import ModelError

BELOW = 0.99  # of the least score of what fits, at most, for what does not
NOT_ALIKE = 'is what the model chose, but not like the question, so likeness decided.'


@dataclass(frozen=True)
class Retrieved:
    """The retrieved nodes, best first.

    Attributes:
        chain: The ids that the model chose, the top one first.
        calls: Number of calls to the model.
        fault: Why the model's choice did not count.
        is_nearest: The one nearest to a landmark is meant.
    """

    nodes: tuple[ScoredNode, ...]
    chain: tuple[str, ...] = ()
    calls: int = 0
    fault: str = ''
    is_nearest: bool = False


class EmbodiedRetriever:
    """Retrieves nodes. `llm`: without one, LLM_HIERARCHICAL is SEMANTIC, with a fault."""

    def __init__(
        self,
        graph: MemoryStore,
        llm: LLMInterface | None,
        calibration: Calibration,
        term_vectors: TermVectors,
        config: Config | None = None,
        now: float | None = None,
    ) -> None:
        self._store, self._llm, self._calibration = graph, llm, calibration
        self._term_vectors, self._config, self._now = term_vectors, config or Config(), now

    def retrieve(
        self,
        query: EncodedQuery,
        method: RetrievalMethod = RetrievalMethod.SEMANTIC,
        near: Position | None = None,
    ) -> Retrieved:
        """Return the best `query.k` nodes."""
        found = rank_candidates(
            self._store, query, self._calibration, self._term_vectors, self._now
        )
        nodes = self._semantic_based_retrieval(query, found)
        if method is RetrievalMethod.SEMANTIC:
            return Retrieved(tuple(nodes))
        if self._llm is None:
            return Retrieved(tuple(nodes), fault='No model is configured, so likeness decided.')
        return self._hierarchical(query, found, nodes, near)

    def _semantic_based_retrieval(
        self, query: EncodedQuery, found: Sequence[ScoredNode]
    ) -> list[ScoredNode]:
        """Apply threshold, boosts, normalisation; empty when nothing passes the threshold."""
        if not any(each.is_plausible for each in found):
            return []
        passing = {each.node_id: each for each in found[: 2 * query.k]}
        similarities = {node_id: each.similarity for node_id, each in passing.items()}
        scores = self._apply_hierarchical_boost(query, similarities)
        scores = self._apply_spatial_boost(query, scores)
        settings, floor = self._config.RETRIEVAL, self._calibration.related
        return normalise_scores(passing, scores, floor, query.k, settings)

    def _apply_hierarchical_boost(
        self, query: EncodedQuery, scores: Mapping[str, float]
    ) -> dict[str, float]:
        """Return scores, times `hierarchical_boost`, where a node's area is similar, too."""
        nodes = self._store.get(scores)
        areas = list({node.parent: None for node in nodes.values() if node.parent})
        cosines = cosines_of(self._store, query, areas)
        boost = self._config.RETRIEVAL.hierarchical_boost
        return boost_by_area(scores, nodes, cosines, self._calibration.related, boost)

    def _apply_spatial_boost(
        self, query: EncodedQuery, scores: Mapping[str, float]
    ) -> dict[str, float]:
        """Return scores + `spatial_share` x the mean cosine of the neighbours of a node."""
        neighbours = self._store.neighbours(list(scores), BESIDE_M)
        others = list({other: None for ids in neighbours.values() for other in ids})
        cosines = cosines_of(self._store, query, others)
        share = self._config.RETRIEVAL.spatial_share
        boosted = dict(scores)
        for node_id, ids in neighbours.items():
            boosted[node_id] += share * sum(max(0.0, cosines[other]) for other in ids) / len(ids)
        return boosted

    def context(self, hits: Sequence[Hit]) -> str:
        """Return the hits as context for a prompt."""
        return self._build_context(hits)

    def _build_context(self, hits: Sequence[Hit]) -> str:
        """Return the hits as lines with place, area, caption and neighbours."""
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
        query: EncodedQuery,
        found: Sequence[ScoredNode],
        nodes: Sequence[ScoredNode],
        near: Position | None,
    ) -> Retrieved:
        assert self._llm is not None
        hierarchy = LLMHierarchicalRetriever(self._store, self._llm, self._config.LLM)
        try:
            descent = hierarchy.retrieve(query, hierarchy.first_areas(query, found), near)
        except ModelError as error:
            fault = f'The model did not answer, so likeness decided: {error.sentence}'
            return Retrieved(tuple(nodes), fault=fault)
        ranked = list(nodes)
        if descent.leaf is None:
            fault = 'The model chose nothing that was offered, so likeness decided.'
            return Retrieved(tuple(ranked), descent.chain, descent.calls, fault)
        ranked = self._with_choice(query, ranked, descent.leaf.node_id)
        is_first = ranked[0].node_id == descent.leaf.node_id
        fault = '' if is_first else f'{descent.leaf.name} {NOT_ALIKE}'
        return Retrieved(tuple(ranked), descent.chain, descent.calls, fault)

    def _with_choice(
        self, query: EncodedQuery, ranked: list[ScoredNode], chosen: str
    ) -> list[ScoredNode]:
        """Return the choice first, if it is ranked, too, or if there is room for it."""
        own = next((each for each in ranked if each.node_id == chosen), None)
        if own is None and len(ranked) >= query.k:
            return ranked
        cosine = cosines_of(self._store, query, [chosen])[chosen]
        first = own or ScoredNode(chosen, max(0.0, cosine), 0.0)
        best = max((each.score for each in ranked), default=0.0)
        others = [each for each in ranked if each.node_id != chosen]
        return [replace(first, score=max(best, first.score)), *others]


def boost_by_area(
    scores: Mapping[str, float],
    nodes: Mapping[str, Node],
    areas: Mapping[str, float],
    threshold: float,
    boost: float,
) -> dict[str, float]:
    """Return scores, times `boost`, once, where the area of a node is similar to the query.

    Args:
        scores: By id.
        nodes: The nodes of the scores.
        areas: Cosine of each area with the query.
        threshold: Cosine from which on an area is similar.
        boost: Factor of a node whose area is similar.
    """
    return {
        each: score * boost
        if areas.get(nodes[each].parent if each in nodes else '', 0.0) >= threshold
        else score
        for each, score in scores.items()
    }


def normalise_scores(
    found: Mapping[str, ScoredNode],
    scores: Mapping[str, float],
    floor: float,
    k: int,
    settings: RetrievalConfig,
) -> list[ScoredNode]:
    """Return the best k nodes with scores between 0 and 1: 1 is a perfect match with every boost.

    Best first; a fully supported node comes before one with unsupported terms.
    """
    low = min(floor, *scores.values())
    width = settings.best_possible - low
    values = {each: (score - low) / width for each, score in scores.items()}
    fits = [value for each, value in values.items() if not found[each].unsupported]
    others = [value for each, value in values.items() if found[each].unsupported]
    factor = 1.0
    if fits and others and max(others) > 0.0:
        factor = min(1.0, BELOW * min(fits) / max(others))
    values = {
        each: value * factor if found[each].unsupported else value
        for each, value in values.items()
    }
    ranking = sorted(values, key=lambda each: (bool(found[each].unsupported), -values[each]))
    return [replace(found[each], score=values[each]) for each in ranking[:k]]
