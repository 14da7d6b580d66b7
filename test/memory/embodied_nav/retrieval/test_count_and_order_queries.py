"""Questions for how many, for the first or last that was seen, and for what was seen when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from remembered_worlds import led_to

from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.retrieval.count_and_order_queries import QueryForm, parse_form
from embodied_nav.service_messages import recall_to_ros
from embodied_nav.spatial_memory import SpatialMemory, open_memory

Seen = Callable[..., Observation]
# name: class, when it was seen first (s; it is 100 now), caption
FIELD = {
    'boulder': ('rock', 10.0, 'a red rock'),
    'crater': ('crater', 30.0, 'a shallow crater'),
    'slab': ('rock', 50.0, 'a red rock'),
    'cobble': ('rock', 70.0, 'a grey rock'),
    'ripples': ('sand', 90.0, 'rippled sand'),
}


@pytest.mark.parametrize(
    ('text', 'form'),
    [
        ('how many red rocks are there?', QueryForm('red rocks', is_count=True)),
        ('how many rocks does the field have?', QueryForm('rocks', is_count=True)),
        ('how many rocks have we got on this hill', QueryForm('rocks', is_count=True)),
        ('how many rocks lie in the crater', QueryForm('rocks lie in the crater', is_count=True)),
        ('how many landing areas are there', QueryForm('landing', is_count=True)),
        ('how many areas are there', QueryForm('areas', is_count=True)),
        ('how many red rocks can you count altogether', QueryForm('red rocks', is_count=True)),
        ('この丘には岩がいくつありますか', QueryForm('岩', is_count=True)),
        ('うちには岩が何基ある？', QueryForm('岩', is_count=True)),
        ('城に岩はいくつありますか', QueryForm('城にある岩', is_count=True)),
        ('这座山上有几块岩石', QueryForm('岩石', is_count=True)),
        ('山谷里有多少岩石', QueryForm('山谷里的岩石', is_count=True)),
        ('营地里有几顶帐篷', QueryForm('营地里的帐篷', is_count=True)),
        ('有几门大炮', QueryForm('大炮', is_count=True)),
        ('お城の中には大砲が何門ありますか', QueryForm('お城にある大砲', is_count=True)),
        ('cuántas rocas hay', QueryForm('rocas hay', is_count=True)),
        ('combien de rochers y a-t-il', QueryForm('rochers', is_count=True)),
        ('wie viele Felsen gibt es', QueryForm('Felsen gibt es', is_count=True)),
        ('the number of craters', QueryForm('craters', is_count=True)),
        ('岩はいくつありますか', QueryForm('岩', is_count=True)),
        ('赤い岩を何個見ましたか？', QueryForm('赤い岩', is_count=True)),
        ('有多少块岩石', QueryForm('岩石', is_count=True)),
        ('你看到了几块红色的岩石？', QueryForm('你 红色的岩石', is_count=True)),
        ('the first rock you saw', QueryForm('the rock you saw', order='first')),
        ('which rock did you see last?', QueryForm('which rock', order='last')),
        ('the last red rock that you saw', QueryForm('the red rock that you saw', order='last')),
        ('the most recent rock', QueryForm('the rock', order='last')),
        ('最初に見た岩', QueryForm('岩', order='first')),
        ('最後に見た岩はどこ', QueryForm('岩はどこ', order='last')),
        ('最先看到的岩石', QueryForm('岩石', order='first')),
        ('最后看到的岩石在哪里', QueryForm('岩石在哪里', order='last')),
        (
            'the rock seen before the crater',
            QueryForm('the rock', when='before', landmark='the crater'),
        ),
        (
            'what did you see after the crater?',
            QueryForm('what', when='after', landmark='the crater'),
        ),
        ('クレーターの前に見た岩', QueryForm('岩', when='before', landmark='クレーター')),
        ('クレーターを見た後に見た岩', QueryForm('岩', when='after', landmark='クレーター')),
        ('在陨石坑之前看到的岩石', QueryForm('岩石', when='before', landmark='陨石坑')),
        ('看到陨石坑之后看到的岩石', QueryForm('岩石', when='after', landmark='陨石坑')),
        ('the red rock', QueryForm('the red rock')),
        ('the first aid kit', QueryForm('the first aid kit')),
        ('the rock before the crater', QueryForm('the rock before the crater')),
        ('岩の前の砂', QueryForm('岩の前の砂')),
        ('岩石前面的沙', QueryForm('岩石前面的沙')),
    ],
)
def test_what_kind_of_answer_is_wanted(text: str, form: QueryForm) -> None:
    assert parse_form(text) == form


@pytest.fixture(scope='module')
def field(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpatialMemory]:
    path: Path = tmp_path_factory.mktemp('forms') / 'memory.sqlite'
    memory = open_memory(path, clock=lambda: 100.0)
    for at, (name, (label, stamp, caption)) in enumerate(FIELD.items()):
        memory.observe(
            Observation(
                name=name,
                label=label,
                caption=caption,
                stamp=stamp,
                position=(30.0 * at, 5.0, 0.0),
            )
        )
    memory.settle()
    yield memory
    memory.close()


@pytest.mark.parametrize(
    ('text', 'count'),
    [
        ('how many rocks are there?', 3),
        ('how many red rocks did you see?', 2),
        ('how many rocks did you see in the last 60 seconds?', 2),
        ('how many rocks did you see before the crater?', 1),
        ('how many rocks other than the red ones?', 1),
        ('how many rocks does this place have', 3),
        ('how many green rocks are there?', 0),
        ('how many dinosaurs are there?', 0),
        ('岩はいくつありますか', 3),
        ('赤い岩を何個見ましたか', 2),
        ('緑の岩はいくつありますか', 0),
        ('有多少块岩石', 3),
        ('有几块红色的岩石', 2),
        ('有几块绿色的岩石', 0),
    ],
)
def test_how_many(field: SpatialMemory, text: str, count: int) -> None:
    found = field.recall(Query(text=text))
    assert found.count == count, found.reason
    assert found.target is None  # a number is no place to drive to
    response = recall_to_ros(found, '', None, SimpleNamespace(places=[]))
    assert not response.places
    assert response.ok is (count > 0)


def test_a_count_says_of_what(field: SpatialMemory) -> None:
    found = field.recall(Query(text='how many red rocks are there?'))
    named = 'boulder at (0.0, 5.0) m; slab at (60.0, 5.0) m.'
    assert found.reason == f'2 remembered as red and rocks: {named}'
    none = field.recall(Query(text='how many green rocks are there?'))
    assert none.outcome is RecallOutcome.ABSENT
    assert 'not green' in none.reason


@pytest.mark.parametrize(
    ('text', 'place'),
    [
        ('how many red rocks are there in the castle', 'castle'),
        ('城堡里有几块红色的岩石', '城堡'),
        ('城に赤い岩はいくつありますか', '城'),
    ],
)
def test_a_count_in_a_place_of_which_nothing_is_said_is_told_with_that(
    field: SpatialMemory, text: str, place: str
) -> None:
    found = field.recall(Query(text=text))
    assert (found.outcome, found.count) == (RecallOutcome.AMBIGUOUS, 2)
    assert found.reason.endswith(f'Of none it is said that it is there: {place}.')
    assert found.target is None


@pytest.mark.parametrize(
    'text',
    [
        'how many red rocks are there in the crater',  # it is known, and none lies there
        'how many dinosaurs are there in the castle',
        'how many green rocks are there in the castle',
        '城堡里有几块绿色的岩石',
    ],
)
def test_what_is_not_there_is_counted_in_no_place(field: SpatialMemory, text: str) -> None:
    found = field.recall(Query(text=text))
    assert (found.outcome, found.count) == (RecallOutcome.ABSENT, 0)


@pytest.mark.parametrize(
    ('text', 'name'),
    [
        ('the first rock you saw', 'boulder'),
        ('which rock did you see last?', 'cobble'),
        ('the last red rock you saw', 'slab'),
        ('the most recent thing seen', 'ripples'),
        ('the rock that you saw before the crater', 'boulder'),
        ('the red rock seen after the crater', 'slab'),
        ('the rock seen in the last 40 seconds', 'cobble'),
        ('最初に見た岩', 'boulder'),
        ('最後に見た赤い岩', 'slab'),
        ('クレーターの前に見た岩', 'boulder'),
        ('クレーターを見た後に見た赤い岩', 'slab'),
        ('この40秒に見た岩', 'cobble'),
        ('最先看到的岩石', 'boulder'),
        ('最后看到的红色岩石', 'slab'),
        ('在陨石坑之前看到的岩石', 'boulder'),
        ('看到陨石坑之后看到的红色岩石', 'slab'),
        ('最近40秒看到的岩石', 'cobble'),
    ],
)
def test_when_it_was_seen_decides(field: SpatialMemory, text: str, name: str) -> None:
    assert led_to(field.recall(Query(text=text))) == name


@pytest.mark.slow
@pytest.mark.parametrize('order', ['first', 'last'])
def test_what_was_seen_at_once_is_a_question(
    memory: SpatialMemory, seen: Seen, order: str
) -> None:
    for name, x, stamp in (('a', 0.0, 20.0), ('b', 40.0, 20.0), ('c', 80.0, 20.0)):
        memory.observe(seen(name, x, label='rock', caption='a red rock', stamp=stamp))
    text = f'the {order} rock you saw'
    found = memory.recall(Query(text=text))
    assert found.outcome is RecallOutcome.AMBIGUOUS
    assert 'Say which one is meant' in found.reason
    stamp = 10.0 if order == 'first' else 30.0
    memory.observe(seen('d', 120.0, label='rock', caption='a red rock', stamp=stamp))
    assert led_to(memory.recall(Query(text=text))) == 'd'


@pytest.mark.parametrize(
    ('text', 'says'),
    [
        ('the first green rock you saw', 'green'),
        ('the rock you saw before the lighthouse', 'lighthouse'),
        ('最初に見た緑の岩', '緑'),
        ('最先看到的绿色岩石', '绿色'),
        ('the rocks seen after the crater', 'Say which one is meant'),
    ],
)
def test_what_is_not_known_is_named(field: SpatialMemory, text: str, says: str) -> None:
    found = field.recall(Query(text=text))
    assert found.target is None
    assert says in found.reason


def test_an_old_one_is_stale(field: SpatialMemory) -> None:
    found = field.recall(Query(text='the first rock you saw', max_age_s=20.0))
    assert found.outcome is RecallOutcome.STALE


def test_near_the_asker_is_said(field: SpatialMemory) -> None:
    found = field.recall(Query(text='how many rocks are near me?', near=(62.0, 5.0, 0.0)))
    assert found.count == 1
    assert found.reason.endswith('Only what lies within 10 m of here is meant.')
