"""What is observed is a new thing, one that was moved, or a known one; what changes a node."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from known import known
import pytest

from embodied_nav.node_changes import ChangeCode, match, reach_of
from embodied_nav.nodes_of_forest import Node, NodeState
from embodied_nav.observation import NAMED_PLACE, Observation
from embodied_nav.query_and_recall_types import Query
from embodied_nav.spatial_memory import SpatialMemory, open_memory
from embodied_nav.store.memory_store import Scope
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.errors import MemoryStoreError
from rover_common.geometry.transforms import Transform

See = Callable[..., Observation]


def test_an_observation_that_comes_again_changes_nothing(memory: SpatialMemory, seen: See) -> None:
    first = memory.observe(seen(observation_id='a'))
    again = memory.observe(seen(x=90.0, observation_id='a'))
    assert again.repeated
    assert again.node_id == first.node_id
    assert [node.position for node in memory.places() if node.level == 0] == [(5.0, 2.0, 0.0)]


@pytest.mark.parametrize('later', [{'stamp': 3610.0}, {'map_epoch': 7}, {'frame_id': 'odom'}])
def test_a_look_of_another_run_or_map_is_another_one(
    memory: SpatialMemory, seen: See, later: dict[str, Any]
) -> None:
    memory.observe(seen(observation_id='camera@12.5/0'))
    for _ in range(2):
        stored = memory.observe(
            seen('crater', 90.0, **{'observation_id': 'camera@12.5/0', **later})
        )
    assert stored.repeated  # it came twice in its own run
    names = {node.name for node in memory.places() if node.level == 0}
    assert names == {'layered_rock', 'crater'}


def test_a_look_that_comes_again_a_little_later_is_the_same(
    memory: SpatialMemory, seen: See
) -> None:
    memory.observe(seen(observation_id='camera@12.5/0', stamp=10.0))
    assert memory.observe(seen(observation_id='camera@12.5/0', stamp=9.9)).repeated


def test_a_wish_that_comes_again_after_a_restart_is_the_same(
    memory: SpatialMemory, seen: See
) -> None:
    memory.observe(seen('camp', observation_id='wish', writer='operator'))
    again = seen('camp', 90.0, observation_id='wish', writer='operator', stamp=3610.0)
    assert memory.observe(again).repeated


def test_a_thing_seen_again_is_merged(memory: SpatialMemory, seen: See) -> None:
    first = memory.observe(seen())
    again = memory.observe(seen(x=5.2, stamp=20.0))
    assert (again.merged_into, again.moved) == (first.node_id, False)
    (node,) = (each for each in memory.places() if each.level == 0)
    assert node.position == (5.1, 2.0, 0.0)
    assert (node.first_seen, node.last_seen, node.count) == (10.0, 20.0, 2)


METRES = st.sampled_from([0.1, 0.5, 1.0, 2.0, 5.0, 30.0])
PLACES = st.tuples(*[st.integers(-40, 40).map(lambda tenths: tenths / 4.0)] * 2, st.just(0.0))
SPREADS = st.none() | METRES.map(lambda m: (m * m, *[0.0] * 3, 0.01, *[0.0] * 3, m * m))


@pytest.mark.slow
@given(things=st.lists(st.tuples(PLACES, METRES, SPREADS), max_size=8), data=st.data())
def test_a_thing_is_found_among_those_that_are_in_reach(things: list[Any], data: Any) -> None:
    store = SqliteStore(Path(':memory:'))
    for number, (position, radius_m, covariance) in enumerate(things):
        store.put(
            Node(
                node_id=str(number),
                name='rock',
                label='rock',
                position=position,
                radius_m=radius_m,
                covariance=covariance,
            )
        )
    observation = Observation(
        name='rock',
        label='rock',
        position=data.draw(PLACES),
        radius_m=data.draw(METRES),
        covariance=data.draw(SPREADS),
        stamp=1.0,
    )
    in_reach = store.named('rock', Scope(), reach_of(observation))
    assert match(observation, in_reach) == match(observation, store.named('rock', Scope()))
    store.close()


def test_a_class_with_many_things_is_not_read_as_a_whole(
    seen: See, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, compared = open_memory(':memory:', clock=lambda: 100.0), 0

    def counted(observation: Observation, same_name: Any) -> Any:
        nonlocal compared
        compared = len(same_name)
        return match(observation, same_name)

    monkeypatch.setattr('embodied_nav.node_changes.match', counted)
    for number in range(12):
        memory.observe(seen('rock', 20.0 * number, label='rock'))
    assert compared == 0
    assert memory.observe(seen('rock', 0.2, label='rock')).merged_into
    assert compared == 1
    memory.close()


def test_a_named_thing_at_another_place_was_moved(memory: SpatialMemory, seen: See) -> None:
    first = memory.observe(seen())
    moved = memory.observe(seen(x=25.0, stamp=20.0))
    assert (moved.merged_into, moved.moved) == (first.node_id, True)
    found = memory.recall(Query(text='layered rock'))
    assert known(found.target).position == (25.0, 2.0, 0.0)


def test_a_late_report_of_the_past_moves_nothing(memory: SpatialMemory, seen: See) -> None:
    memory.observe(seen(stamp=20.0))
    assert not memory.observe(seen(x=25.0, stamp=10.0)).moved
    assert [each.position for each in memory.places() if each.level == 0] == [(5.0, 2.0, 0.0)]


@pytest.mark.parametrize('x', [5.0, 25.0])
def test_a_late_report_does_not_bring_back_what_is_gone(
    memory: SpatialMemory, seen: See, x: float
) -> None:
    stored = memory.observe(seen(stamp=10.0))
    memory.retract(stored.node_id, 'gone', 50.0)
    memory.observe(seen(x=x, stamp=20.0))
    node = known(memory.place(stored.node_id))
    assert (node.state, node.position, node.last_seen) == (NodeState.RETRACTED, (5, 2, 0), 20.0)
    memory.observe(seen(x=x, stamp=50.0))
    assert memory.recall(Query(text='layered rock')).target


def test_after_a_clock_was_set_back_things_are_moved_and_come_back(seen: See) -> None:
    memory = open_memory(':memory:', clock=lambda: 100.0)
    camp = {'label': NAMED_PLACE, 'writer': 'operator'}
    bishop = memory.observe(seen('Bishop', stamp=3700.0)).node_id
    memory.observe(seen('camp', stamp=3700.0, **camp))
    memory.retract(bishop, 'gone', 3710.0)
    assert memory.observe(seen('camp', 25.0, stamp=100.0, **camp)).moved
    memory.observe(seen('Bishop', 15.0, stamp=99.0))
    things = {each.name: each.position[0] for each in memory.places() if each.level == 0}
    assert things == {'camp': 25.0, 'Bishop': 15.0}
    memory.close()


def test_what_was_gone_and_is_confirmed_is_part_of_its_area_again(
    memory: SpatialMemory, seen: See
) -> None:
    first, *_ = (memory.observe(seen(f'rock_{n}', 5.0 + n)).node_id for n in range(3))
    memory.retract(first, 'gone', 20.0)
    memory.confirm(first, 30.0)
    node = known(memory.place(first))
    assert [(area.node_id, area.count) for area in memory.places() if area.level] == [
        (node.parent, 3)
    ]


def test_two_of_a_class_are_two_things(memory: SpatialMemory, seen: See) -> None:
    memory.observe(seen('rock', 5.0))
    assert memory.observe(seen('rock', 25.0)).merged_into is None


@pytest.mark.parametrize('name', ['Bishop', 'rock'])
@pytest.mark.parametrize('x', [5.0, 25.0])
def test_a_named_place_and_a_thing_of_its_name_are_two(
    memory: SpatialMemory, seen: See, name: str, x: float
) -> None:
    memory.observe(seen(name, 5.0))
    memory.observe(seen(name, x, label=NAMED_PLACE, writer='operator', stamp=20.0))
    memory.observe(seen(name, 5.0, stamp=30.0))
    things = [each for each in memory.places() if each.level == 0]
    assert [(each.label, each.position[0], each.writer) for each in things] == [
        ('rock', 5.0, 'percept'),
        (NAMED_PLACE, x, 'operator'),
    ]


def test_only_things_are_confirmed_and_retracted(memory: SpatialMemory) -> None:
    assert memory.confirm('object_9', 1.0).code is ChangeCode.UNKNOWN_NODE
    assert memory.retract('object_9', 'gone', 1.0).code is ChangeCode.UNKNOWN_NODE


def test_a_new_map_moves_its_nodes_and_no_others(memory: SpatialMemory, seen: See) -> None:
    memory.observe(seen('one', 1.0, 0.0, covariance=(4.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0)))
    memory.observe(seen('two', 1.0, 0.0, map_epoch=7))
    quarter = Transform.planar(10.0, 0.0, math.pi / 2)
    assert memory.reanchor(0, quarter, new_epoch=1).ok
    places = {each.name: each for each in memory.places() if each.level == 0}
    assert (places['one'].position, places['one'].map_epoch) == ((10.0, 1.0, 0.0), 1)
    assert places['one'].covariance == pytest.approx((1.0, 0, 0, 0, 4.0, 0, 0, 0, 1.0))
    assert (places['two'].position, places['two'].map_epoch) == ((1.0, 0.0, 0.0), 7)


@pytest.mark.parametrize(
    ('field', 'value', 'word'),
    [
        ('position', (math.nan, 0.0, 0.0), 'position'),
        ('position', (1e9, 0.0, 0.0), 'position'),
        ('stamp', math.inf, 'stamp'),
        ('frame_id', '', 'frame_id'),
        ('covariance', (1.0, 2.0), 'covariance'),
        ('radius_m', -1.0, 'radius'),
        ('writer', 'recall', 'writer'),
        ('name', ' ', 'name'),
    ],
)
def test_what_is_no_observation_is_refused_with_a_sentence(
    field: str, value: object, word: str
) -> None:
    values = {'name': 'a', 'position': (0.0, 0.0, 0.0), 'stamp': 0.0, field: value}
    with pytest.raises(MemoryStoreError, match=word):
        Observation(**values)  # type: ignore[arg-type]
