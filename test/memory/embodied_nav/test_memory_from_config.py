"""The memory with models behind HTTP: which ones, and what happens when they do not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from model_protocols import Reply
from model_server import ModelServer
import pytest

from embodied_nav.memory_from_config import chat_model, embedding_model, make_models
from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.spatial_memory import SpatialMemory, open_memory
from rover_common.config.load import load_config
from rover_common.config.settings import Config

pytestmark = pytest.mark.usefixtures('assumed_scores')

NAMED = 'AREA_NAME: <<Rock Garden>>\nAREA_SUMMARY: <<Rocks to hide behind.>>'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer(lambda _asked: Reply(text=NAMED))
    yield made
    made.close()


@pytest.fixture
def config(server: ModelServer) -> Config:
    return load_config(
        None,
        [
            f'memory.{part}.{key}={value}'
            for part in ('embedding', 'model')
            for key, value in (
                ('provider', 'openai'),
                ('model', 'test-model'),
                ('base_url', server.base_url('openai')),
            )
        ]
        + ['planner.retry.first_wait_s=0.01', 'planner.retry.longest_wait_s=0.02'],
    )


def memory_of(config: Config, path: Path) -> SpatialMemory:
    models = make_models(config, {})
    assert models.faults == ()
    return open_memory(path / 'memory.sqlite', models.embedder, lambda: 100.0, models.chat)


def test_without_configuration_no_model_is_asked() -> None:
    models = make_models(load_config(None, []), {})
    assert (models.embedder, models.chat, models.faults) == (None, None, ())


def test_words_come_from_the_planners_model_unless_another_one_is_named() -> None:
    planner = ['planner.provider=ollama', 'planner.model=qwen3:8b']
    chat = chat_model(load_config(None, planner), {})
    assert chat is not None
    assert chat.name == 'ollama/qwen3:8b'
    assert embedding_model(load_config(None, planner), {}) is None
    assert chat_model(load_config(None, [*planner, 'memory.model.provider=offline']), {}) is None


def test_a_model_without_its_key_costs_itself_only_and_is_told() -> None:
    config = load_config(
        None, ['memory.embedding.provider=openai', 'memory.embedding.model=text-embedding-3-small']
    )
    models = make_models(config, {})
    assert (models.embedder, models.chat) == (None, None)
    assert 'OPENAI_API_KEY' in models.faults[0]


@pytest.mark.slow
def test_models_make_vectors_and_names_while_nothing_waits(
    config: Config, tmp_path: Path, server: ModelServer, seen: Callable[..., Observation]
) -> None:
    memory = memory_of(config, tmp_path)
    for number in range(4):
        memory.observe(seen(f'rock_{number}', 2.0 * number))
    assert server.bodies == []
    memory.settle(1)
    areas = [node for node in memory.places() if node.level]
    assert {area.name for area in areas} == {'rock_garden'}
    assert len(server.asked) == len(areas)
    assert memory.recall(Query(text='rock 2')).outcome is not RecallOutcome.ABSENT
    memory.close()


@pytest.mark.slow
def test_dead_models_leave_words_and_templates(
    config: Config, tmp_path: Path, server: ModelServer, seen: Callable[..., Observation]
) -> None:
    memory = memory_of(config, tmp_path)
    server.close()
    for number in range(4):
        memory.observe(seen(f'rock_{number}', 2.0 * number))
    memory.settle(1)
    assert len(memory.faults) == 2
    assert all('openai' in fault for fault in memory.faults)
    found = memory.recall(Query(text='rock 2', kind='implicit'))
    assert found.outcome is RecallOutcome.FOUND
    assert [area.name for area in memory.places() if area.level] == ['rock area 1']
    memory.close()


@pytest.mark.slow
def test_the_budget_of_the_embedding_ends_its_requests(
    config: Config, tmp_path: Path, server: ModelServer, seen: Callable[..., Observation]
) -> None:
    small = config.model_copy(deep=True)
    small.executive.memory.embedding.__dict__['max_tokens'] = 1
    memory = memory_of(small, tmp_path)
    memory.observe(seen('rock_1'))
    memory.settle()
    memory.observe(seen('rock_2', 30.0))
    memory.settle()
    assert any('budget of 1 tokens' in fault for fault in memory.faults)
    found = memory.recall(Query(text='rock 2', kind='implicit'))
    assert found.outcome is RecallOutcome.FOUND
    memory.close()
