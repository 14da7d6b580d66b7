"""What helps whoever asks; and what is asked for by what it does, or what lies beside it."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.typing import NDArray
import pytest
from remembered_worlds import asked, led_to, memory_of

from bench.models.needs_fit import fitted
from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import RecallOutcome
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
from embodied_nav.spatial_memory import SpatialMemory, open_memory
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
@pytest.mark.slow
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
    *("I've been on my feet since dawn", 'my fingers are numb with cold'),
    *('上着がびしょぬれで寒い', '指を切ってしまった', '手机快没电了', 'me muero de hambre'),
)
NAMES = (
    *('the layered rock that can sing', 'where is the sleeping guard'),
    *('take me to the wet boat', 'ドック', '空洞の岩が欲しい', '我想去空心的石头'),
    *('la roca hueca', 'fahr zu dem nassen Boot'),
)


@pytest.mark.parametrize('text', NEEDS)
def test_who_says_what_is_the_matter_names_nothing(term_vectors: TermVectors, text: str) -> None:
    assert parse_query(text, is_need=term_vectors.needs.is_stated_in(text)).is_implied


@pytest.mark.parametrize('text', NAMES)
def test_what_is_named_is_no_need(term_vectors: TermVectors, text: str) -> None:
    asked = parse_query(text, is_need=term_vectors.needs.is_stated_in(text))
    assert asked.is_implied == parse_query(text).is_implied


def test_another_model_knows_of_no_need() -> None:
    assert not TermVectors(None).needs.is_stated_in(NEEDS[0])


@pytest.mark.slow
def test_the_weights_are_those_of_the_training_questions(term_vectors: TermVectors) -> None:
    np.testing.assert_allclose(np.load(WEIGHTS)['weights'], fitted(), atol=0.01)


NOW = 1000.0
# name: class, x, y, caption, seen last s ago
THINGS = {
    'mule': ('horse', 0.0, 0.0, 'a grey mare with a saddle', 300.0),
    'stone_lion': ('statue', 60.0, 0.0, 'a statue of a lion', 10.0),
    'porch': ('chair', 120.0, 0.0, 'a wicker chair by the gate', 20.0),
    'way_in': ('gate', 124.0, 0.0, 'iron bars with a latch', 20.0),
    'mower': ('lawn mower', 180.0, 0.0, 'a lawn mower with a dull blade', 20.0),
    'petrol': ('fuel can', 240.0, 0.0, 'a can of petrol', 20.0),
    'grinder': ('mill', 300.0, 0.0, 'it grinds coffee beans to powder', 20.0),
    'silver_cup': ('cup', 360.0, 0.0, 'a silver cup on a shelf', 20.0),
}


@pytest.fixture(scope='module')
def garden() -> Iterator[SpatialMemory]:
    memory = open_memory(':memory:', clock=lambda: NOW)
    for name, (label, x, y, caption, age) in THINGS.items():
        memory.observe(
            Observation(
                name=name, label=label, caption=caption, position=(x, y, 0.0), stamp=NOW - age
            )
        )
    memory.settle()
    yield memory
    memory.close()


@pytest.mark.parametrize(
    ('text', 'name'),
    [
        ('drive to the gate', 'way_in'),  # and not to the chair by the gate
        ('带我去大门', 'way_in'),
        ('the chair by the gate', 'porch'),
        ('the animal', 'mule'),  # and not the statue of one
        ('最後に見た動物', 'mule'),
        ('the last animal you saw', 'mule'),
        ('the statue of a lion', 'stone_lion'),
        ('the machine that grinds coffee', 'grinder'),
        ('コーヒー豆をひく機械', 'grinder'),
        ('the can of petrol', 'petrol'),
        ('where is the lawn mower', 'mower'),
    ],
)
def test_a_thing_is_what_it_is_called(garden: SpatialMemory, text: str, name: str) -> None:
    assert led_to(asked(garden, text)) == name


def test_what_a_question_is_about_is_not_what_it_asks_for(garden: SpatialMemory) -> None:
    found = asked(garden, 'the mower is out of fuel')
    assert found.hits[0].name == 'petrol'


def test_a_name_of_which_nobody_said_a_word_is_only_offered(garden: SpatialMemory) -> None:
    found = asked(garden, 'a bronze medal')
    assert found.outcome is not RecallOutcome.FOUND


@pytest.mark.slow
def test_of_two_that_lie_as_near_the_nearest_is_told_and_the_other_named() -> None:
    places = {'well': 0.0, 'bucket': 4.0, 'trough': -4.1}
    memory = memory_of({name: (name, x, 0.0, '') for name, x in places.items()})
    found = asked(memory, 'what is next to the well?')
    assert led_to(found) == 'bucket'
    assert 'Nearly as near: trough' in found.reason
    memory.close()


@pytest.mark.parametrize('text', ['I have no ticket', 'we still have no blanket', '我还没有船票'])
def test_what_somebody_lacks_is_what_is_wanted(text: str) -> None:
    query = parse_query(text)
    assert query.is_implied
    assert query.terms
    assert not query.excluded


IMPLIED = (
    *('where could we sit in the shade?', 'somewhere to hide from the sun'),
    *('雨宿りできる場所', '哪里可以躲雨', 'my wallet is gone', 'somebody has cut his finger'),
    *('喉が渇いた', 'コーヒーを飲みたい', '有人受伤了', 'the machine that makes ice'),
    *('the tool with which wood is cut', 'which vehicle carries the luggage'),
    *('the device used to weigh parcels', 'where does the night guard sleep'),
    *('where are the keys kept', '雪を運ぶ乗り物', '割核桃的工具', '切菜用的刀'),
)
BY_WHAT_IT_IS = (
    *('where is the red rock?', 'is there a cinema here', 'the crane whose hook is broken'),
    *('the tractor is haunted', 'テントはどこにありますか', '昨日見た岩', '你看到了岩石'),
    *('the machine that is red', 'the vehicle that has a flat tyre'),
    *('where does the rock sit', 'where are the parked cars', 'where is the rusted barrel'),
    *('窓がある部屋', '红色的东西'),
)


@pytest.mark.parametrize(
    ('text', 'is_implied'),
    [*((each, True) for each in IMPLIED), *((each, False) for each in BY_WHAT_IT_IS)],
)
def test_what_it_is_good_for_is_no_name(text: str, is_implied: bool) -> None:
    assert parse_query(text).is_implied is is_implied


@pytest.mark.slow
def test_whoever_wants_to_sit_down_needs_no_certain_bench() -> None:
    where = 'in the shade of an oak', 'beside a pond', 'facing the runway', 'with peeling paint'
    memory = memory_of(
        {f'bench_{at}': ('bench', 40.0 * at, 0.0, f'a bench {each}')
         for at, each in enumerate(where)}
    )  # fmt: skip
    recall = asked(memory, 'I want to sit down for a while')
    memory.close()
    assert recall.outcome is RecallOutcome.FOUND
