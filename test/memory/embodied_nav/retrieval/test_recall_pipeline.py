"""A small store is no reason to be sure, and any question has an answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st
import pytest
from remembered_worlds import NOW, PLAIN, Things, asked, led_to, memory_of

from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.retrieval.candidate_ranking import OFFERED
from embodied_nav.spatial_memory import SpatialMemory

NEVER_SAID = st.sampled_from(
    (
        *('green', 'hollow', 'dinosaur', 'gold', 'wooden', 'purple', 'melted', 'glass'),
        *('fifth', 'Wanaka', 'striped', '7', '12', 'biggest'),
    )
)
ROCKS = tuple(islice(({name: thing} for name, thing in PLAIN.items()), 3))


@pytest.mark.slow
@pytest.mark.parametrize('count', [1, 2, 3])
@given(
    word=NEVER_SAID, ends=st.sampled_from(['the {} rock', '{} rocks', 'a rock, {}', 'a {} thing'])
)
def test_a_small_store_is_no_reason_to_be_sure(count: int, word: str, ends: str) -> None:
    few = {name: thing for each in ROCKS[:count] for name, thing in each.items()}
    memory = memory_of(few)
    found = asked(memory, ends.format(word))
    memory.close()
    assert found.target is None
    assert all(hit.probability <= OFFERED for hit in found.hits)


@pytest.mark.slow
def test_what_lies_elsewhere_or_is_gone_must_carry_the_words_too() -> None:
    memory = memory_of(PLAIN)
    red = asked(memory, 'the red rock').target
    assert red is not None
    memory.retract(red.node_id, 'not seen', NOW)
    assert 'found to be gone' in asked(memory, 'the red rock').reason
    assert 'found to be gone' not in asked(memory, 'the green rock').reason
    other = memory.recall(Query(text='the green rock', map_epoch=7))
    assert other.outcome is not RecallOutcome.OUT_OF_MAP
    memory.close()


@pytest.mark.parametrize('text', ['', '?', 'where is it?', 'not the red one', 'そこ', '在哪里'])
def test_a_question_that_names_nothing_finds_nothing(text: str) -> None:
    memory = memory_of({'Bishop': PLAIN['Bishop']})
    assert asked(memory, text).target is None
    memory.close()


@pytest.mark.parametrize('text', ['rock', 'the striped rock', '赤い岩', 'la roca roja'])
def test_nothing_is_remembered_yet(text: str) -> None:
    memory = memory_of({})
    assert asked(memory, text).outcome is RecallOutcome.ABSENT
    memory.close()


@pytest.mark.slow
@given(st.text(max_size=40))
def test_any_question_has_an_answer(text: str) -> None:
    memory = memory_of({'Bishop': PLAIN['Bishop']})
    assert asked(memory, text).reason
    memory.close()


YARD: Things = {
    'statue': ('statue', 0, 0, 'a bronze statue of a man reading a book'),
    'ice': ('ice machine', 12, 0, '発泡スチロール箱の横にある大きな製氷機'),
    'recycling': ('bin', 24, 0, 'a blue recycling bin filled with flattened cardboard'),
    'bin': ('trash bin', 24, 12, 'an overflowing grey trash bin beside a path'),
    'closed bin': ('trash bin', 36, 12, 'a green trash bin with a closed lid'),
    'pickup': ('pickup', 36, 0, 'a dark red pickup truck loaded with ropes'),
    'van': ('van', 48, 0, 'a white delivery van with its rear doors open'),
    'overturned': ('boat', 60, 0, 'an overturned wooden rowing boat with peeling paint'),
    'sailing': ('boat', 72, 0, 'a white sailboat resting on a trailer'),
    'flat': ('forklift', 84, 0, 'a green forklift with a flat front tyre'),
    'forklift': ('forklift', 96, 0, 'an orange forklift beside wooden pallets'),
    'rusty': ('oil drum', 0, 24, 'a rusty oil drum lying on its side'),
    'blue': ('oil drum', 12, 24, 'a blue oil drum standing upright on a pallet'),
    'cow': ('cow', 24, 36, 'a brown cow lying on the grass'),
    'spotted cow': ('cow', 36, 36, 'a black and white cow standing in a field'),
    'scarecrow': ('scarecrow', 48, 36, 'a scarecrow wearing a straw hat'),
    'fuel': ('fuel pump', 60, 36, 'a diesel fuel pump with a grey nozzle'),
    'lamp': ('lamp post', 72, 36, 'a tall street lamp with a cracked glass cover'),
}


@pytest.fixture(scope='module')
def yard() -> Iterator[SpatialMemory]:
    memory = memory_of(YARD)
    yield memory
    memory.close()


@pytest.mark.parametrize(
    ('text', 'name'),
    [
        ('本を読んでいる銅像まで行って', 'statue'),  # two terms that are one word
        ('制冰机在哪里', 'ice'),  # no Japanese desk
        ('去那个蓝色的回收箱', 'recycling'),
        ("show me the rubbish bin that's too full", 'bin'),
        ('那辆深红色的皮卡停在哪里', 'pickup'),
        ('白色的货车在哪儿', 'van'),
        ("show me the boat that's upside down", 'overturned'),
        ('ヨットはどこに停めてあった？', 'sailing'),
        ('which forklift has the puncture?', 'flat'),
        ('パンクしていない方のフォークリフト', 'forklift'),
        ('the other oil drum, not the rusty one', 'blue'),
        ('另一头牛，不是黑白的那头', 'cow'),
        ('かかしのところまで行って', 'scarecrow'),
        ("the boat's nearly out of diesel", 'fuel'),
        ('did you pass a street light', 'lamp'),
        ('the forklift, not the one with the flat tyre', 'forklift'),
        ('the boat, not the one that is upside down', 'sailing'),
        ('list every scarecrow you have passed', 'scarecrow'),
    ],
)
def test_ordinary_words_of_an_operator_are_understood(
    yard: SpatialMemory, text: str, name: str
) -> None:
    found = asked(yard, text)
    assert found.outcome is RecallOutcome.FOUND, found.reason
    assert found.hits[0].name == name


@pytest.mark.parametrize(
    'text',
    [
        '石像まで行って',
        '洗濯機はどこ',
        '打印机在哪里',
        "show me the pickup that's upside down",
        'which van has the puncture?',
        '那辆深蓝色的皮卡停在哪里',
        'the other scarecrow, not the one with the hat',
        'the scarecrow, not the one wearing a hat',
        'did you pass a traffic light',
    ],
)
def test_what_is_said_of_nothing_there_is_not_found(yard: SpatialMemory, text: str) -> None:
    assert asked(yard, text).outcome is not RecallOutcome.FOUND


@pytest.mark.slow
@pytest.mark.parametrize(
    'others',
    [
        [(9.0, 6.0, 'rock'), (9.0, 7.0, 'barrel'), (9.0, 8.0, 'barrel')],  # a cluster is likelier
        [(8.4, 9.9, 'rock')],  # within the square around the asker, not within the circle
        [(8.0, 8.0 - 0.5 * number, 'rock') for number in range(6)],  # more than an answer names
    ],
)
def test_of_several_that_carry_each_word_the_nearest_one_is_meant(
    others: list[tuple[float, float, str]],
) -> None:
    things: Things = {f'{kind} {at}': (kind, x, y, '') for at, (x, y, kind) in enumerate(others)}
    memory = memory_of({**things, 'rock 99': ('rock', -12.0, 0.0, '')})
    found = memory.recall(Query(text='the nearest rock', near=(-1.5, 0.0, 0.0)))
    memory.close()
    assert led_to(found) == 'rock 99'


@pytest.mark.slow
@pytest.mark.parametrize('near', [None, (0.0, 0.0, 0.0)])
def test_what_carries_each_word_in_this_map_is_never_out_of_it(
    near: tuple[float, float, float] | None,
) -> None:
    memory = memory_of({'rock 2': ('rock', 0.0, -7.0, '')})
    for name, x in (('rock', 0.0), ('red rock', 1.0), ('rock one', 2.0)):
        at = (x, 3.0, 0.0)
        memory.observe(Observation(name=name, label='rock', position=at, stamp=NOW, map_epoch=1))
    memory.settle()
    found = memory.recall(Query(text='the rock', near=near, frame_id='map', map_epoch=0))
    memory.close()
    assert led_to(found) == 'rock 2'
