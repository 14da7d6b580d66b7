"""GML goes out and comes in again; a damaged file is refused with line and reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
import math
import os
from pathlib import Path
import re
import time
from typing import Any

from fakes.models import FakeEmbedder
from hypothesis import example, given
from hypothesis import strategies as st
from known import known
import networkx
from public_forest import PUBLIC_FOREST
import pytest

from embodied_nav.embedding.vector_index import Index
from embodied_nav.forest.forest_building import rebuild_all
from embodied_nav.gml.gml_export import ABANDONED_S, LINES_AT_ONCE, export_places, write_gml
from embodied_nav.gml.gml_import import KINDS, READ, import_places, read_gml
from embodied_nav.gml.gml_syntax import Places, record
from embodied_nav.nodes_of_forest import Node, NodeState
from embodied_nav.observation import Observation, Writer
from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.spatial_memory import open_memory
from embodied_nav.store.memory_store import Scope
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.errors import MemoryStoreError
from rover_common.text_sanitizing import sanitize_line

LOST_IN_FILE: dict[str, Any] = {
    'writer': 'import',
    'count': 1,
    'sums': (0, 0, 0),
    'summary_by': 'import',
}


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    def make(text: str) -> Path:
        path = tmp_path / 'a.gml'
        path.write_text(text, encoding='utf-8')
        return path

    return make


def store_of(path: Path) -> SqliteStore:
    store = SqliteStore(Path(':memory:'))
    import_places(store, Index(store, FakeEmbedder(['chair', 'desk'])), read_gml(path))
    return store


def test_a_public_forest_is_read_with_all_its_habits(file: Callable[[str], Path]) -> None:
    places = read_gml(file(PUBLIC_FOREST))
    nodes = {node.node_id: node for node in places.nodes}
    assert nodes['chair_1'].position == (1.0, 2.0, 0.0)
    assert nodes['chair_1'].box2d == (436.0, 298.0, 672.0, 720.0)
    assert nodes['desk_1'].position == (2.5, 2.0, 0.0)
    assert (nodes['desk_1'].level, nodes['desk_1'].last_seen) == (0, 12.5)
    assert nodes['desk_1'].caption == 'a desk & a lamp'
    assert nodes['desk_1'].parent == nodes['chair_1'].parent == 'area_1_cluster_7'
    assert nodes['area_1_cluster_7'].name == 'desk_area'
    assert places.paths == (('drone_0', 'drone_1'),)


def test_what_is_written_is_directed_and_comes_in_again(
    file: Callable[[str], Path], tmp_path: Path
) -> None:
    store = store_of(file(PUBLIC_FOREST))
    chair = store.get(['chair_1'])['chair_1']
    store.put(replace(chair, label='椅子', state=NodeState.RETRACTED, frame_id='odom'))
    out = tmp_path / 'out.gml'
    export_places(store, out)
    again = {node.node_id: node for node in read_gml(out).nodes}
    for node in store.nodes(Scope(retracted=True)):
        assert same_in_file(again[node.node_id], node), node.node_id
    graph = networkx.read_gml(out)
    assert graph.is_directed()
    assert graph.is_multigraph()
    assert ('chair_1', 'area_1_cluster_7', 'part_of') in graph.edges(data='relationship')
    store.close()


def same_in_file(one: Node, two: Node) -> bool:
    """Whether two nodes agree in all that a file keeps."""
    return replace(one, **LOST_IN_FILE) == replace(two, **LOST_IN_FILE)


def test_directions_in_a_file_are_antisymmetric(
    file: Callable[[str], Path], tmp_path: Path
) -> None:
    store = store_of(file(PUBLIC_FOREST))
    out = tmp_path / 'out.gml'
    export_places(store, out)
    spatial = {
        (start, end): data['relationship']
        for start, end, data in networkx.read_gml(out).edges(data=True)
        if data.get('type') == 'spatial'
    }
    assert spatial == {('chair_1', 'desk_1'): 'east', ('desk_1', 'chair_1'): 'west'}
    store.close()


STREETS = """graph [
  node [ id 0 label "a" type "base" level 0 name "Pond" position [ x -79.9437 y 40.4387 z 0.0 ] ]
  node [ id 1 label "b" type "street_view" level 0 position [ x -79.9430 y 40.4389 z 0.0 ] ]
]
"""


def test_street_views_in_degrees_are_read_in_metres_and_once_only(
    file: Callable[[str], Path], tmp_path: Path
) -> None:
    store = store_of(file(STREETS))
    pond, other = store.get(['a', 'b']).values()
    assert math.dist(pond.position, other.position) == pytest.approx(63.3, abs=0.2)
    assert other.position[0] > pond.position[0]
    assert other.position[1] > pond.position[1]
    out = tmp_path / 'out.gml'
    export_places(store, out)
    assert 'type "street_view"' in out.read_text()
    again = {node.node_id: node for node in read_gml(out).nodes}
    assert again['a'].position == pytest.approx(pond.position, abs=1e-3)
    store.close()


def test_a_street_view_is_as_far_away_as_it_is_on_the_ground(
    file: Callable[[str], Path],
) -> None:
    store = store_of(file(STREETS.replace('z 0.0', 'z 300.0')))
    for node in store.get(['a', 'b']).values():
        assert math.hypot(*node.position) == pytest.approx(31.65, abs=0.1)
    store.close()


def test_areas_are_made_for_a_file_that_has_none(file: Callable[[str], Path]) -> None:
    plain = PUBLIC_FOREST.replace('relationship "part_of"', 'relationship "near"')
    store = store_of(file(plain))
    assert rebuild_all(store) == 1
    (made,) = store.nodes(Scope(levels=(1, 5)))
    assert (made.count, made.position) == (2, (1.75, 2.0, 0.0))
    store.close()


def thing(name: str) -> Node:
    return Node(node_id=name, name=name, position=(0.0, 0.0, 0.0))


class Interrupting(dict[str, tuple[str, ...]]):
    """Neighbours; while they are read, something else happens."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        self._happens = happens

    def get(self, *_: Any) -> tuple[str, ...]:
        self._happens()
        return ()


def test_a_file_that_two_write_at_once_is_whole(tmp_path: Path) -> None:
    out = tmp_path / 'out.gml'
    one, other = (Places((thing(each),)) for each in ('first', 'second'))
    write_gml(out, one, Interrupting(lambda: write_gml(out, other, {})))
    assert [node.name for node in read_gml(out).nodes] == ['first']
    assert [*tmp_path.iterdir()] == [out]


def test_a_file_that_cannot_be_written_leaves_no_part_of_it(tmp_path: Path) -> None:
    def fail() -> None:
        raise OSError('No space left')

    with pytest.raises(OSError, match='No space left'):
        write_gml(tmp_path / 'out.gml', Places((thing('a'),)), Interrupting(fail))
    assert not [*tmp_path.iterdir()]


def test_an_export_that_takes_too_long_is_given_up_and_an_older_file_stays(
    file: Callable[[str], Path], tmp_path: Path
) -> None:
    store, out = store_of(file(PUBLIC_FOREST)), tmp_path / 'out.gml'
    out.write_text('older')
    with pytest.raises(MemoryStoreError, match=r"out\.gml' takes longer than 0 s"):
        export_places(store, out, limit_s=0.0)
    ended = iter([None, MemoryStoreError('too late')])

    def check() -> None:
        if reason := next(ended):
            raise reason

    many = Places(tuple(thing(f'a{number}') for number in range(LINES_AT_ONCE // 4)))
    with pytest.raises(MemoryStoreError, match='too late'):
        write_gml(out, many, {}, check)
    assert out.read_text() == 'older'
    assert not [*tmp_path.glob('.*')]
    store.close()


def test_parts_of_exports_that_were_killed_are_removed(tmp_path: Path) -> None:
    out, places = tmp_path / 'out.gml', Places((thing('a'),))

    def leave_parts() -> None:  # as exports that are killed now
        (part,) = tmp_path.iterdir()
        for number in range(3):
            part.with_name(part.name.replace('.part', f'{number}.part')).touch()

    write_gml(out, places, Interrupting(leave_parts))
    parts = sorted(tmp_path.glob('.*'))
    assert len(parts) == 3
    for old in parts[1:]:
        os.utime(old, (0.0, time.time() - 2.0 * ABANDONED_S))
    another = parts[2].rename(parts[2].with_name(parts[2].name.replace('.out.', '.out.gml_2.')))
    write_gml(out, places, {})
    assert sorted(tmp_path.iterdir()) == sorted([out, parts[0], another])


def test_what_is_seen_after_an_import_replaces_nothing_of_it(
    seen: Callable[..., Observation], tmp_path: Path
) -> None:
    first = open_memory(':memory:', FakeEmbedder([]))
    first.observe(seen('rock_a', 5.0))
    first.observe(seen('rock_b', 7.0))
    first.export_gml(tmp_path / 'out.gml')
    first.close()
    memory = open_memory(':memory:', FakeEmbedder([]))
    memory.import_gml(tmp_path / 'out.gml')
    memory.observe(seen('rock_c', 500.0))
    names = [each.name for each in memory.places() if each.level == 0]
    assert names == ['rock_a', 'rock_b', 'rock_c']
    memory.close()


def test_a_thing_is_the_same_after_export_and_import(
    seen: Callable[..., Observation], tmp_path: Path
) -> None:
    spread = (0.2, 0.0, 0.1, 0.0, 0.3, 0.0, 0.1, 0.0, 1e-9)
    first = open_memory(':memory:', FakeEmbedder([]), clock=lambda: 100.0)
    for stamp in (10.0, 20.0):
        rock = first.observe(
            seen('rock_a', attributes=('red',), covariance=spread, stamp=stamp)
        ).node_id
    first.observe(seen('rock_b', 50.0, attributes=('flat & dark', '"old"')))
    first.confirm(rock, 25.0)
    first.retract(rock, 'it is "gone"', 30.0)
    first.export_gml(tmp_path / 'out.gml')
    memory = open_memory(':memory:', FakeEmbedder([]))
    memory.import_gml(tmp_path / 'out.gml')
    for name in (rock, first.places()[0].node_id):
        before, after = known(first.place(name)), known(memory.place(name))
        assert after == replace(before, writer='import', summary_by='import')
    assert known(memory.place(rock)).count > 1
    first.close()
    memory.close()


OF_OTHERS = """graph [
  node [ id 0 label "a" type "object" position "[0 0 0]" attributes [ color "red" ]
    covariance 0.5 reason 3 retracted_at "yesterday" observations "many" ]
]
"""


def test_attributes_that_others_mean_differently_are_kept(
    file: Callable[[str], Path], tmp_path: Path
) -> None:
    store = store_of(file(OF_OTHERS))
    assert same_in_file(store.get(['a'])['a'], replace(thing('a'), reason='3'))
    export_places(store, tmp_path / 'out.gml')
    store.close()
    data = networkx.read_gml(tmp_path / 'out.gml').nodes['a']
    assert (data['attributes'], data['covariance']) == ({'color': 'red'}, 0.5)
    assert (data['reason'], data['retracted_at'], data['observations']) == (3, 'yesterday', 'many')


def test_what_was_gone_before_an_import_is_said_to_be_gone(file: Callable[[str], Path]) -> None:
    memory = open_memory(':memory:', FakeEmbedder(['desk']))
    memory.import_gml(
        file(PUBLIC_FOREST.replace('label "desk_1"', 'label "desk_1" state "RETRACTED"'))
    )
    recall = memory.recall(Query(text='desk'))
    assert recall.outcome is RecallOutcome.ABSENT
    assert 'gone' in recall.reason
    memory.close()


@pytest.mark.parametrize(
    ('written', 'label'),
    [
        ('chair &#55357;&#56832;', 'chair 😀'),
        ('chair &#xD83D;&#xde00;', 'chair 😀'),
        ('chair &#56832;&#57344;', 'chair \N{REPLACEMENT CHARACTER}\ue000'),
    ],
)
def test_a_character_in_two_halves_is_one(
    file: Callable[[str], Path], written: str, label: str
) -> None:
    store = store_of(file(PUBLIC_FOREST.replace('chair_1', written)))
    assert store.get([label])
    store.close()


def test_a_number_of_an_area_may_be_of_any_script(file: Callable[[str], Path]) -> None:
    store = store_of(file(PUBLIC_FOREST.replace('area_1_cluster_7', 'area_²')))
    assert store.get(['area_²'])
    store.close()


def test_a_file_is_not_taken_twice(file: Callable[[str], Path]) -> None:
    path = file(PUBLIC_FOREST)
    store = store_of(path)
    with pytest.raises(MemoryStoreError, match=r'a\.gml.* is in this memory already'):
        import_places(store, Index(store, FakeEmbedder(['chair', 'desk'])), read_gml(path))
    store.close()


@pytest.mark.parametrize(
    ('old', 'new', 'words'),
    [
        ('graph [', 'grap [', 'line 1.*no GML file'),
        ('"(1.0, 2.0, 0.0)"', '"__import__(1)"', r'line {chair_1} .*position of node .chair_1.'),
        ('"(1.0, 2.0, 0.0)"', '"(1.0, 2.0)"', 'line {chair_1} .*three numbers'),
        ('"(1.0, 2.0, 0.0)"', '"(1.0, 2.0, 1e300)"', 'line {chair_1} .*three numbers'),
        ('type "cluster"', 'type "castle"', "line {area_1_cluster_7} .*type 'castle'"),
        (
            'type "cluster"\n    level 1',
            'type "cluster"\n    level 9',
            'line {area_1_cluster_7} .*level 9',
        ),
        ('id 3\n', 'id 2\n', 'duplicated'),
        ('target 4', 'target 44', 'line'),
        ('source 2\n    target 4', 'source 2\n    target 3', 'on one level'),
        ('"chair_1"\n    position "(1.0,', '"chair\r1 (1.0,', 'line {chair_1} .*three numbers'),
        ('"chair_1"\n    position "(1.0,', '"chair&amp;1 (1.0,', 'line 1 .*three numbers'),
        ('  edge [\n    source 2', '  edge \n    source 2', r'line {edge}'),
    ],
)
def test_a_damaged_file_is_refused_with_line_and_reason(
    file: Callable[[str], Path], old: str, new: str, words: str
) -> None:
    assert old in PUBLIC_FOREST
    lines = PUBLIC_FOREST.splitlines()
    labels = {
        name: lines.index(f'    label "{name}"') + 1 for name in ('chair_1', 'area_1_cluster_7')
    }
    wanted = words.format(**labels, edge=lines.index('  edge [') + 2)
    with pytest.raises(MemoryStoreError, match=wanted):
        read_gml(file(PUBLIC_FOREST.replace(old, new, 1)))


@example(at=PUBLIC_FOREST.index('chair_1'), cut=23, put='0\r')  # a label over two lines
@given(st.integers(0, len(PUBLIC_FOREST)), st.integers(0, 40), st.text(max_size=8))
@pytest.mark.slow
def test_damage_anywhere_ends_in_a_sentence_or_in_nodes(
    tmp_path_factory: pytest.TempPathFactory, at: int, cut: int, put: str
) -> None:
    path = tmp_path_factory.getbasetemp() / 'fuzzed.gml'
    text = PUBLIC_FOREST[:at] + put + PUBLIC_FOREST[at + cut :]
    path.write_bytes(text.encode('utf-8', 'surrogatepass'))
    message = ''
    try:
        assert all(node.name for node in read_gml(path).nodes)
    except MemoryStoreError as fault:
        message = str(fault)
    assert not message or ', line ' in message


@cache
def written(folder: Path) -> str:
    """A file of our own, with all that a node may have."""
    path = folder / 'written.gml'
    memory = open_memory(':memory:', clock=lambda: 100.0)
    for number in range(6):
        memory.observe(
            Observation(
                name=f'rock_{number}',
                label='rock',
                caption='flat "and" dark',
                position=(2.0 * number, 0.5, 0.0),
                stamp=10.0,
                map_epoch=2**31,
                covariance=(0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1),
            )
        )
    memory.export_gml(path)
    memory.close()
    return path.read_text(encoding='utf-8')


NUMBER = re.compile(r'-?\d+(?:\.\d+)?')
ODD = ('1e999', '-1e999', '9' * 400, '-1', '0.5', '""', '"x"', '[', ']', 'nan', 'NAN', '"inf"')


@pytest.mark.slow
@given(st.data())
def test_a_number_that_is_damaged_is_refused_with_line_and_reason_or_is_one(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / 'damaged.gml'
    text = written(path.parent)
    place = data.draw(st.sampled_from([*NUMBER.finditer(text)]))
    odd = data.draw(st.sampled_from(ODD))
    path.write_text(text[: place.start()] + odd + text[place.end() :], encoding='utf-8')
    memory = open_memory(':memory:')
    message = ''
    try:
        count = memory.import_gml(path)
        assert count == sum(1 for _ in memory.places())
        memory.recall(Query(text='a flat rock'))
    except MemoryStoreError as fault:
        message = str(fault)
    finally:
        memory.close()
    assert not message or ', line ' in message


@pytest.mark.parametrize('at', range(0, len(PUBLIC_FOREST) - 3, 97))
def test_a_file_that_ends_too_early_is_refused(file: Callable[[str], Path], at: int) -> None:
    with pytest.raises(MemoryStoreError, match='line'):
        read_gml(file(PUBLIC_FOREST[:at]))


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MemoryStoreError, match='No such file'):
        read_gml(tmp_path / 'none.gml')


# --- what means nothing here comes out as it came in ---------------------------------------------

KEYS = st.from_regex('[a-z][a-z0-9]{0,6}', fullmatch=True).filter(
    lambda key: key not in {each.lower() for each in READ} | {'kind', 'source', 'target', 'key'}
)
TEXTS = st.text(st.characters(exclude_categories=('Cs', 'Cc')), max_size=12)
LABELS = TEXTS.filter(lambda text: sanitize_line(text, 12))  # others are blank, and get a number
VALUES = st.recursive(
    st.integers() | st.floats(allow_nan=False) | TEXTS.filter(lambda text: text != '[]'),
    lambda inner: st.lists(inner, min_size=1, max_size=3).filter(lambda some: not any(
        isinstance(each, list) for each in some
    )) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@pytest.mark.slow
@given(
    labels=st.lists(LABELS, min_size=2, max_size=4, unique=True),
    kind=st.sampled_from(sorted(KINDS)),
    extra=st.dictionaries(KEYS, VALUES, max_size=4),
    beside=st.dictionaries(KEYS, VALUES, max_size=2),
)
def test_attributes_of_others_survive_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    labels: list[str],
    kind: str,
    extra: dict[str, Any],
    beside: dict[str, Any],
) -> None:
    path = tmp_path_factory.getbasetemp() / 'odd.gml'
    level = {'level': 1} if kind == 'cluster' else {}
    told = {'type': kind, **level, **extra}
    position = {'x': 1.0, 'y': 2.0, 'z': 0.0}
    nodes = [
        record('node', {'id': at, 'label': label, 'position': position, **told})
        for at, label in enumerate(labels)
    ]
    edge = record('edge', {'source': 0, 'target': 1, 'relationship': 'leads_to', **beside})
    lines = ['graph [', *(line for node in nodes for line in node), *edge, ']']
    path.write_text('\n'.join(lines), encoding='utf-8')
    memory = open_memory(':memory:')
    memory.import_gml(path)
    memory.export_gml(path)
    memory.close()
    graph = networkx.read_gml(path)
    for label in labels:
        found = graph.nodes[label]
        assert {key: found[key] for key in told} == told
    leads = [data for *_, data in graph.edges(data=True) if data['relationship'] == 'leads_to']
    assert leads == [{'relationship': 'leads_to', **beside}]


@pytest.mark.parametrize('name', ['base', 'street_view', 'vehicle'])
@pytest.mark.slow
def test_a_type_of_others_is_kept_and_its_nodes_are_found(
    file: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    memory = open_memory(':memory:')
    memory.import_gml(file(PUBLIC_FOREST.replace('type "object"', f'type "{name}"')))
    memory.export_gml(tmp_path / 'out.gml')
    memory.close()
    assert f'type "{name}"' in (tmp_path / 'out.gml').read_text(encoding='utf-8')


BOX = """graph [
  node [ id 0 label "a" type "object" level 1 position 1.5 position 2.5 position 0.0
    box2D 1.0 box2D 2.0 box2D 3.0 box2D 4.0 timestamp "20241118_160313" ]
  node [ id 1 label "drone_1" type "drone" level 0 yaw 0.5 position [ x 1.0 y 1.0 z 0.0 ] ]
]
"""


def test_a_box_in_repeated_keys_a_level_and_a_yaw_are_kept(
    file: Callable[[str], Path], tmp_path: Path
) -> None:
    memory = open_memory(':memory:')
    memory.import_gml(file(BOX))
    memory.export_gml(tmp_path / 'out.gml')
    memory.close()
    nodes = networkx.read_gml(tmp_path / 'out.gml').nodes
    assert nodes['a']['box2D'] == [1.0, 2.0, 3.0, 4.0]
    assert (nodes['a']['level'], nodes['a']['timestamp']) == (1, '20241118_160313')
    assert nodes['drone_1']['yaw'] == 0.5


@pytest.mark.parametrize(
    ('writer', 'read'), [('operator', 'operator'), ('model', 'model'), ('percept', 'import')]
)
def test_a_place_that_somebody_named_is_one_after_an_import(
    tmp_path: Path, writer: Writer, read: Writer
) -> None:
    path = tmp_path / 'out.gml'
    memory = open_memory(':memory:')
    camp = Observation(name='camp', label='place', position=(1, 2, 0), stamp=1.0, writer=writer)
    memory.observe(camp)
    memory.export_gml(path)
    memory.close()
    assert [node.writer for node in read_gml(path).nodes] == [read]


def test_a_writer_of_others_is_kept(file: Callable[[str], Path], tmp_path: Path) -> None:
    store = store_of(file(TWO.replace('yaw 0.5', 'writer "Tolstoy"')))
    assert {node.writer for node in store.nodes(Scope())} == {'import'}
    export_places(store, tmp_path / 'out.gml')
    store.close()
    assert networkx.read_gml(tmp_path / 'out.gml').nodes['a']['writer'] == 'Tolstoy'


TWO = """graph [
  node [ id 0 label "a" position "[0 0 0]" yaw 0.5 ]
  node [ id 1 label "b" position "[9 0 0]" ]
  edge [ source 0 target 1 relationship "leads_to" ]
  edge [ source 0 target 1 type "object_path" ]
]
"""


def test_a_second_file_takes_nothing_from_the_first_one(
    file: Callable[[str], Path], tmp_path: Path
) -> None:
    store = store_of(file(TWO))
    second = file(TWO.replace('label "', 'label "other_'))
    import_places(store, Index(store, FakeEmbedder([])), read_gml(second))
    export_places(store, tmp_path / 'out.gml')
    store.close()
    graph = networkx.read_gml(tmp_path / 'out.gml')
    assert [graph.nodes[each]['yaw'] for each in ('a', 'other_a')] == [0.5, 0.5]
    edges = [
        (one, data.get('relationship', data.get('type')))
        for one, _, data in graph.edges(data=True)
    ]
    for each in ('a', 'other_a'):
        assert {(each, 'leads_to'), (each, 'object_path')} <= set(edges)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / 'bom.gml'
    path.write_text(PUBLIC_FOREST, encoding='utf-8-sig')
    assert len(read_gml(path).nodes) == len(read_plain(tmp_path))


def read_plain(folder: Path) -> tuple[Node, ...]:
    (folder / 'plain.gml').write_text(PUBLIC_FOREST, encoding='utf-8')
    return read_gml(folder / 'plain.gml').nodes


@pytest.mark.parametrize('level', ['"zero"', '0.5', '1' + '0' * 20, '-1', '6', '1e20', '"[]"'])
@pytest.mark.parametrize('kind', ['object', 'cluster', 'base'])
def test_a_level_that_is_none_is_refused(
    file: Callable[[str], Path], kind: str, level: str
) -> None:
    text = BOX.replace('type "object" level 1', f'type "{kind}" level {level}')
    with pytest.raises(MemoryStoreError, match=r"line 2 .*'a' has the level"):
        read_gml(file(text))


@pytest.mark.parametrize('x', ['1e308', '-1e308', '1E+8', '10000001.0', '1' + '0' * 40])
def test_a_place_beyond_every_map_is_refused(file: Callable[[str], Path], x: str) -> None:
    text = BOX.replace('[ x 1.0', f'[ x {x}')
    with pytest.raises(MemoryStoreError, match=r"line 4 .*position of node 'drone_1'.*1e\+07"):
        read_gml(file(text))


def test_a_number_without_a_point_is_read_and_a_text_is_left_alone(
    file: Callable[[str], Path],
) -> None:
    text = BOX.replace('[ x 1.0', '[ x 1e3').replace('yaw 0.5', 'caption "at 1e3 m"')
    drone = next(node for node in read_gml(file(text)).nodes if node.kind == 'drone')
    assert (drone.position[0], drone.caption) == (1000.0, 'at 1e3 m')


@pytest.mark.parametrize('label', ['', '  ', '\u200b', '\ufeff', '&#0;', '&#65279;'])
def test_a_node_without_a_label_is_not_part_of_everything(
    file: Callable[[str], Path], tmp_path: Path, label: str
) -> None:
    text = BOX.replace('"drone_1"', f'"{label}"').replace('"drone"', '"object"')
    store = store_of(file(text))
    assert {node.name for node in store.nodes(Scope())} == {'a', 'node_0'}
    export_places(store, tmp_path / 'out.gml')
    store.close()
    graph = networkx.read_gml(tmp_path / 'out.gml')
    assert set(graph) == {'a', 'node_0'}
    assert not [each for each in graph.edges(data='relationship') if each[2] == 'part_of']


@pytest.mark.parametrize(('one', 'other'), [('7', '"7"'), ('"7.5"', '7.5'), ('-1', '"-1"')])
def test_two_labels_that_are_one_as_text_lose_no_node(
    file: Callable[[str], Path], one: str, other: str
) -> None:
    text = BOX.replace('"a"', one).replace('"drone_1"', other)
    with pytest.raises(MemoryStoreError, match=r'line \d.*is duplicated'):
        read_gml(file(text))
