"""What every store of a memory keeps to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from embodied_nav.nodes_of_forest import Node, NodeState
from embodied_nav.store.memory_store import MemoryStore, Reach, Scope, Vector
from embodied_nav.store.rows_of_nodes_and_sightings import Sighting, node_of
from rover_common.errors import MemoryStoreError

ROCK = Node(
    node_id='object_1',
    name='layered_rock',
    label='岩',
    caption='dark bands',
    attributes=('flat', 'old'),
    position=(1.0, 2.0, 3.0),
    covariance=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    map_epoch=2**40,
    radius_m=0.75,
    first_seen=1.5,
    last_seen=2.5,
    retracted_at=2.0,
    source='mast_camera',
    box2d=(1.0, 2.0, 3.0, 4.0),
    terms=(('rock', 2),),
    sums=(1, -2, 3),
)
DUNE = Node(node_id='object_2', name='dune', caption='sand', position=(4.0, 2.0, 3.0))
EVERYTHING = Scope(retracted=True)


def row(*numbers: float) -> Vector:
    made = np.array(numbers, np.float32)
    unit: Vector = made / np.linalg.norm(made)
    return unit


def test_a_node_comes_back_as_it_went_in(store: MemoryStore) -> None:
    store.put(ROCK, row(1, 0))
    assert store.get(['none', 'object_1']) == {'object_1': ROCK}
    assert store.vectors(['object_1', 'none']) == pytest.approx(np.array([[1, 0], [0, 0]]))


def test_a_node_is_replaced_and_keeps_its_vector(store: MemoryStore) -> None:
    store.put(ROCK, row(1, 0))
    later = replace(ROCK, name='other', state=NodeState.CONFIRMED)
    store.put(later)
    assert list(store.nodes(Scope())) == [later]
    assert store.vectors(['object_1']) == pytest.approx(np.array([[1, 0]]))


def test_what_is_nearest_comes_first(store: MemoryStore) -> None:
    store.put_all([ROCK, DUNE], np.array([row(1, 0), row(1, 1)]))
    found = store.nearest(row(1, 0.1), Scope(), 5)
    assert [each for each, _ in found] == ['object_1', 'object_2']
    assert [round(cosine, 3) for _, cosine in found] == [0.995, 0.774]
    assert store.nearest(row(0, 1), Scope(), 1)[0][0] == 'object_2'
    assert store.nearest(np.zeros(2, np.float32), Scope(), 5) == []


@pytest.mark.parametrize(
    'scope',
    [
        Scope(frame_id='odom'),
        Scope(map_epoch=1),
        Scope(within=(3.0, 0.0, 9.0, 9.0)),
        Scope(levels=(1, 5)),
    ],
)
def test_what_is_out_of_scope_is_not_found(store: MemoryStore, scope: Scope) -> None:
    store.put(ROCK, row(1, 0))
    assert store.nearest(row(1, 0), scope, 5) == []
    assert store.lexical('dark bands', scope, 5) == []
    assert store.named('layered_rock', replace(scope, levels=(0, 0))) == [] or scope.levels[0]
    assert store.count(scope) == 0


def test_what_is_gone_is_found_only_if_it_is_asked_for(store: MemoryStore) -> None:
    store.put(replace(ROCK, state=NodeState.RETRACTED), row(1, 0))
    for scope, found in ((Scope(), 0), (EVERYTHING, 1)):
        assert len(store.nearest(row(1, 0), scope, 5)) == found
        assert len(store.lexical('dark', scope, 5)) == found
        assert store.count(scope) == len(list(store.nodes(scope))) == found


def test_a_pose_is_found_only_if_it_is_asked_for(opened: Callable[[], MemoryStore]) -> None:
    one, two = opened(), opened()
    one.put(replace(ROCK, kind='rover'), row(1, 0))
    for store in (one, two, opened()):
        for scope, found in ((Scope(), 0), (Scope(poses=True), 1)):
            assert len(store.nearest(row(1, 0), scope, 5)) == found
            assert len(store.lexical('dark', scope, 5)) == found
            assert len(store.within(ROCK.position, 1.0, scope)) == found
            assert len(store.named('layered_rock', scope)) == found
            assert store.count(scope) == len(list(store.nodes(scope))) == found


def test_of_a_name_those_in_reach_are_found_and_those_that_are_known_less_well(
    store: MemoryStore,
) -> None:
    flat = (0.1, *[0.0] * 3, 0.1, *[0.0] * 3)
    near = replace(DUNE, covariance=None, radius_m=0.5)
    store.put_all(
        [
            replace(near, node_id='near'),
            replace(near, node_id='far', position=(4.0, 20.0, 3.0)),
            replace(near, node_id='large', position=(40.0, 2.0, 3.0), radius_m=2.5),
            replace(near, node_id='known', position=(40.0, 2.0, 3.0), covariance=(*flat, 4.0)),
            replace(near, node_id='vague', position=(40.0, 2.0, 3.0), covariance=(*flat, 4.5)),
        ]
    )
    reach = Reach((3.0, 1.0, 5.0, 3.0), radius_m=2.0, variance_m2=4.0)
    found = {each.node_id for each in store.named('dune', Scope(), reach)}
    assert found == {'near', 'large', 'vague'}


def test_rare_words_find_their_nodes(store: MemoryStore) -> None:
    common = [replace(DUNE, node_id=f'dune_{n}', caption='sand and ripples') for n in range(9)]
    store.put_all([*common, ROCK], np.array([row(1, n) for n in range(10)]))
    assert store.lexical('the dark sand', Scope(), 3)[0] == 'object_1'
    assert store.lexical('parachute', Scope(), 3) == []
    assert store.lexical('', Scope(), 3) == []


def test_better_matches_out_of_scope_crowd_nothing_out(store: MemoryStore) -> None:
    store.put_all([replace(DUNE, node_id=f'dune_{n}', map_epoch=1) for n in range(100)])
    store.put(replace(DUNE, caption='sand that has many more words, so that it is ranked last'))
    for limit in (5, 1, 5):
        assert len(store.lexical('sand', Scope(), limit)) == limit
        assert store.lexical('sand', Scope(map_epoch=0), limit) == ['object_2']


def test_words_that_were_looked_for_are_looked_for_anew_after_a_change(store: MemoryStore) -> None:
    assert store.lexical('dark bands', Scope(), 5) == []
    with store.writing():
        store.put(replace(ROCK, node_id='first'), row(1, 0))
        assert store.lexical('dark bands', Scope(), 5) == ['first']
        store.put(replace(ROCK, node_id='second'), row(1, 0))
    assert sorted(store.lexical('dark bands', Scope(), 5)) == ['first', 'second']
    store.put(replace(ROCK, node_id='first', state=NodeState.RETRACTED))
    assert store.lexical('dark bands', Scope(), 5) == ['second']
    store.delete(['second'])
    assert store.lexical('dark bands', Scope(), 5) == []


def test_japanese_words_are_found(store: MemoryStore) -> None:
    store.put(replace(ROCK, caption='暗い縞のある岩石'), row(1, 0))
    store.put(replace(DUNE, caption='砂丘'), row(0, 1))
    assert store.lexical('岩石はどこ', Scope(), 3)[0] == 'object_1'
    assert store.lexical('砂丘へ行って', Scope(), 3) == ['object_2']


def test_places_are_found_by_distance(store: MemoryStore) -> None:
    store.put_all([ROCK, DUNE], np.array([row(1, 0), row(1, 1)]))
    assert [each.node_id for each in store.within((4.0, 2.0, 3.0), 3.0, Scope())] == [
        'object_2',
        'object_1',
    ]
    assert [each.node_id for each in store.within((4.0, 2.0, 3.0), 2.9, Scope())] == ['object_2']
    assert store.within((4.0, 2.0, 9.0), 3.0, Scope()) == []


def test_only_the_nearest_places_are_read(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rocks = [replace(ROCK, node_id=f'{n:03d}', position=(0.1 * n, 0.0, 0.0)) for n in range(100)]
    store.put_all([*rocks, replace(ROCK, node_id='corner', position=(-0.9, 0.9, 0.0))])
    read = 0

    def counted(values: Any) -> Any:
        nonlocal read
        read += 1
        return node_of(values)

    monkeypatch.setattr('embodied_nav.store.memory_store.node_of', counted)
    for radius_m, most, found in ((9.0, 3, 3), (0.25, 50, 3), (1.0, 0, 0)):
        read = 0
        near = store.within((0.0, 0.0, 0.0), radius_m, Scope(), most)
        assert [each.node_id for each in near] == [f'{n:03d}' for n in range(found)]
        assert read <= most


def test_neighbours_are_of_one_map_kind_and_level(store: MemoryStore) -> None:
    beside = replace(ROCK, node_id='object_3', position=(1.0, 3.0, 3.0))
    above = replace(beside, node_id='area_1', kind='cluster', level=1)
    store.put_all([ROCK, DUNE, beside, above], np.array([row(1, 0)] * 4))
    assert store.neighbours(['object_1', 'object_2'], 3.0) == {'object_1': ('object_3',)}


def test_items_of_a_stage_are_what_no_lower_cluster_holds(store: MemoryStore) -> None:
    inside = replace(DUNE, node_id='inside', parent='area_2', parent_level=2)
    area = replace(DUNE, node_id='area_2', kind='cluster', level=2, parent_level=6)
    edge = replace(DUNE, node_id='edge', position=(5.0, 2.0, 0.0))
    drone = replace(DUNE, node_id='drone', kind='drone')
    store.put_all([inside, area, edge, drone], np.array([row(1, 0)] * 4))
    box = (4.0, 2.0, 5.0, 5.0)
    ids = [[each.node_id for each in store.items(stage, box, 'map', 0)] for stage in (1, 2, 3)]
    assert ids == [['inside'], ['inside'], ['area_2']]
    assert store.items(1, box, 'odom', 0) == store.items(1, box, 'map', 1) == []


def test_children_hang_below_their_parent(store: MemoryStore) -> None:
    store.put_all([ROCK, DUNE], np.array([row(1, 0), row(1, 1)]))
    store.set_parents(['object_2', 'object_1'], 'area_1', 1)
    assert [each.node_id for each in store.children('area_1')] == ['object_1', 'object_2']
    assert store.members(['area_1', 'area_2']) == {
        'area_1': frozenset({'object_1', 'object_2'}),
        'area_2': frozenset(),
    }
    store.set_parents(['object_1'], '', 6)
    assert store.get(['object_1'])['object_1'].parent == ''
    assert [each.node_id for each in store.children('area_1')] == ['object_2']


def test_what_is_below_a_deleted_node_is_a_root(store: MemoryStore) -> None:
    store.put_all([replace(ROCK, parent='object_2', parent_level=1), DUNE])
    store.delete(['object_2'])
    assert list(store.nodes(Scope())) == [ROCK]


def test_what_is_deleted_is_nowhere(store: MemoryStore) -> None:
    store.put(ROCK, row(1, 0))
    store.delete(['object_1', 'none'])
    assert store.nearest(row(1, 0), EVERYTHING, 5) == []
    assert store.lexical('dark', EVERYTHING, 5) == []
    assert store.within((1.0, 2.0, 3.0), 9.0, EVERYTHING) == []
    assert store.get(['object_1']) == {}


def test_a_transaction_is_all_or_nothing(store: MemoryStore) -> None:
    store.put(DUNE, row(0, 1))

    def fail() -> None:
        with store.writing():
            store.put(ROCK, row(1, 0))
            store.delete(['object_2'])
            store.set_meta('a', 'b')
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [each.node_id for each in store.nodes(EVERYTHING)] == ['object_2']
    assert [each for each, _ in store.nearest(row(1, 1), EVERYTHING, 5)] == ['object_2']
    assert store.meta('a') == ''


def test_sightings_are_kept_up_to_a_number(store: MemoryStore) -> None:
    seen = Sighting(
        observation_id='a1',
        node_id='object_1',
        stamp=1.0,
        position=(1.0, 2.0, 3.0),
        frame_id='map',
        map_epoch=0,
        covariance=ROCK.covariance,
        source='mast',
        writer='percept',
        image_hash='ff',
        caption='dark',
    )
    store.add_sighting(seen)
    assert store.sighting('a1') == seen
    assert store.sighting('') is None
    later = replace(seen, node_id='object_2', stamp=9.0)
    store.add_sighting(later)
    assert store.sighting('a1') == later
    assert store.sightings('object_1') == [replace(seen, observation_id='')]
    for number in range(40):
        store.add_sighting(replace(seen, observation_id='', stamp=float(number)))
    assert [each.stamp for each in store.sightings('object_1')][-1] == 39.0
    assert len(store.sightings('object_1')) == 32


def test_ids_are_never_the_same(opened: Callable[[], MemoryStore]) -> None:
    one, two = opened(), opened()
    assert [one.next_id('a'), two.next_id('a'), one.next_id('a')] == ['a_1', 'a_2', 'a_3']
    assert one.next_id('b') == 'b_1'


def test_an_id_that_a_node_has_is_not_given_away(store: MemoryStore) -> None:
    taken = [replace(DUNE, node_id=f'object_{number}') for number in range(1, 100)]
    store.put_all([*taken, replace(ROCK, node_id='object_200', state=NodeState.RETRACTED)])
    made = {store.next_id('object') for _ in range(150)}
    assert len(made) == 150
    assert not store.get(made)


def test_what_one_writes_the_other_reads(opened: Callable[[], MemoryStore]) -> None:
    one, two = opened(), opened()
    one.put(ROCK, row(1, 0))
    assert [each for each, _ in two.nearest(row(1, 0), Scope(), 5)] == ['object_1']
    two.put(replace(ROCK, name='moved', position=(9.0, 9.0, 0.0)))
    assert one.within((9.0, 9.0, 0.0), 1.0, Scope())[0].name == 'moved'
    two.delete(['object_1'])
    assert one.nearest(row(1, 0), Scope(), 5) == []


@pytest.mark.process  # psycopg looks for its library with one
def test_a_database_that_is_not_there_is_one_sentence() -> None:
    from embodied_nav.spatial_memory import open_store

    with pytest.raises(MemoryStoreError, match=r'127\.0\.0\.1/rover cannot be used') as fault:
        open_store('postgresql://rover:secret@127.0.0.1:1/rover')
    assert 'secret' not in str(fault.value)


@pytest.mark.process  # psycopg looks for its library with one
@pytest.mark.parametrize(
    'rest',
    [
        *('@[::1/map', '@host/map?color=secret', '%zzsecret@host/map', ' secret@host/map'),
        *('@secret@host/map', '/secret@host/map'),
    ],
    ids=lambda each: each,
)
def test_an_address_that_is_none_is_one_sentence(rest: str) -> None:
    from embodied_nav.spatial_memory import open_store

    with pytest.raises(MemoryStoreError, match=r'^\'.* is no address of PostgreSQL \(') as fault:
        open_store(f'postgresql://rover:secret{rest}')
    assert 'secret' not in str(fault.value)


@pytest.mark.process  # psycopg looks for its library with one
@pytest.mark.parametrize(
    'address',
    [
        *('rover:p?ss@127.0.0.1:1/rover', '127.0.0.1:1/rover?user=a@b', 'rover@127.0.0.1:1'),
        '/rover?host=/nowhere&user=rover&password=a/b@c',
    ],
)
def test_an_address_with_odd_letters_at_their_places_is_one(address: str) -> None:
    from embodied_nav.spatial_memory import open_store

    with pytest.raises(MemoryStoreError, match='cannot be used'):
        open_store(f'postgresql://{address}')


def test_what_has_no_vector_is_found_by_words_and_waits_for_one(store: MemoryStore) -> None:
    store.put(ROCK, row(1, 0))
    store.put(DUNE)
    assert [each for each, _ in store.nearest(row(1, 1), Scope(), 5)] == ['object_1']
    assert store.lexical('sand', Scope(), 5) == ['object_2']
    assert store.sample(5, without_vector=True) == [DUNE]
    assert store.sample(5) == [ROCK, DUNE]
    assert store.sample(1) == [ROCK]
    store.put(DUNE, row(0, 1))
    assert store.sample(5, without_vector=True) == []


def test_things_may_have_vectors_of_another_length_before_areas_have(
    opened: Callable[[], MemoryStore],
) -> None:
    one, two = opened(), opened()
    area = replace(DUNE, node_id='area_1', kind='cluster', level=1)
    one.put_all([ROCK, area], np.array([row(1, 0), row(0, 1)]))
    assert len(two.nearest(row(1, 0), Scope(), 5)) == 2
    with one.writing():
        one.forget_vectors()
        one.put(ROCK, row(0, 1, 0))
    for store in (one, two):
        assert len(store.nearest(row(0, 1, 0), Scope(), 5)) == 1
        found = store.vectors(['object_1', 'area_1'])
        assert found == pytest.approx(np.array([[0, 1, 0], [0, 0, 0]]))


def test_vectors_that_were_forgotten_may_have_another_length(
    opened: Callable[[], MemoryStore],
) -> None:
    one, two = opened(), opened()
    one.put_all([ROCK, DUNE], np.array([row(1, 0), row(0, 1)]))
    assert len(two.nearest(row(1, 0), Scope(), 5)) == 2
    one.forget_vectors(['object_2'])
    assert [each for each, _ in two.nearest(row(1, 0), Scope(), 5)] == ['object_1']
    one.forget_vectors()
    for store in (one, two):
        assert store.nearest(row(1, 0), Scope(), 5) == []
        assert store.sample(5, without_vector=True) == [ROCK, DUNE]
    one.put(DUNE, row(0, 1, 0))
    for store in (one, two):
        assert store.nearest(row(1, 0), Scope(), 5) == []
        assert [each for each, _ in store.nearest(row(0, 1, 0), Scope(), 5)] == ['object_2']
        assert store.lexical('dark', Scope(), 5) == ['object_1']
