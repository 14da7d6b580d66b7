"""Whose vectors a store holds, while models change, are silent and come back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from fakes.models import FakeEmbedder
import numpy as np
from numpy.typing import NDArray
import pytest
from remembered_worlds import led_to

from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.spatial_memory import SpatialMemory
from embodied_nav.store.memory_store import Scope, Vector
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.errors import StoreUnusableError
from rover_common.llm.model_errors import ModelError

pytestmark = pytest.mark.usefixtures('assumed_scores')

See = Callable[..., Observation]
THINGS = Scope(levels=(0, 0))


class Remote(FakeEmbedder):
    """A model somewhere else, which may be dead. It knows that a boulder is a rock."""

    def __init__(self, model: str = 'remote', words: Sequence[str] = ('rock', 'dune')) -> None:
        super().__init__(words, model, is_local=False)
        self.is_dead = False
        self.asked: list[str] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.is_dead:
            raise ModelError('nobody answers.')
        self.asked += texts
        self.meanwhile()
        return super().embed([text.replace('boulder', 'rock') for text in texts])


@pytest.fixture
def remote() -> Remote:
    return Remote()


@pytest.fixture
def opened(tmp_path: Path, remote: Remote) -> Callable[..., SpatialMemory]:
    def make(embedder: object = remote) -> SpatialMemory:
        store = SqliteStore(tmp_path / 'memory.sqlite')
        return SpatialMemory(store, embedder, lambda: 100.0)  # type: ignore[arg-type]

    return make


def vectors(path: Path) -> Vector:
    store = SqliteStore(path / 'memory.sqlite')
    found = store.vectors([node.node_id for node in store.nodes(THINGS)])
    store.close()
    return found


def test_what_is_seen_waits_for_no_model_and_is_found_by_its_meaning_later(
    opened: Callable[..., SpatialMemory], remote: Remote, seen: See, tmp_path: Path
) -> None:
    memory = opened()
    memory.observe(seen('Bishop', label='', caption='a layered rock'))
    memory.settle()
    remote.asked.clear()
    memory.observe(seen('Queen', 30.0, label='', caption='a yellow dune'))
    assert remote.asked == []
    assert led_to(memory.recall(Query(text='yellow dune'))) == 'Queen'
    memory.settle()
    assert led_to(memory.recall(Query(text='a boulder'))) == 'Bishop'
    assert vectors(tmp_path) == pytest.approx(np.array([[1, 0], [0, 1]]))


def test_a_model_that_never_answers_leaves_the_words(
    opened: Callable[..., SpatialMemory], remote: Remote, seen: See
) -> None:
    remote.is_dead = True
    memory = opened()
    memory.observe(seen())
    memory.settle()
    assert 'nobody answers.' in memory.faults
    found = memory.recall(Query(text='layered rocks'))
    assert found.outcome is RecallOutcome.FOUND
    assert 'By words alone' in found.reason
    remote.is_dead = False
    memory.settle()
    assert not memory.faults
    assert 'By words alone' not in memory.recall(Query(text='a boulder')).reason


def test_a_model_that_dies_later_leaves_the_words_and_says_so(
    opened: Callable[..., SpatialMemory], remote: Remote, seen: See
) -> None:
    memory = opened()
    memory.observe(seen())
    memory.settle()
    remote.is_dead = True
    memory.observe(seen('sand_dune', 40.0, label='dune', caption='fine sand'))
    memory.settle()
    for text, name in (('layered rock', 'layered_rock'), ('fine sand', 'sand_dune')):
        found = memory.recall(Query(text=text))
        assert led_to(found) == name
        assert 'By words alone' in found.reason
    assert memory.recall(Query(text='a parachute')).outcome is RecallOutcome.ABSENT
    assert memory.faults == ('nobody answers.',)


@pytest.mark.slow
def test_a_change_of_the_model_ends_anywhere_and_goes_on_after_a_restart(
    opened: Callable[..., SpatialMemory], seen: See, tmp_path: Path
) -> None:
    memory = opened(FakeEmbedder(['rock', 'dune', 'sand'], 'local'))
    for number in range(79):
        memory.observe(seen(f'rock_{number}', 9.0 * number))
    memory.observe(seen('the_dune', 900.0, label='dune'))
    memory.settle()
    memory.close()
    remote = Remote()
    memory = opened(remote)
    assert 'have vectors of remote now' in memory.maintain()
    memory.close()  # in the middle of it
    asked = len(remote.asked)
    assert 0 < asked < 80
    again = Remote()
    memory = opened(again)
    assert led_to(memory.recall(Query(text='dune'))) == 'the_dune'  # it has no vector yet
    memory.settle()
    memory.close()
    assert vectors(tmp_path) == pytest.approx(np.array([[1, 0]] * 79 + [[0, 1]]))
    own = [text for text in again.asked if text.startswith('rock 1 ')]
    assert own == []  # what had its vector before was not asked for again


def test_going_back_needs_nobody(
    opened: Callable[..., SpatialMemory], remote: Remote, seen: See
) -> None:
    memory = opened()
    memory.observe(seen())
    memory.settle()
    memory.close()
    memory = opened(FakeEmbedder(['rock', 'dune', 'sand'], 'local'))
    by_words = memory.recall(Query(text='layered rock'))
    assert by_words.outcome is RecallOutcome.FOUND
    memory.settle()
    assert 'By words' not in memory.recall(Query(text='layered rock')).reason


@pytest.mark.slow
def test_two_programs_with_different_models_do_not_mix_their_vectors(
    opened: Callable[..., SpatialMemory], remote: Remote, seen: See
) -> None:
    """The one that is not the store's any more goes on by words, until it changes it back."""
    memory, other = opened(), opened(Remote('other', ('rock', 'dune', 'cairn')))
    memory.observe(seen())
    memory.settle()
    other.settle()
    memory.observe(seen('cairn', 30.0, caption='stones', label='cairn'))
    for each in (memory, other):
        assert led_to(each.recall(Query(text='cairn'))) == 'cairn'


def test_what_changes_while_the_model_is_asked_is_asked_for_again(
    opened: Callable[..., SpatialMemory], remote: Remote, seen: See, tmp_path: Path
) -> None:
    memory = opened()
    memory.observe(seen())
    memory.settle()
    memory.observe(seen('thing', 30.0, label='', caption='rock'))

    def becomes_a_dune() -> None:
        memory.observe(seen('thing', 30.0, label='', caption='dune', stamp=20.0))

    remote.meanwhile = becomes_a_dune
    memory.maintain()
    remote.meanwhile = lambda: None
    memory.settle()
    assert vectors(tmp_path)[1] == pytest.approx(np.array([0, 1]))


def test_areas_follow_what_they_hold(
    opened: Callable[..., SpatialMemory], remote: Remote, seen: See, tmp_path: Path
) -> None:
    memory = opened()
    memory.observe(seen('rock', 1.0))
    memory.observe(seen('dune', 3.0, label='dune', caption='sand'))
    memory.settle()
    store = SqliteStore(tmp_path / 'memory.sqlite')
    (area,) = store.nodes(Scope(levels=(1, 5)))
    assert store.vectors([area.node_id])[0] == pytest.approx(np.array([0.5, 0.5]) ** 0.5)
    store.close()


class Loaded(FakeEmbedder):
    """A local model that tells what it was loaded for. It knows that a boulder is a rock."""

    def __init__(self, model: str = 'loaded') -> None:
        super().__init__(('rock', 'dune'), model)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return super().embed([text.replace('boulder', 'rock') for text in texts])


def test_a_local_model_that_is_waited_with_is_loaded_by_the_first_question_and_knows_all_then(
    tmp_path: Path, seen: See
) -> None:
    store, own = SqliteStore(tmp_path / 'memory.sqlite'), Loaded()
    memory = SpatialMemory(store, own, lambda: 100.0, is_lazy=True)
    memory.observe(seen('Bishop', label='', caption='a layered rock'))
    assert memory.settle() == ''
    assert own.asked == []
    found = memory.recall(Query(text='a boulder'))
    assert led_to(found) == 'Bishop'
    assert 'By words alone' not in found.reason
    memory.observe(seen('Queen', 30.0, label='', caption='a yellow dune'))
    assert vectors(tmp_path) == pytest.approx(np.array([[1, 0], [0, 1]]))


def test_where_no_vector_can_be_written_the_first_question_is_answered_too(
    tmp_path: Path, seen: See, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise StoreUnusableError('The disk is full.')

    store = SqliteStore(tmp_path / 'memory.sqlite')
    memory = SpatialMemory(store, Loaded(), lambda: 100.0, is_lazy=True)
    memory.observe(seen('Bishop', label='', caption='a layered rock'))
    monkeypatch.setattr(store, 'writing', fail)
    found = memory.recall(Query(text='layered rock'))
    assert found.target is not None


def test_a_question_to_a_memory_with_vectors_of_another_model_makes_them_anew_at_once(
    tmp_path: Path, seen: See
) -> None:
    before = SpatialMemory(SqliteStore(tmp_path / 'memory.sqlite'), Loaded('old'), lambda: 100.0)
    before.observe(seen('Bishop', label='', caption='a layered rock'))
    before.close()
    own, store = Loaded(), SqliteStore(tmp_path / 'memory.sqlite')
    memory = SpatialMemory(store, own, lambda: 100.0, is_lazy=True)
    assert memory.settle() == ''
    assert store.meta('embedder') == 'old'
    found = memory.recall(Query(text='a boulder'))
    assert found.target is not None
    assert 'By words alone' not in found.reason
    assert store.meta('embedder') == 'loaded'


def test_a_memory_that_waits_does_not_wait_with_a_model_somewhere_else(
    tmp_path: Path, remote: Remote, seen: See
) -> None:
    store = SqliteStore(tmp_path / 'memory.sqlite')
    memory = SpatialMemory(store, remote, lambda: 100.0, is_lazy=True)
    memory.observe(seen())
    assert memory.settle() != ''
    assert remote.asked != []
