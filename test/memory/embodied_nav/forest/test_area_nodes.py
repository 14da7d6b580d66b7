"""Areas are named by a model, and have a template as long as it says nothing."""

from __future__ import annotations

from contextlib import nullcontext

from fakes.models import FakeChat
import pytest
from remembered_worlds import sown

from embodied_nav.forest.area_nodes import AreaNamer
from embodied_nav.observation import Observation
from embodied_nav.store.memory_store import Scope
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.llm.model_errors import ModelError


def named(name: str) -> FakeChat:
    return FakeChat(lambda *_: f'AREA_NAME: <<{name}>>\nAREA_SUMMARY: <<Rocks to hide behind.>>')


@pytest.mark.slow
def test_only_what_changed_is_summarised_again(store: SqliteStore) -> None:
    chat = named('Rock Garden')
    memory = sown(store, 30, chat)
    memory.settle(summaries=1000)
    areas = list(store.nodes(Scope(levels=(1, 5))))
    assert {area.name for area in areas} == {'rock_garden'}
    assert len(chat.asked) == len(areas)
    memory.settle(summaries=1000)
    assert len(chat.asked) == len(areas)
    memory.observe(Observation(name='new', position=(30.0, 30.0, 0.0), stamp=11.0))
    changed = [area for area in store.nodes(Scope(levels=(1, 5))) if area.dirty]
    memory.settle(summaries=1000)
    assert len(chat.asked) == len(areas) + len(changed)


@pytest.mark.parametrize('answer', ['I cannot.', 'AREA_NAME: <<x>>', 'AREA_SUMMARY: <<x>>'])
@pytest.mark.slow
def test_an_area_that_no_model_named_keeps_its_template(store: SqliteStore, answer: str) -> None:
    memory = sown(store, 12, FakeChat(lambda *_: answer))
    before = list(store.nodes(Scope(levels=(1, 5))))
    memory.settle(summaries=3)
    assert list(store.nodes(Scope(levels=(1, 5)))) == before
    assert all(area.name and area.summary for area in before)


@pytest.mark.slow
def test_a_dead_model_ends_the_round_of_summaries(store: SqliteStore) -> None:
    def dead(*_: object) -> str:
        raise ModelError('nobody answers.')

    chat = FakeChat(dead)
    memory = sown(store, 30, chat)
    memory.settle(summaries=10)
    assert memory.faults == ('nobody answers.',)
    assert len(chat.asked) == 1


def test_without_a_model_nobody_is_asked(store: SqliteStore) -> None:
    assert AreaNamer(store, nullcontext()).name(5) == ''
