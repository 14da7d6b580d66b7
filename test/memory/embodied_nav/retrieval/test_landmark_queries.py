"""Things that are asked for by what they lie beside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from remembered_worlds import Things, asked, led_to, memory_of

from embodied_nav.embodied_retriever import EmbodiedRetriever, Retrieved
from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.retrieval.candidate_ranking import EncodedQuery
from embodied_nav.retrieval.landmark_queries import Relation, parse_relation
from embodied_nav.service_messages import query_of
from embodied_nav.spatial_memory import SpatialMemory
from rover_common.geometry.transforms import Transform


@pytest.mark.parametrize(
    ('text', 'relation'),
    [
        ('the red rock north of the crater', Relation('the red rock', ('the crater',), 'north')),
        ('a vein next to the cairn?', Relation('a vein', ('the cairn',))),
        (
            'Where is the rock about 20 m to the east of base camp?',
            Relation('Where is the rock', ('base camp',), 'east', 20.0),
        ),
        (
            'the cobble on the western side of the dune',
            Relation('the cobble', ('the dune',), 'west'),
        ),
        ('クレーターの北にある赤い岩', Relation('赤い岩', ('クレーター',), 'north')),
        ('砂丘の隣の岩', Relation('岩', ('砂丘',))),
        ('the rock north-east of the well', Relation('the rock', ('the well',), 'northeast')),
        (
            'the bench between the pond and the gate',
            Relation('the bench', ('the pond', 'the gate')),
        ),
        ('池と門の間にあるベンチ', Relation('ベンチ', ('池', '門'))),
        ('岩から20m北の砂', Relation('砂', ('岩',), 'north', 20.0)),
        ('池の北東にあるベンチ', Relation('ベンチ', ('池',), 'northeast')),
        ('池塘东北边的长椅', Relation('长椅', ('池塘',), 'northeast')),
        ('离池塘最近的长椅', Relation('长椅', ('池塘',), nearest=True)),
        ('クレーターに一番近い岩', Relation('岩', ('クレーター',), nearest=True)),
        (
            'クレーターからいちばん近いものは何',
            Relation('ものは何', ('クレーター',), nearest=True),
        ),
        ('砂丘のすぐ隣は？', Relation('', ('砂丘',), nearest=True)),
        ('池の東隣は誰のベンチ', Relation('誰のベンチ', ('池',), 'east')),
        ('喷泉南边紧挨着的是什么', Relation('是什么', ('喷泉',), 'south', nearest=True)),
        ('池塘以北离它最近的是什么', Relation('是什么', ('池塘',), 'north', nearest=True)),
        ('喷泉和雕像之间的长椅', Relation('长椅', ('喷泉', '雕像'))),
        ('tell me the closest thing to the well', Relation('thing', ('the well',), nearest=True)),
        (
            'welches Fass liegt näher am Tor',
            Relation('welches Fass liegt', ('Tor',), nearest=True),
        ),
        ('Was liegt am nächsten beim Tor', Relation('Was liegt', ('Tor',), nearest=True)),
        ('what is north of the hall and is red', Relation('red', ('the hall',), 'north')),
        ('a rock near me', None),
        ('a rock of the north rim', None),
        ('near the crater', None),
        ('', None),
    ],
)
def test_a_question_is_cut_at_its_word_of_place(text: str, relation: Relation | None) -> None:
    assert parse_relation(text) == relation


FIELD: Things = {
    'crater': ('crater', 50.0, 50.0, 'a small crater'),
    'rock_n': ('rock', 50.0, 58.0, 'a red rock'),
    'rock_e': ('rock', 57.0, 50.0, 'a red rock'),
    'rock_far': ('rock', 50.0, 75.0, 'a red rock'),
    'rock_away': ('rock', 9.0, 9.0, 'a red rock'),
}


@pytest.fixture(scope='module')
def field() -> Iterator[SpatialMemory]:
    memory = memory_of(FIELD)
    yield memory
    memory.close()


@pytest.mark.parametrize(
    ('text', 'name'),
    [
        ('the red rock north of the crater', 'rock_n'),
        ('the red rock east of the crater', 'rock_e'),
        ('the red rock 25 m north of the crater', 'rock_far'),
        ('the red rock next to the crater', 'rock_e'),
        ('the crater south of the red rock', 'crater'),
        ('what is north of the crater?', 'rock_n'),
        ('陨石坑北边的石头', 'rock_n'),
        ('クレーターの東にある岩', 'rock_e'),
        ('the red rock closest to the crater', 'rock_e'),
        ('what is nearest to the crater?', 'rock_e'),
        ('离陨石坑最近的是什么', 'rock_e'),
        ('陨石坑北边紧挨着的是什么', 'rock_n'),
        ('クレーターのすぐ隣は何ですか', 'rock_e'),
    ],
)
def test_where_it_lies_decides(field: SpatialMemory, text: str, name: str) -> None:
    hits = field.recall(Query(text=text)).hits
    assert hits[0].name == name


def test_the_nearest_of_all_may_lie_far_away(
    memory: SpatialMemory, seen: Callable[..., Observation]
) -> None:
    memory.observe(seen('crater', 0.0, 0.0, label='crater', caption='a small crater'))
    memory.observe(seen('hut', 600.0, 0.0, label='hut', caption='a wooden hut'))
    memory.observe(seen('mast', 0.0, 700.0, label='mast', caption='a steel mast'))
    # It is not the crater itself.
    assert led_to(memory.recall(Query(text='what is nearest to the crater?'))) == 'hut'


@pytest.mark.slow
@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('how many rocks are north of the crater?', 'abc'),
        ('how many rocks are near the crater?', 'a'),
        ('the last rock you saw north of the crater', 'cba'),
        ('the northernmost rock north of the crater', 'cba'),
        ('the rock north of the crater', 'a'),  # one is meant
    ],
)
def test_all_that_lie_in_a_direction_are_counted_and_compared(
    memory: SpatialMemory, seen: Callable[..., Observation], text: str, names: str
) -> None:
    memory.observe(seen('Bowl', 0.0, 0.0, label='crater', caption='a small crater'))
    for name, y, stamp in (('a', 5.0, 10.0), ('b', 15.0, 20.0), ('c', 140.0, 30.0)):
        memory.observe(seen(name, 0.0, y, label='rock', caption='a red rock', stamp=stamp))
    found = memory.recall(Query(text=text))
    assert [hit.name for hit in found.hits if hit.label == 'rock'] == [*names]


@pytest.mark.slow
@pytest.mark.parametrize('side', ['north', 'east', 'south', 'west'])
def test_what_lies_at_a_landmark_lies_in_no_direction_of_it(
    memory: SpatialMemory, seen: Callable[..., Observation], side: str
) -> None:
    memory.observe(seen('base camp', 0.0, 0.0, label='place', caption='', writer='operator'))
    memory.observe(seen('charger', 0.0, 0.0, label='place', caption='', writer='operator'))
    assert memory.recall(Query(text=f'what is {side} of base camp?')).target is None
    assert memory.recall(Query(text='what is next to base camp?')).target is not None


@pytest.mark.slow
def test_the_nearest_of_many_need_not_be_the_likest(
    memory: SpatialMemory, seen: Callable[..., Observation]
) -> None:
    memory.observe(seen('Bowl', 0.0, 0.0, label='crater', caption='a small crater'))
    memory.observe(seen('Coal', 12.0, 0.0, caption='a grey boulder of basalt, full of holes'))
    for number in range(25):
        memory.observe(seen(f'rock {number}', 16.0, number - 12.0, caption='a rock'))
    assert led_to(memory.recall(Query(text='the rock nearest to the crater'))) == 'Coal'


def test_without_such_a_landmark_the_words_decide(field: SpatialMemory) -> None:
    found = field.recall(Query(text='the red rock north of the parachute', kind='implicit'))
    assert {hit.name.partition('_')[0] for hit in found.hits} <= {'rock'}


def test_around_what_is_only_offered_is_not_looked_far(
    field: SpatialMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes = []
    retrieve = EmbodiedRetriever.retrieve

    def counted(self: EmbodiedRetriever, question: EncodedQuery, *others: Any) -> Retrieved:
        boxes.append(question.scope.within)
        return retrieve(self, question, *others)

    monkeypatch.setattr(EmbodiedRetriever, 'retrieve', counted)
    found = field.recall(Query(text='the green rock beside the blue crater'))
    assert found.outcome is RecallOutcome.AMBIGUOUS
    assert found.hits[0].name in ('rock_e', 'rock_n')
    assert [box for box in boxes if box] == [(40.0, 40.0, 60.0, 60.0), (20.0, 20.0, 80.0, 80.0)]


@pytest.mark.parametrize(
    'text',
    ['which red rock is closest to the crater?', '离陨石坑最近的石头', 'クレーターに一番近い岩'],
)
def test_the_nearest_one_is_not_one_of_several(field: SpatialMemory, text: str) -> None:
    # Another lies only 1 m farther away.
    assert led_to(asked(field, text)) == 'rock_e'


@pytest.mark.slow
def test_a_landmark_with_nothing_else_that_fits_does_not_lie_in_another_map(
    memory: SpatialMemory, seen: Callable[..., Observation]
) -> None:
    memory.observe(seen('Coal', 14.0, -2.5, caption='a black boulder'))
    found = memory.recall(Query(text='the bridge beside Coal', frame_id='map', map_epoch=0))
    assert found.outcome is not RecallOutcome.OUT_OF_MAP


@pytest.mark.parametrize('text', ['the near rock', 'go to the near crater', 'an opposite wall'])
def test_a_thing_that_is_near_is_not_what_lies_near_it(text: str) -> None:
    assert parse_relation(text) is None


@pytest.mark.parametrize(
    ('text', 'nearest_to_robot'),
    [
        ('the nearest rock', True),
        ('the rock nearest to the crater', False),
        ('一番近い岩', True),
        ('クレーターの近くの岩', False),
        ('最近的石头', True),
        ('离陨石坑最近的石头', False),
    ],
)
def test_nearest_to_a_landmark_is_not_nearest_to_the_robot(
    text: str, nearest_to_robot: bool
) -> None:
    request = SimpleNamespace(text=text, method='', max_age_s=0.0)
    query = query_of(request, Transform(x=1.0, y=2.0), 10.0, 'map', 0)
    assert (query.near is not None) is nearest_to_robot
