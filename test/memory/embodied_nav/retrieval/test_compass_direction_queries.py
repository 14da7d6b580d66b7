"""What lies farthest to a side or nearest to a landmark, as people ask for it in 11 languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from remembered_worlds import Things, asked, led_to, memory_of

from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import RecallOutcome
from embodied_nav.retrieval.compass_direction_queries import Farthest, parse_farthest
from embodied_nav.retrieval.landmark_queries import Relation, parse_relation
from embodied_nav.spatial_memory import SpatialMemory

PARK: Things = {
    'pond': ('pond', 0.0, 0.0, 'a round pond with carp'),
    'green': ('bench', 6.0, 0.0, 'a green bench'),
    'blue': ('bench', 0.0, 40.0, 'a blue bench'),
    'bin': ('trash bin', -20.0, 2.0, 'a bin for paper'),
    'statue': ('statue', 1.0, -30.0, 'a bronze statue of a poet'),
    'lamp': ('lamp', 4.0, 43.0, 'a tall lamp'),
    'hut': ('hut', 60.0, -5.0, 'a wooden hut'),
}


@pytest.fixture(scope='module')
def park() -> Iterator[SpatialMemory]:
    memory = memory_of(PARK)
    yield memory
    memory.close()


@pytest.mark.parametrize(
    ('text', 'name'),
    [
        ('which bench is further north', 'blue'),
        ('go to the more southerly of the two benches', 'green'),
        ('out of the benches, take me to whichever is furthest east', 'green'),
        ('the northernmost bench', 'blue'),
        ('the more northerly of the benches', 'blue'),
        ('the thing furthest east in the whole park', 'hut'),
        ('一番東にあるのは何', 'hut'),
        ('what is the furthest thing to the west', 'bin'),
        ('which thing lies farthest to the south', 'statue'),
        ('いちばん北のベンチ', 'blue'),
        ('最も東にあるものは何ですか', 'hut'),
        ('この中でいちばん西に置いてあるもの', 'bin'),
        ('最南端にあるものを見せて', 'statue'),
        ('最北边的长椅', 'blue'),
        ('哪张长椅最靠南', 'green'),
        ('最东头是什么', 'hut'),
        ('两张长椅里，哪张更靠北一些', 'blue'),
        ('el banco más al norte', 'blue'),
        ("quelle lampe est la plus à l'est", 'lamp'),
        ('la panchina più a sud', 'green'),
        ('o banco mais ao norte', 'blue'),
        ('de noordelijkste lamp', 'lamp'),
        ('что находится южнее всего', 'statue'),
        ('ławka najbardziej na północ', 'blue'),
        ('제일 서쪽에 있는 것', 'bin'),
        ('which bench is nearer the lamp', 'blue'),
        ('of the two benches, I want whichever is closer to the pond', 'green'),
        ('the bench that has a lamp beside it', 'blue'),
        ('a bench with the pond next to it', 'green'),
        ('what is the lamp standing next to', 'blue'),
        ('what stands a few steps west of the lamp', 'blue'),
        ('what is immediately south of the lamp', 'green'),
        ('池のいちばん近くにあるもの', 'green'),
        ('街灯のすぐ隣に置いてあるもの', 'blue'),
        ('池の東隣にあるもの', 'green'),
        ('池より北にあるベンチ', 'blue'),
        ('哪张长椅离池塘近一些', 'green'),
        ('离池塘最近的是什么', 'green'),
        ('紧挨着池塘的是什么', 'green'),
        ('池塘旁边是哪张长椅', 'green'),
        ('池塘以北离它最近的是什么', 'blue'),
        ('el banco más cercano al estanque', 'green'),
        ('ławka obok stawu', 'green'),
    ],
)
def test_where_things_lie_decides(park: SpatialMemory, text: str, name: str) -> None:
    assert led_to(asked(park, text)) == name


@pytest.mark.parametrize(
    'text',
    [
        'the bench nearest the observatory',  # nothing like it is known
        '离天文台最近的长椅',
        'the northernmost velvet bench',
        'いちばん北の空洞のベンチ',
        'the bench furthest north that is red',
        'the westernmost of the trams',
        'het noordelijkste bankje',  # what it may be is a guess
        'which of the two lamps is further north',  # one is known
        'which of the two lamps is nearer the pond',
        '两盏路灯里，哪盏离池塘近一些',
    ],
)
def test_what_is_not_known_stays_a_question(park: SpatialMemory, text: str) -> None:
    found = asked(park, text)
    assert found.outcome in (RecallOutcome.AMBIGUOUS, RecallOutcome.ABSENT), found.reason
    assert found.target is None


@pytest.mark.slow
def test_two_that_lie_as_far_are_a_question() -> None:
    memory = memory_of({**PARK, 'grey': ('bench', 30.0, 40.3, 'a grey bench')})
    found = asked(memory, 'the northernmost bench')
    memory.close()
    assert found.outcome is RecallOutcome.AMBIGUOUS
    assert {hit.name for hit in found.hits[:2]} == {'grey', 'blue'}


def test_what_lies_in_another_map_cannot_be_compared(seen: Callable[..., Observation]) -> None:
    memory = memory_of(PARK)
    memory.observe(seen('old', 0.0, -90.0, label='bench', caption='a grey bench', map_epoch=7))
    assert asked(memory, 'the southernmost bench').outcome is RecallOutcome.AMBIGUOUS
    memory.close()


@pytest.mark.parametrize(
    'text',
    [
        *('go further north', 've más al norte', 'もっと北へ行って', '再往北走'),
        *('the bench north of the pond', 'further north of the pond is a bench'),
        *('drive to the north gate', 'the most beautiful bench', 'le banc est vert'),
        *('吃东西的地方', '最新的长椅'),
    ],
)
def test_no_side_is_read_into_other_words(text: str) -> None:
    assert parse_farthest(text) is None


@pytest.mark.parametrize(
    'text', ['有人在吃东西的地方', 'a rock of the north rim', 'o banco do sul']
)
def test_no_landmark_is_read_into_other_words(text: str) -> None:
    assert parse_relation(text) is None


@pytest.mark.parametrize(
    ('text', 'farthest'),
    [
        ('die nördlichste Bank', Farthest('die Bank', 'north')),
        ('welche Bank steht am weitesten im Osten', Farthest('welche Bank steht', 'east')),
        ('welke bank staat verder naar het zuiden', Farthest('welke bank staat', 'south')),
        ('самая северная скамейка', Farthest('скамейка', 'north')),
        ('której ławki najdalej na zachód', Farthest('której ławki', 'west')),
        ('le banc le plus au nord-est', Farthest('le banc le', 'northeast')),
    ],
)
def test_farthest_in_other_languages(text: str, farthest: Farthest) -> None:
    assert parse_farthest(text) == farthest


@pytest.mark.parametrize(
    ('text', 'target', 'landmark', 'direction', 'nearest'),
    [
        ('le banc à côté de la mare', 'le banc', 'la mare', '', False),
        ('die Bank neben dem Teich', 'die Bank', 'dem Teich', '', False),
        ('welche Bank ist dem Teich am nächsten', 'welche Bank', 'dem Teich', '', True),
        ('die Bank südlich vom Teich', 'die Bank', 'Teich', 'south', False),
        ('скамейка рядом с прудом', 'скамейка', 'прудом', '', False),
        ('скамейка к северу от пруда', 'скамейка', 'пруда', 'north', False),
        ('de bank ten zuiden van de vijver', 'de bank', 'de vijver', 'south', False),
        ('연못에서 가장 가까운 벤치', '벤치', '연못', '', True),
        ('연못 북쪽에 있는 벤치', '벤치', '연못', 'north', False),
        ('il cestino più vicino alla panchina', 'il cestino', 'panchina', '', True),
    ],
)
def test_landmarks_in_other_languages(
    text: str, target: str, landmark: str, direction: str, nearest: bool
) -> None:
    assert parse_relation(text) == Relation(target, (landmark,), direction, nearest=nearest)


def test_the_words_of_how_many_are_left_out() -> None:
    assert parse_farthest('which of the two jars is further east') == Farthest(
        'which jars', 'east', among_several=True
    )
