"""Spec 5's names do what spec 5 says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fakes.models import FakeChat
from public_forest import PUBLIC_FOREST
import pytest

from embodied_nav.config import Config
from embodied_nav.embodied_rag import EmbodiedRAG
from embodied_nav.llm import LLMInterface
from embodied_nav.nodes_of_forest import Node
from embodied_nav.query_and_recall_types import RecallOutcome
from embodied_nav.spatial_relationship_extractor import SpatialRelationshipExtractor
from rover_common.llm.model_errors import ModelError


@pytest.fixture
def forest(tmp_path: Path) -> Path:
    path = tmp_path / 'enhanced_semantic_graph.gml'
    path.write_text(PUBLIC_FOREST, encoding='utf-8')
    return path


@pytest.fixture
def rag(forest: Path) -> Iterator[EmbodiedRAG]:
    made = EmbodiedRAG(clock=lambda: 20.0)
    assert made.load_graph_to_rag(forest) == 5
    yield made
    made.close()


def test_a_question_is_answered_with_its_target(rag: EmbodiedRAG) -> None:
    answer = rag.query('where is the desk with the lamp?')
    assert answer.target is not None
    assert answer.target.node_id == 'desk_1'
    assert answer.text.startswith('<<desk_1>>')
    assert answer.target.parents == ('desk_area',)


def test_what_is_not_there_has_no_target(rag: EmbodiedRAG) -> None:
    answer = rag.query('where is the swimming pool?')
    assert (answer.target, answer.recall.outcome) == (None, RecallOutcome.ABSENT)


def test_embeddings_are_of_unit_length(rag: EmbodiedRAG) -> None:
    rows = rag.embedding_func(['desk', 'lamp', ''])
    assert [round(float(row @ row), 5) for row in rows] == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ('said', 'target'),
    [('Go to <<desk_1>>.', 'desk_1'), ('Drive to <<9, 0>>.', None), ('I do not know.', None)],
)
def test_the_models_answer_points_only_to_what_was_found(
    forest: Path, said: str, target: str | None
) -> None:
    rag = EmbodiedRAG(chat=FakeChat(lambda *_: said), clock=lambda: 20.0)
    rag.load_graph_to_rag(forest)
    answer = rag.query('where is the desk with the lamp?')
    assert answer.text == said
    assert (answer.target.node_id if answer.target else None) == target
    rag.close()


def test_without_its_model_an_answer_is_worded_by_the_template(forest: Path) -> None:
    def dead(*_: object) -> str:
        raise ModelError('nobody answers.')

    rag = EmbodiedRAG(chat=FakeChat(dead), clock=lambda: 20.0)
    rag.load_graph_to_rag(forest)
    answer = rag.query('where is the desk with the lamp?')
    assert answer.target is not None
    assert 'nobody answers.' in answer.text
    rag.close()


def things() -> list[Node]:
    return [
        Node(node_id=f'rock_{n}', name=f'rock_{n}', label='rock', position=(2.0 * n, 0.0, 0.0))
        for n in range(6)
    ]


def test_relationships_are_extracted_with_areas_and_directions() -> None:
    extractor = SpatialRelationshipExtractor()
    graph = extractor.as_graph(extractor.extract_relationships(things()))
    assert graph.edges['rock_0', 'rock_1', 0]['relationship'] == 'east'
    assert graph.edges['rock_1', 'rock_0', 0]['relationship'] == 'west'
    parts = [end for _, end, data in graph.out_edges('rock_0', data=True)
             if data['relationship'] == 'part_of']  # fmt: skip
    assert parts == ['area_1_cluster_1']


def test_an_error_of_the_model_truncates_no_level() -> None:
    answers = iter(['AREA_NAME: <<a>>\nAREA_SUMMARY: <<b>>'])

    def once(*_: object) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise ModelError('nobody answers.') from None

    plain = SpatialRelationshipExtractor().extract_relationships(things())
    named = SpatialRelationshipExtractor(LLMInterface(FakeChat(once))).extract_relationships(
        things()
    )
    assert [node.node_id for node in named.nodes] == [node.node_id for node in plain.nodes]
    assert all(node.name and node.summary for node in named.nodes if node.kind == 'cluster')


def test_the_published_values_are_the_defaults() -> None:
    config = Config()
    assert config.SPATIAL.cluster_distance_m == 5.0
    assert (config.SPATIAL.max_levels, config.SPATIAL.spatial_threshold_m) == (5, 3.0)
    assert config.RETRIEVAL.top_k == 5
    assert config.PATHS.enhanced_graph == 'enhanced_graph.gml'
