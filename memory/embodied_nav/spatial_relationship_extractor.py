"""Spec 5's builder: the semantic forest of things, with the directions between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from embodied_nav.forest.forest_building import grown
from embodied_nav.forest.neighbours_and_directions import direction, nearest_neighbours
from embodied_nav.gml.gml_syntax import Places, networkx_library
from embodied_nav.llm import UNDEFINED, LLMInterface
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Position
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Embedder
from rover_common.llm.sentence_encoder import sentence_encoder


class SpatialRelationshipExtractor:
    """Builds a whole forest. `llm`: names the areas; None: the template does."""

    def __init__(self, llm: LLMInterface | None = None, embedder: Embedder | None = None) -> None:
        self._llm, self._embedder = llm, embedder or sentence_encoder()

    def extract_relationships(self, objects: Sequence[Node]) -> Places:
        """Return the things with their areas of all levels.

        If the model does not answer, areas keep the texts of the template.
        """
        numbers = count(1)
        rows = self._embedder.embed([each.text for each in objects])
        nodes, _ = grown(objects, rows, lambda level: f'area_{level}_cluster_{next(numbers)}')
        return Places(tuple(self._named(nodes)))

    def as_graph(self, places: Places) -> Any:
        """Return the forest as a networkx MultiDiGraph, with directions between neighbours."""
        graph = networkx_library().MultiDiGraph()
        for node in places.nodes:
            graph.add_node(node.node_id, type=node.kind, level=node.level, name=node.name)
        by_id = {node.node_id for node in places.nodes}
        graph.add_edges_from(
            (node.node_id, node.parent, {'relationship': 'part_of'})
            for node in places.nodes
            if node.parent in by_id
        )
        self._add_positional_relationships(graph, places.nodes)
        return graph

    def _named(self, nodes: Sequence[Node]) -> list[Node]:
        if self._llm is None:
            return list(nodes)
        named = list(nodes)
        for at, node in enumerate(named):
            if node.kind == 'cluster':
                below = [each for each in named if each.parent == node.node_id]
                try:
                    name, summary = self._llm.generate_community_summary(below)
                except ModelError:
                    return named
                if name != UNDEFINED and summary:
                    named[at] = replace(node, name=name, summary=summary, summary_by='model')
        return named

    def _add_positional_relationships(self, graph: Any, nodes: Sequence[Node]) -> None:
        """Add edges both ways between each thing and the nearest of its level within 3 m."""
        by_id = {node.node_id: node for node in nodes}
        for start, others in nearest_neighbours(nodes).items():
            for end in others:
                there = direction(by_id[start].position, by_id[end].position)
                graph.add_edge(start, end, **there.edge)

    def _get_cardinal_direction(self, start: Position, end: Position) -> str:
        return direction(start, end).cardinal
