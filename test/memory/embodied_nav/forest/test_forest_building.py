"""The forest after any story of insertions, moves and removals is the one built at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
import math
from pathlib import Path
import random

from hypothesis import example, given
from hypothesis import strategies as st
import numpy as np
import pytest

from embodied_nav.forest.area_nodes import area
from embodied_nav.forest.forest_building import Forest, grown, match_clusters, rebuild
from embodied_nav.forest.tile_linkage import CAPACITY, Item, clusters, width
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Position
from embodied_nav.store.memory_store import Scope
from embodied_nav.store.sqlite_store import SqliteStore

ROW = np.full(4, 0.5, np.float32)
PLACES = st.tuples(st.integers(-45_000, 45_000), st.integers(-45_000, 45_000), st.just(0)).map(
    lambda mm: (mm[0] / 1000, mm[1] / 1000, mm[2] / 1000)
)
# Few places, at both sides of where four tiles meet: what moves there leaves others behind.
AT_EDGES = st.tuples(st.sampled_from([-3.0, -0.001, 0.0, 3.0]), st.sampled_from([-3.0, 0.0]))
STORIES = st.lists(
    st.tuples(
        st.sampled_from(['new', 'new', 'new', 'move', 'remove']),
        PLACES | AT_EDGES.map(lambda place: (*place, 0.0)),
    ),
    max_size=25,
)
Shape = set[tuple[int, Position, frozenset[str]]]


def thing(number: int, place: Position) -> Node:
    return Node(node_id=f'object_{number}', name=f'rock_{number}', label='rock', position=place)


def shape(nodes: list[Node]) -> Shape:
    """The clusters without their ids: level, place, and the things below."""
    known = {node.node_id: node for node in nodes}
    below: dict[str, set[str]] = {}
    for node in nodes:
        above = node.parent if node.level == 0 else ''
        while above:
            below.setdefault(above, set()).add(node.node_id)
            above = known[above].parent
    return {(known[e].level, known[e].position, frozenset(some)) for e, some in below.items()}


def told(
    story: list[tuple[str, Position]], imported: Sequence[Node] = ()
) -> tuple[SqliteStore, dict[str, Node]]:
    """A store to which a story happened, and the things that are left."""
    store, numbers = SqliteStore(Path(':memory:')), count(1)
    left = {node.node_id: node for node in imported if node.kind == 'object'}
    store.put_all(imported)
    for act, place in story:
        with store.writing():
            forest = Forest(store, 'map', 0)
            if act == 'new' or not left:
                node = thing(next(numbers), place)
                store.put(node, ROW)
                forest.update([node.node_id], [place])
                left[node.node_id] = node
                continue
            chosen = min(left, key=lambda each: math.dist(left[each].position, place))
            before = store.get([chosen])[chosen]
            if act == 'remove':
                store.delete([chosen])
                del left[chosen]
                forest.update([], [before.position], [before.parent])
            else:
                store.put(replace(before, position=place))
                left[chosen] = replace(left[chosen], position=place)
                forest.update([chosen], [before.position, place])
    return store, left


@pytest.mark.slow
@given(STORIES)
@example([('new', (0.0, -1.0, 0.0))] * 3 + [('move', (0.0, 1.0, 0.0))])  # out of its tile
@example([('new', (0.0, 1.0, 0.0)), *[('new', (0.0, -1.0, 0.0))] * 3, ('move', (0.0, 0.0, 0.0))])
def test_any_story_ends_where_a_batch_ends_in_sound_clusters(
    story: list[tuple[str, Position]],
) -> None:
    store, left = told(story)
    rows = np.tile(ROW, (len(left), 1))
    numbers = count(1)
    batch, _ = grown(list(left.values()), rows, lambda level: f'batch_{level}_{next(numbers)}')
    found = list(store.nodes(Scope()))
    assert shape(found) == shape(batch)
    for node in store.nodes(Scope(levels=(1, 5))):
        children = store.children(node.node_id)
        assert len(children) >= 2
        assert all(child.level < node.level == child.parent_level for child in children)
        assert node.node_id.startswith(f'area_{node.level}_cluster_')
        assert node.name
        assert node.summary
        assert node.count == sum(each.count if each.level else 1 for each in children)
    store.close()


def foreign_forest(places: list[Position]) -> list[Node]:
    """Things and a pose in areas that are wherever another program has put them."""
    below = [
        replace(thing(0, place), node_id=f'foreign_{n}', parent=f'area_1_{n % 3}', parent_level=1)
        for n, place in enumerate(places)
    ]
    areas = [
        replace(area(f'area_1_{n}', 1, below[n::3], None), parent='area_2_0', parent_level=2)
        for n in range(3)
    ]
    pose = replace(below[0], node_id='pose', kind='drone')
    return [*below, pose, *areas, area('area_2_0', 2, areas, None)]


@pytest.mark.slow
@given(st.lists(PLACES, min_size=3, max_size=9), STORIES)
@example(
    [(x, 0.0, 0.0) for x in (-2.0, 30.0, 31.0, 2.0, -30.0, -31.0)], [('new', (2.5, 3.0, 0.0))]
)
@example([(x, 0.0, 0.0) for x in (-2.0, 30.0, 31.0, 13.0)], [('new', (38.0, 3.0, 0.0))])
@example([(x, 0.0, 0.0) for x in (9.0, 45.0, 46.0, -30.0)], [('remove', (9.0, 0.0, 0.0))])
def test_any_story_of_an_imported_forest_leaves_it_sound(
    places: list[Position], story: list[tuple[str, Position]]
) -> None:
    store, _ = told(story, foreign_forest(places))
    nodes = {node.node_id: node for node in store.nodes(Scope())}
    assert {node.parent for node in nodes.values()} <= {'', *nodes}
    for node in store.nodes(Scope(levels=(1, 5))):
        children = [each for each in store.children(node.node_id) if each.kind != 'drone']
        assert node.count == sum(each.count if each.level else 1 for each in children)
    store.close()


def test_a_rebuilt_forest_leaves_nothing_below_an_area_that_is_gone() -> None:
    store, _ = told([], foreign_forest([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (90.0, 0.0, 0.0)]))
    with store.writing():
        rebuild(store, 'map', 0)
    nodes = {node.node_id: node for node in store.nodes(Scope())}
    assert {node.parent for node in nodes.values()} <= {'', *nodes}
    store.close()


@given(st.lists(PLACES, min_size=2, max_size=40))
@pytest.mark.slow
def test_no_cluster_is_wider_than_its_threshold(places: list[Position]) -> None:
    items = [Item(str(number), place) for number, place in enumerate(places)]
    for group in clusters(items, (-50.0, -50.0, 50.0, 50.0), width(1)):
        assert all(
            math.dist(one.position, two.position) <= width(1) + 1e-9
            for one in group
            for two in group
        )


def test_a_crowded_tile_is_cut_and_nothing_is_lost() -> None:
    items = [Item(str(n), (n % 40 * 0.9, n // 40 * 0.9, 0.0)) for n in range(10 * CAPACITY)]
    groups = clusters(items, (0.0, 0.0, 40.0, 40.0), width(1))
    ids = [each.node_id for group in groups for each in group]
    assert len(ids) == len(set(ids))
    assert len(ids) > 0.9 * len(items)


@pytest.mark.slow
def test_an_insertion_renames_nothing_and_leaves_far_clusters_alone() -> None:
    near = [('new', (x * 4.0, y * 3.0, 0.0)) for x in range(4) for y in range(4)]
    far = [('new', (x + 400.0, y, 0.0)) for _, (x, y, _z) in near]
    story = near + far
    store, _ = told(story)
    before = {node.node_id: node for node in store.nodes(Scope(levels=(1, 5)))}
    with store.writing():
        store.put(thing(999, (1.0, 1.0, 0.0)), ROW)
        forest = Forest(store, 'map', 0)
        forest.update(['object_999'], [(1.0, 1.0, 0.0)])
    after = {node.node_id: node for node in store.nodes(Scope(levels=(1, 5)))}
    untouched = before.keys() - forest.touched
    assert untouched >= {each for each, node in before.items() if node.position[0] > 200.0}
    assert before.keys() <= after.keys() | forest.touched
    assert {each: after[each] for each in untouched} == {each: before[each] for each in untouched}
    store.close()


def test_a_cluster_goes_on_as_the_group_with_most_of_its_members() -> None:
    members = {'a': frozenset('123'), 'b': frozenset('45')}
    groups = [frozenset('12'), frozenset('345'), frozenset('67')]
    assert match_clusters(groups, members) == ['a', 'b', None]


@pytest.mark.slow
def test_rebuilding_gives_the_same_shape() -> None:
    store, _ = told([('new', (x * 4.0, 0.0, 0.0)) for x in range(20)])
    before = shape(list(store.nodes(Scope())))
    with store.writing():
        made = rebuild(store, 'map', 0)
    assert shape(list(store.nodes(Scope()))) == before
    assert made == len(before)
    store.close()


def test_clusters_of_two_maps_do_not_mix() -> None:
    store = SqliteStore(Path(':memory:'))
    with store.writing():
        for number, epoch in enumerate([0, 0, 1, 1]):
            node = replace(thing(number, (0.1 * number, 0.0, 0.0)), map_epoch=epoch)
            store.put(node, ROW)
            Forest(store, 'map', epoch).update([node.node_id], [node.position])
    found = list(store.nodes(Scope(levels=(1, 5))))
    assert sorted((each.map_epoch, each.count) for each in found) == [(0, 2), (1, 2)]
    store.close()


def test_without_scipy_a_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__('sys').modules, 'scipy.cluster.hierarchy', None)
    items = [Item(str(n), (float(n), 0.0, 0.0)) for n in range(3)]
    with pytest.raises(Exception, match='make extras NAMES=memory'):
        clusters(items, (0.0, 0.0, 40.0, 40.0), width(1))


@pytest.mark.slow
def test_a_crowd_is_kept_in_parts_and_ends_as_a_batch_would() -> None:
    store = SqliteStore(Path(':memory:'))
    chance = random.Random(3)
    places = [(chance.uniform(9.0, 11.0), chance.uniform(9.0, 11.0), 0.0)
              for _ in range(CAPACITY + 6)]  # fmt: skip
    nodes = [thing(number, place) for number, place in enumerate(places)]
    few = nodes[: CAPACITY - 3]
    store.put_all(few)
    with store.writing():
        rebuild(store, 'map', 0)
        for node in nodes[len(few) :]:
            store.put(node)
            Forest(store, 'map', 0).update([node.node_id], [node.position])
    grown_one_by_one = groups_of(store)
    with store.writing():
        rebuild(store, 'map', 0)
    assert groups_of(store) == grown_one_by_one
    assert len(grown_one_by_one) > 1
    store.close()


def groups_of(store: SqliteStore) -> set[frozenset[str]]:
    areas = store.nodes(Scope(levels=(1, 1)))
    return {frozenset(each.node_id for each in store.children(area.node_id)) for area in areas}
