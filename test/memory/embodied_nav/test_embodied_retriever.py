"""How questions find answers; each known fault of the public implementation has its test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import time
from typing import Any

from fakes.models import FakeChat, FakeEmbedder
import pytest
from remembered_worlds import EMBEDDER, clock, sown

from embodied_nav.config import RetrievalConfig
from embodied_nav.embodied_retriever import boost_by_area, normalise_scores
from embodied_nav.llm import LLMInterface, target_of
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query
from embodied_nav.retrieval.candidate_ranking import ScoredNode
from embodied_nav.spatial_memory import SpatialMemory
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.llm.sentence_encoder import MODEL

SHIPPED = RetrievalConfig()


class SlowEmbedder(FakeEmbedder):
    """Takes its time."""

    def __init__(self) -> None:
        super().__init__(('layered', 'rock', 'slab'), MODEL)
        self.takes_s, self.calls = 0.0, 0

    def embed(self, texts: Sequence[str]) -> Any:
        """See `FakeEmbedder.embed`."""
        self.calls += self.takes_s > 0.0
        time.sleep(self.takes_s)
        return super().embed(texts)


def test_encoding_of_terms_is_not_counted_as_retrieval(store: SqliteStore) -> None:
    slow = SlowEmbedder()
    memory = SpatialMemory(store, slow, clock)
    memory.observe(Observation(name='rock', position=(0.0, 0.0, 0.0), stamp=1.0, caption='a slab'))
    slow.takes_s = 0.05
    took = memory.recall(Query(text='the layered rock')).timings
    assert took['embed'] >= 1e3 * slow.takes_s * slow.calls
    assert slow.calls > 1, 'of the question, and of what it is compared with'
    assert took['retrieve'] >= 0.0


def test_directions_reach_the_model(store: SqliteStore, seen: Callable[..., Observation]) -> None:
    memory = SpatialMemory(store, EMBEDDER, clock)
    memory.observe(seen('layered_rock', 5.0, 2.0))
    memory.observe(seen('cairn', 7.0, 2.0, label='marker'))
    found = memory.recall(Query(text='layered rock'))
    assert found.hits[0].relations == ('cairn is 2.0 m east of layered_rock',)
    assert 'cairn is 2.0 m east of layered_rock' in memory.retriever.context(found.hits)


def test_the_parents_boost_counts_once() -> None:
    node = Node(node_id='a', name='a', position=(0.0, 0.0, 0.0), parent='area')
    for near, factor in ((0.7, 3.0), (0.5, 1.0)):
        assert boost_by_area({'a': 0.5}, {'a': node}, {'area': near}, 0.6, 3.0) == {
            'a': 0.5 * factor
        }


@pytest.mark.parametrize(
    'settings',
    [SHIPPED, RetrievalConfig(hierarchical_boost=2.0), RetrievalConfig(spatial_share=0.0)],
    ids=['shipped', 'boost', 'share'],
)
def test_a_perfect_match_with_every_boost_is_one(settings: RetrievalConfig) -> None:
    best = 1.0 * settings.hierarchical_boost + settings.spatial_share
    (found,) = normalise_scores({'a': ScoredNode('a', 1.0, 1.0)}, {'a': best}, 0.3, 5, settings)
    assert found.score == pytest.approx(1.0)


def test_neither_a_lone_hit_is_one_nor_the_worst_of_several_zero() -> None:
    one, other = ScoredNode('a', 0.5, 0.5), ScoredNode('b', 0.4, 0.4)
    (lone,) = normalise_scores({'a': one}, {'a': 0.5}, 0.3, 5, SHIPPED)
    several = normalise_scores({'a': one, 'b': other}, {'a': 0.5, 'b': 0.4}, 0.3, 5, SHIPPED)
    assert 0.0 < lone.score < 1.0
    assert several[0].score == lone.score
    assert 0.0 < several[1].score < several[0].score


def test_a_fully_supported_node_comes_first_whatever_its_score() -> None:
    partial = ScoredNode('a', 0.9, 0.9, unsupported=('green',))
    complete = ScoredNode('b', 0.4, 0.4)
    found = normalise_scores({'a': partial, 'b': complete}, {'a': 0.9, 'b': 0.4}, 0.3, 5, SHIPPED)
    assert [each.node_id for each in found] == ['b', 'a']


@pytest.mark.slow
def test_the_order_of_hits_is_that_of_their_scores(store: SqliteStore) -> None:
    memory = sown(store, 30)
    hits = memory.recall(Query(text='sand dune number 7', kind='implicit')).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[0].name == 'sand_dune_7'


@pytest.mark.slow
def test_an_area_answers_a_global_question(store: SqliteStore) -> None:
    memory = sown(store, 30)
    found = memory.recall(Query(text='an area with dunes', kind='global'))
    assert any(hit.node_id.startswith('area_') for hit in found.hits)


@pytest.mark.slow
def test_an_answer_can_only_point_to_what_was_found(store: SqliteStore) -> None:
    hits = sown(store, 12).recall(Query(text='cairn', kind='implicit')).hits
    assert target_of(f'Go to <<{hits[1].name.upper()}>>.', hits) == hits[1]
    assert target_of(f'Go to <<nowhere>>, then <<{hits[0].node_id}>>.', hits) == hits[0]
    assert target_of('Go to <<9, 0>>.', hits) is None


def test_an_interface_tells_provider_and_model() -> None:
    llm = LLMInterface(FakeChat(lambda *_: 'x'))
    assert (llm.provider, llm.model) == ('fake', '')
