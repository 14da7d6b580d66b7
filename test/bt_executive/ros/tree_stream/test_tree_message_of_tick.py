"""The message tells of each behaviour what py_trees says, and of ticks how long they take."""

from __future__ import annotations

import math
import statistics

from hypothesis import given
from hypothesis import strategies as st
import py_trees
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Dummy
from py_trees.blackboard import ActivityItem
from py_trees.common import Access, BlackBoxLevel, ParallelPolicy, Status
from py_trees_ros_interfaces.msg import Behaviour as BehaviourMsg
from py_trees_ros_interfaces.msg import BehaviourTree
import pytest
from rclpy.serialization import deserialize_message

from bt_executive.ros.tree_stream.blackboard_text_and_changes import LONGEST_TEXT
from bt_executive.ros.tree_stream.tree_host_choice import give_stable_ids
from bt_executive.ros.tree_stream.tree_message_of_tick import (
    AVERAGED_TICKS,
    BehaviourMessages,
    Series,
    TickStatistics,
    tree_message,
)

NOBODY = bytes(16)
words = st.text(st.characters(exclude_characters='\0', exclude_categories=['Cs']), max_size=9)
statuses = st.sampled_from(Status)


class Leaf(Behaviour):
    """A leaf that says what it is told to say."""

    def __init__(self, name: str, outcome: Status, message: str, keys: list[str]) -> None:
        super().__init__(name)
        self.outcome, self.words = outcome, message
        client = self.attach_blackboard_client(name=name)
        for key in keys:
            client.register_key(f'/{key}', Access.READ)

    def update(self) -> Status:
        self.feedback_message = self.words
        return self.outcome


def composite(kind: int, name: str, children: list[Behaviour]) -> Behaviour:
    if kind == 0:
        return py_trees.composites.Sequence(name, memory=len(name) % 2 == 0, children=children)
    if kind == 1:
        return py_trees.composites.Selector(name, memory=len(name) % 2 == 0, children=children)
    if kind == 2:
        policies = (
            ParallelPolicy.SuccessOnAll(),
            ParallelPolicy.SuccessOnOne(),
            ParallelPolicy.SuccessOnSelected(children[:1], synchronise=False),
        )
        return py_trees.composites.Parallel(name, policies[len(name) % 3], children=children)
    child = py_trees.composites.Sequence(f'{name} all', memory=False, children=children)
    return py_trees.decorators.Inverter(name, child)


leaves = st.builds(
    Leaf,
    words,
    st.sampled_from([Status.RUNNING, Status.SUCCESS, Status.FAILURE]),
    words,
    st.lists(st.sampled_from('abc'), max_size=2, unique=True),
)
trees = st.recursive(
    leaves,
    lambda below: st.builds(
        composite, st.integers(0, 3), words, st.lists(below, min_size=1, max_size=4)
    ),
    max_leaves=12,
)
pairs = st.lists(st.tuples(words, words), max_size=3)


def read(raw: bytes) -> BehaviourTree:
    return deserialize_message(raw, BehaviourTree)


@pytest.mark.slow
@given(root=trees, ticks=st.integers(0, 3), values=pairs, changed=st.booleans())
def test_all_is_told_as_py_trees_says_it(
    root: Behaviour, ticks: int, values: list[tuple[str, str]], changed: bool
) -> None:
    give_stable_ids(root)
    messages, statistics, visited = BehaviourMessages(root), TickStatistics(), set[Behaviour]()
    for number in range(ticks + 1):
        statistics.begin()
        visited = set(root.tick()) if number else set()
        statistics.end()
        activity = [ActivityItem(key, 'x', root.id, 'WRITE', None, value) for key, value in values]
        behaviours = messages.of_tick(visited)
        message = read(tree_message(behaviours, changed, values, activity, statistics))
        assert message.changed is changed
        assert [(each.key, each.value) for each in message.blackboard_on_visited_path] == values
        assert [each.current_value for each in message.blackboard_activity] == [
            value for _, value in values
        ]
        assert message.statistics.count == number
        assert len(message.behaviours) == len(list(root.iterate()))
        for node, told in zip(root.iterate(), message.behaviours, strict=True):
            assert_same(node, told, node in visited)


@pytest.mark.slow
def test_a_subtree_that_comes_and_goes_is_in_the_bytes_while_it_is_there() -> None:
    sequence = py_trees.composites.Sequence
    tool = sequence('tool', False, [Dummy('step')])
    root = sequence('root', False, [Dummy('other'), tool])
    give_stable_ids(root)
    messages = BehaviourMessages(root)
    for _ in range(2):
        assert names_told(messages, root) == ['other', 'step', 'tool', 'root']
        root.remove_child(tool)
        assert names_told(messages, root) == ['other', 'root']
        root.add_child(tool)


def names_told(messages: BehaviourMessages, root: Behaviour) -> list[str]:
    raw = tree_message(messages.of_tick(()), True, [], [], TickStatistics())
    told = read(raw).behaviours
    for node, each in zip(root.iterate(), told, strict=True):
        assert_same(node, each, False)
    return [each.name for each in told]


def assert_same(node: Behaviour, told: BehaviourMsg, active: bool) -> None:
    """The message tells of the behaviour what py_trees itself says."""
    tip = node.tip()
    current = getattr(node, 'current_child', None)
    assert told.name == node.name
    assert told.class_name == f'{type(node).__module__}.{type(node).__name__}'
    assert bytes(told.own_id.uuid) == node.id.bytes
    assert bytes(told.parent_id.uuid) == (node.parent.id.bytes if node.parent else NOBODY)
    assert [bytes(each.uuid) for each in told.child_ids] == [c.id.bytes for c in node.children]
    assert bytes(told.tip_id.uuid) == (NOBODY if tip in (None, node) else tip.id.bytes)
    assert bytes(told.current_child_id.uuid) == (current.id.bytes if current else NOBODY)
    assert told.status == ['INVALID', 'RUNNING', 'SUCCESS', 'FAILURE'].index(node.status.name) + 1
    assert told.message == node.feedback_message
    assert told.is_active is active
    assert [each.value for each in told.blackboard_access] == ['r'] * len(told.blackboard_access)


@pytest.mark.parametrize(
    ('node', 'number', 'detail'),
    [
        (Dummy('leaf'), 1, ''),
        (py_trees.composites.Sequence('s', memory=True), 2, 'WithMemory'),
        (py_trees.composites.Sequence('s', memory=False), 2, ''),
        (py_trees.composites.Selector('s', memory=True), 3, 'WithMemory'),
        (py_trees.composites.Parallel('p', ParallelPolicy.SuccessOnAll()), 4, 'OnAll'),
        (py_trees.composites.Parallel('p', ParallelPolicy.SuccessOnOne()), 4, 'OnOne'),
        (py_trees.decorators.Inverter('i', Dummy('child')), 6, ''),
    ],
)
def test_types_and_details(node: Behaviour, number: int, detail: str) -> None:
    told = told_of(node)
    assert (told.type, told.additional_detail) == (number, detail)


def test_the_chosen_children_of_a_parallel_are_numbered() -> None:
    children = [Dummy(name) for name in 'abc']
    policy = ParallelPolicy.SuccessOnSelected([children[2], children[0]], synchronise=False)
    told = told_of(py_trees.composites.Parallel('p', policy, children))
    assert told.additional_detail == 'OnSelected(0, 2)'


@pytest.mark.parametrize('number', [1, 2, 3, 4])
def test_blackbox_levels(number: int) -> None:
    node = Dummy('leaf')
    node.blackbox_level = list(BlackBoxLevel)[number - 1]
    assert told_of(node).blackbox_level == number


def test_access_is_told_by_letter() -> None:
    node = Dummy('leaf')
    client = node.attach_blackboard_client(name='leaf')
    client.register_key('/read', Access.READ)
    client.register_key('/written', Access.WRITE)
    client.register_key('/mine alone', Access.EXCLUSIVE_WRITE)
    told = {each.key: each.value for each in told_of(node).blackboard_access}
    assert told == {'/read': 'r', '/written': 'w', '/mine alone': 'x'}


@pytest.mark.parametrize('hostile', ['a\0b', 'lone \ud800', 'x' * 100_000, '火星' * 400])
def test_hostile_texts_are_carried_and_bounded(hostile: str) -> None:
    node = Dummy('leaf')
    node.feedback_message = hostile
    message = told_of(node).message
    assert message.startswith(hostile[0])
    assert len(message) <= LONGEST_TEXT


def told_of(root: Behaviour) -> BehaviourMsg:
    give_stable_ids(root)
    raw = tree_message(BehaviourMessages(root).of_tick(()), True, [], [], TickStatistics())
    return read(raw).behaviours[-1]


@given(st.lists(st.floats(0.0, 1e6), max_size=30))
def test_the_latest_ten_are_averaged(values: list[float]) -> None:
    series = Series()
    for value in values:
        series.add(value)
    latest, average, variance = series.summary()
    kept = values[-AVERAGED_TICKS:]
    assert all(math.isfinite(each) and each >= 0.0 for each in (latest, average, variance))
    if kept:
        assert latest == kept[-1]
        assert average == pytest.approx(statistics.fmean(kept))
    if len(kept) > 1:
        assert variance == pytest.approx(statistics.variance(kept), rel=1e-6, abs=1e-6)


def test_ticks_are_counted_from_zero() -> None:
    told = TickStatistics()
    assert told.intervals.summary() == (0.0, 0.0, 0.0)
    told.begin()
    assert told.count == 0
    told.end()
    assert told.intervals.summary() == (0.0, 0.0, 0.0)
    told.begin()
    assert told.count == 1
    assert told.intervals.summary()[0] > 0.0
