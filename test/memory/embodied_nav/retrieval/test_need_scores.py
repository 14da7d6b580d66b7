"""What helps whoever asks: only the needs that the question speaks of most are looked at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.typing import NDArray
import pytest

from bench.models.needs_fit import fitted
from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.retrieval.needs import (
    DECAY,
    MIN_COSINE,
    NEAREST,
    WEIGHTS,
    Needs,
    _needs,
    need_texts,
)
from embodied_nav.retrieval.parsed_query import parse_query
from rover_common.llm.sentence_encoder import sentence_encoder

WIDTH = 8


@pytest.fixture(scope='module')
def term_vectors() -> TermVectors:
    return TermVectors(sentence_encoder())


def plain_helping(
    rows: NDArray[np.float32], vector: NDArray[np.float32], things: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What `Needs.scores` says of things without classes, need by need and thing by thing."""
    left = iter(rows)
    says = [[next(left) for _ in some] for some, _ in _needs()]
    helps = [[next(left) for _ in some] for _, some in _needs()]
    spoken = [max(float(each @ vector) for each in some) for some in says]
    nearest = sorted(range(len(spoken)), key=lambda each: -spoken[each])[:NEAREST]
    shares = np.exp([(spoken[each] - spoken[nearest[0]]) / DECAY for each in nearest])
    gates = [max(0.0, spoken[each] - MIN_COSINE) for each in nearest]
    most, over_all = [], []
    for thing in things:
        cosines = [float(row @ thing) for row in np.concatenate(helps)]
        by_need, at = [], 0
        for some in helps:
            by_need.append(max(max(each, each / 2.0) for each in cosines[at : at + len(some)]))
            at += len(some)
        need_scores = np.array([by_need[each] for each in nearest])
        most.append(max(gate * each for gate, each in zip(gates, need_scores, strict=True)))
        over_all.append(gates[0] * float(shares @ need_scores) / float(shares.sum()))
    return np.array(most, np.float32), np.array(over_all, np.float32)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_what_helps_is_what_a_look_at_all_needs_finds(seed: int, things_there: int) -> None:
    chance = np.random.default_rng(seed)

    def unit(count: int) -> NDArray[np.float32]:
        made = chance.normal(size=(count, WIDTH)).astype(np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made

    rows, vector, things = unit(len(need_texts())), unit(1)[0], unit(things_there)
    found = Needs(rows).scores(vector, things, np.zeros_like(things))
    for mine, plain in zip(found, plain_helping(rows, vector, things), strict=True):
        np.testing.assert_allclose(mine, plain, atol=1e-5)


NEEDS = (
    "I've been on my feet since dawn",
    'my fingers are numb with cold',
    '上着がびしょぬれで寒い',
    '指を切ってしまった',
    '手机快没电了',
    'me muero de hambre',
)
NAMES = (
    'the layered rock that can sing',
    'where is the sleeping guard',
    'take me to the wet boat',
    'ドック',
    '空洞の岩が欲しい',
    '我想去空心的石头',
    'la roca hueca',
    'fahr zu dem nassen Boot',
)


@pytest.mark.parametrize('text', NEEDS)
def test_who_says_what_is_the_matter_names_nothing(term_vectors: TermVectors, text: str) -> None:
    assert parse_query(text, is_need=term_vectors.states_need(text)).is_implied


@pytest.mark.parametrize('text', NAMES)
def test_what_is_named_is_no_need(term_vectors: TermVectors, text: str) -> None:
    asked = parse_query(text, is_need=term_vectors.states_need(text))
    assert asked.is_implied == parse_query(text).is_implied


def test_another_model_knows_of_no_need() -> None:
    assert not TermVectors(None).states_need(NEEDS[0])


@pytest.mark.slow
def test_the_weights_are_those_of_the_training_questions(term_vectors: TermVectors) -> None:
    np.testing.assert_allclose(np.load(WEIGHTS)['weights'], fitted(), atol=0.01)
