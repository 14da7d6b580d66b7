"""LLM_HIERARCHICAL of spec 5: from the top of the forest down, one choice after the other.

Calls are few and come one after the other. Where the forest is deeper than calls are left, a
choice is made among grandchildren, so the chain still has every level. Where there are more
options than a model should read, it sees those that are most like the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from embodied_nav.config import LLMConfig
from embodied_nav.nodes_of_forest import LEVELS_OF_AREAS, Node
from embodied_nav.observed_thing import Position
from embodied_nav.retrieval.semantic_search import Question, Scored, areas_above, cosines_of
from embodied_nav.store.memory_store import MemoryStore

FIRST_AREAS = 20  # among which the descent begins
NEARER = 1e-3  # per m: of two areas alike, the one nearer to the asker comes first


class Selector(Protocol):
    """Who chooses; `LLMInterface` is one."""

    def select_best_node(self, query: str, nodes: Sequence[Node]) -> str | None:
        """The id of one of the nodes, or None."""


@dataclass(frozen=True)
class Descent:
    """Where the way down led: ids from the top, and the thing at its end, if it came to one."""

    chain: tuple[str, ...]
    leaf: Node | None
    calls: int


class LLMHierarchicalRetriever:
    """Goes down the forest. `roots`: candidates for the first choice, best first."""

    def __init__(
        self, store: MemoryStore, llm: Selector, settings: LLMConfig | None = None
    ) -> None:
        self._store, self._llm, self._settings = store, llm, settings or LLMConfig()

    def retrieve(
        self, question: Question, roots: Sequence[Node], start_position: Position | None = None
    ) -> Descent:
        """The chain of choices for a question.

        Raises:
            ModelError: The model did not answer.
        """
        chain: list[Node] = []
        options, calls = list(roots), 0
        while options and calls < self._settings.max_calls:
            shown = self._shown(question, options, start_position)
            chosen = self.select_best_node(question.text, shown)
            calls += 1
            if chosen is None:
                break
            chain += self._between(chain[-1] if chain else None, chosen)
            if chosen.kind != 'cluster':
                break
            options = self._below(chosen, self._settings.max_calls - calls)
        leaf = chain[-1] if chain and chain[-1].kind == 'object' else None
        return Descent(tuple(node.node_id for node in chain), leaf, calls)

    def first_areas(self, question: Question, found: Sequence[Scored]) -> list[Node]:
        """Where the descent may begin: above what is like the question, then other areas."""
        areas = replace(question, scope=replace(question.scope, levels=LEVELS_OF_AREAS))
        alike = self._store.nearest(areas.vector, areas.scope, FIRST_AREAS)
        ids = dict.fromkeys((*(each.node_id for each in found), *(each for each, _ in alike)))
        nodes = self._store.get(ids)
        known = nodes | areas_above(self._store, nodes.values())
        tops: dict[str, Node] = {}
        for node in nodes.values():
            while node.parent in known:
                node = known[node.parent]
            tops[node.node_id] = node
        return list(tops.values())[:FIRST_AREAS]

    def select_best_node(self, query: str, nodes: Sequence[Node]) -> Node | None:
        """The node that was chosen. An id that was not offered ends the chain."""
        chosen = self._llm.select_best_node(query, nodes)
        return next((node for node in nodes if node.node_id == chosen), None)

    def _below(self, node: Node, calls_left: int) -> list[Node]:
        """The next options: children, or what is deeper where the calls would not suffice."""
        options = self._under([node])
        while options and _depth(options) > calls_left > 0:
            options = self._under(options)
        return options

    def _under(self, nodes: Sequence[Node]) -> list[Node]:
        """The children of clusters, each in its place, and things as they are; in two requests."""
        members = self._store.members([each.node_id for each in nodes if each.kind == 'cluster'])
        found = self._store.get(
            each for node in nodes for each in sorted(members.get(node.node_id, [node.node_id]))
        )
        return [each for each in found.values() if each.state != 'RETRACTED']

    def _between(self, above: Node | None, chosen: Node) -> list[Node]:
        """The chosen node and what lies between it and the last choice, from the top."""
        path = [chosen]
        while path[0].parent and (above is None or path[0].parent != above.node_id):
            found = self._store.get([path[0].parent])
            if path[0].parent not in found:
                break
            path.insert(0, found[path[0].parent])
        return path

    def _shown(
        self, question: Question, options: Sequence[Node], near: Position | None
    ) -> list[Node]:
        if len(options) <= self._settings.options:
            return list(options)
        ids = [each.node_id for each in options]
        cosines = cosines_of(self._store, question, ids)
        scores = [cosines[each] for each in ids]
        if near is not None:
            scores = [
                score - NEARER * sum(abs(a - b) for a, b in zip(node.position, near, strict=True))
                for score, node in zip(scores, options, strict=True)
            ]
        order = sorted(range(len(options)), key=lambda at: -scores[at])
        return [options[at] for at in order[: self._settings.options]]


def _depth(options: Sequence[Node]) -> int:
    """Choices that may still be needed to come to a thing."""
    return 1 + max(node.level for node in options)
