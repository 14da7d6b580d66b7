"""LLM_HIERARCHICAL of spec 5: from the top of the forest down, one choice after the other.

The number of calls is limited, and they are sequential. Where the forest is deeper than calls are
left, a choice is made among grandchildren, so the chain still has every level. Where there are
more options than a model should read, it is shown those most similar to the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from embodied_nav.config import LLMConfig
from embodied_nav.nodes_of_forest import LEVELS_OF_AREAS, Node
from embodied_nav.observation import Position
from embodied_nav.retrieval.candidate_ranking import (
    EncodedQuery,
    ScoredNode,
    ancestors_of,
    cosines_of,
)
from embodied_nav.store.memory_store import MemoryStore

FIRST_AREAS = 20  # among which the descent begins
NEARER = 1e-3  # per m: of two similar areas, the one nearer to the asker comes first


class Selector(Protocol):
    """Selects one of several nodes; `LLMInterface` is one."""

    def select_best_node(self, query: str, nodes: Sequence[Node]) -> str | None:
        """Return the id of one of the nodes, or None."""


@dataclass(frozen=True)
class Descent:
    """The result of a descent: the chosen ids from the top, and the thing at its end, if any."""

    chain: tuple[str, ...]
    leaf: Node | None
    calls: int


class LLMHierarchicalRetriever:
    """Descends the forest, one choice of the model per step."""

    def __init__(
        self, store: MemoryStore, llm: Selector, settings: LLMConfig | None = None
    ) -> None:
        self._store, self._llm, self._settings = store, llm, settings or LLMConfig()

    def retrieve(
        self, query: EncodedQuery, roots: Sequence[Node], start_position: Position | None = None
    ) -> Descent:
        """Return the chain of choices for a query.

        Args:
            query: The query.
            roots: Candidates for the first choice, best first.
            start_position: The asker's position, m; None: not known.

        Raises:
            ModelError: The model did not answer.
        """
        chain: list[Node] = []
        options, calls = list(roots), 0
        while options and calls < self._settings.max_calls:
            shown = self._shown(query, options, start_position)
            chosen = self.select_best_node(query.text, shown)
            calls += 1
            if chosen is None:
                break
            chain += self._between(chain[-1] if chain else None, chosen)
            if chosen.kind != 'cluster':
                break
            options = self._below(chosen, self._settings.max_calls - calls)
        leaf = chain[-1] if chain and chain[-1].kind == 'object' else None
        return Descent(tuple(node.node_id for node in chain), leaf, calls)

    def first_areas(self, query: EncodedQuery, found: Sequence[ScoredNode]) -> list[Node]:
        """Return the roots above what is similar to the query, then those of other areas."""
        areas = replace(query, scope=replace(query.scope, levels=LEVELS_OF_AREAS))
        nearest = self._store.nearest(areas.vector, areas.scope, FIRST_AREAS)
        ids = dict.fromkeys((*(each.node_id for each in found), *(each for each, _ in nearest)))
        nodes = self._store.get(ids)
        by_id = nodes | ancestors_of(self._store, nodes.values())
        roots: dict[str, Node] = {}
        for node in nodes.values():
            while node.parent in by_id:
                node = by_id[node.parent]
            roots[node.node_id] = node
        return list(roots.values())[:FIRST_AREAS]

    def select_best_node(self, query: str, nodes: Sequence[Node]) -> Node | None:
        """Return the chosen node. An id that was not offered ends the chain: None."""
        chosen = self._llm.select_best_node(query, nodes)
        return next((node for node in nodes if node.node_id == chosen), None)

    def _below(self, node: Node, calls_left: int) -> list[Node]:
        """Return the next options: children, or deeper nodes where the calls would not suffice."""
        options = self._under([node])
        while options and _depth(options) > calls_left > 0:
            options = self._under(options)
        return options

    def _under(self, nodes: Sequence[Node]) -> list[Node]:
        """Return nodes with each cluster replaced by its children; in two requests."""
        members = self._store.members([each.node_id for each in nodes if each.kind == 'cluster'])
        found = self._store.get(
            each for node in nodes for each in sorted(members.get(node.node_id, [node.node_id]))
        )
        return [each for each in found.values() if each.state != 'RETRACTED']

    def _between(self, above: Node | None, chosen: Node) -> list[Node]:
        """Return the nodes from below the last choice to the chosen node, from the top."""
        path = [chosen]
        while path[0].parent and (above is None or path[0].parent != above.node_id):
            found = self._store.get([path[0].parent])
            if path[0].parent not in found:
                break
            path.insert(0, found[path[0].parent])
        return path

    def _shown(
        self, query: EncodedQuery, options: Sequence[Node], near: Position | None
    ) -> list[Node]:
        if len(options) <= self._settings.options:
            return list(options)
        ids = [each.node_id for each in options]
        cosines = cosines_of(self._store, query, ids)
        scores = [cosines[each] for each in ids]
        if near is not None:
            scores = [
                score - NEARER * sum(abs(a - b) for a, b in zip(node.position, near, strict=True))
                for score, node in zip(scores, options, strict=True)
            ]
        order = sorted(range(len(options)), key=lambda at: -scores[at])
        return [options[at] for at in order[: self._settings.options]]


def _depth(options: Sequence[Node]) -> int:
    """Return how many choices may still be needed to reach a thing."""
    return 1 + max(node.level for node in options)
