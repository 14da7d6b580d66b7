"""The vectors of single words: kept in RAM, the oldest make room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

from fakes.models import FakeEmbedder
import numpy as np
from numpy.typing import NDArray
import pytest

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.embedding.vector_index import Index
from embodied_nav.observation import Observation
from embodied_nav.spatial_memory import SpatialMemory
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.llm.model_errors import ModelError


def test_the_most_alike_word_counts_and_unknown_ones_do_not() -> None:
    term_vectors = TermVectors(FakeEmbedder(('rock', 'dune')))
    term_vectors.learn(term_vectors.missing(['rock', 'dune', 'rock dune']))
    found = term_vectors.max_cosines(
        ['rock', 'cairn'], [['dune', 'rock dune'], ['dune'], ['cairn'], []]
    )
    assert found[:, 0] == pytest.approx([0.5**0.5, 0.0, 0.0, 0.0], abs=1e-3)
    assert not found[:, 1].any()


def test_the_oldest_words_make_room() -> None:
    term_vectors = TermVectors(FakeEmbedder(('a', 'b', 'c')), max_terms=2)
    for each in ('a', 'b', 'c'):
        term_vectors.learn([each])
    assert term_vectors.missing(['a', 'b', 'c']) == ['a']
    assert term_vectors.max_cosines(['c'], [['c'], ['b']])[:, 0] == pytest.approx([1.0, 0.0])


@pytest.mark.slow
def test_words_of_things_are_learned_while_there_is_room(
    seen: Callable[..., Observation],
) -> None:
    embedder = FakeEmbedder(('dune', 'rock', 'vein'))
    store = SqliteStore(Path(':memory:'))
    memory = SpatialMemory(store, embedder, lambda: 100.0)
    for at, name in enumerate(('dune', 'rock', 'vein')):
        memory.observe(seen(name, 10.0 * at))
    index = Index(store, embedder)
    index.term_vectors = TermVectors(embedder, max_terms=1)
    assert index.learn_terms(nullcontext())
    assert index.learn_terms(nullcontext()) == ''
    memory.close()


def test_a_model_that_is_silent_or_far_away_costs_the_meanings_only() -> None:
    class Silent(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            raise ModelError('nobody answers.')

    silent, far = TermVectors(Silent(('a',))), TermVectors(FakeEmbedder(('a',), is_local=False))
    for each in (silent, far):
        each.learn_if_local(['a'], 5)
        assert each.missing(['a']) == ['a']
    with pytest.raises(ModelError):
        silent.learn(['a'])
