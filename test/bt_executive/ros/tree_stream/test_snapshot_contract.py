"""Snapshot streams, as the viewer and the watcher of py_trees_ros use them, for every host."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
import math
import re
import threading
from typing import Any

from py_trees.common import Status
from py_trees_ros_interfaces.msg import SnapshotStreamParameters
from py_trees_ros_interfaces.srv import CloseSnapshotStream, ReconfigureSnapshotStream
import pytest
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from bt_executive.ros.tree_stream import own_tree_host
from bt_executive.ros.tree_stream.stream_lifetime import Grace
from bt_executive.ros.tree_stream.tree_message_of_tick import TickView

pytestmark = pytest.mark.ros
CLOSE = '/executive/snapshot_streams/close'
RECONFIGURE = '/executive/snapshot_streams/reconfigure'
NOBODY = bytes(16)


NAMES = {
    '': r'/executive/snapshot_streams/_snapshots_\d+',
    'mine': '/executive/snapshot_streams/mine',
    '~/mine': '/executive/mine',
    '/anywhere/else': '/anywhere/else',
}
NO_NAMES = ('no name!', '1', '//', '~', '~mine', '/rosout', 'x' * 300)


def test_the_answer_carries_the_full_name_and_streams_without_one_are_told_apart(
    stage: Any,
) -> None:
    viewer = stage.viewer()
    for wanted, opened in NAMES.items():
        topic = viewer.open(wanted)
        assert re.fullmatch(opened, topic)
        assert stage.publishers(topic) == 1
    assert len({viewer.open() for _ in range(3)}) == 3


def test_what_cannot_be_a_name_is_answered(stage: Any) -> None:
    viewer = stage.viewer()
    for wanted in NO_NAMES:
        viewer.open(wanted)
    messages = viewer.watch(viewer.open())
    stage.until(lambda: messages)


def test_publishers_are_reliable_and_latched(stage: Any) -> None:
    topic = stage.viewer().open()
    (info,) = stage.node.get_publishers_info_by_topic(topic)
    assert info.qos_profile.reliability is ReliabilityPolicy.RELIABLE
    assert info.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL


def test_without_a_period_only_changes_are_sent_and_the_first(stage: Any) -> None:
    viewer = stage.viewer()
    stage.tick(3)
    messages = viewer.watch(viewer.open())
    stage.until(lambda: messages)
    stage.second.words = 'words alone are no change'
    stage.tick(20)
    stage.first.outcome = Status.SUCCESS  # now the second is visited, too
    stage.until(lambda: len(messages) > 1)
    stage.tick(20)
    stage.first.outcome = Status.FAILURE
    stage.until(lambda: len(messages) > 2)
    assert [message.changed for message in messages] == [True, True, True]
    last = {each.name: each.status for each in messages[-1].behaviours}
    assert last['first'] == 4


@pytest.mark.parametrize('host_kind', ['ours'], indirect=True)
def test_a_tick_that_shows_nothing_new_makes_no_view(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = stage.viewer()
    messages = viewer.watch(viewer.open())
    stage.until(lambda: messages)
    stage.tick(2)
    made: list[Any] = []

    class CountedView(TickView):
        def __init__(self, *arguments: Any) -> None:
            made.append(self)
            super().__init__(*arguments)

    monkeypatch.setattr(own_tree_host, 'TickView', CountedView)
    stage.tick(20)
    assert made == []
    stage.first.outcome = Status.SUCCESS
    stage.tick()
    assert len(made) == 1
    stage.until(lambda: len(messages) > 1)


def test_with_a_period_of_zero_every_tick_is_sent(stage: Any) -> None:
    viewer = stage.viewer()
    messages = viewer.watch(viewer.open(period=0.0))
    stage.until(lambda: messages)
    for _ in range(5):
        known = len(messages)
        stage.tick()
        stage.until(lambda known=known: len(messages) > known, tick=False)
    assert messages[0].changed
    assert not any(message.changed for message in messages[1:])
    counts = [message.statistics.count for message in messages]
    assert counts == list(range(counts[0], counts[0] + len(counts)))


def test_within_a_period_nothing_is_sent(stage: Any) -> None:
    viewer = stage.viewer()
    messages = viewer.watch(viewer.open(period=0.3))
    stage.until(lambda: len(messages) == 4)
    stamps = [each.statistics.stamp for each in messages]
    ticks = [stage.tick_at(each.sec * 1_000_000_000 + each.nanosec) for each in stamps]
    gaps = [end - begin for (begin, _), (_, end) in pairwise(ticks)]  # each message is in between
    assert min(gaps) > 0.25e9


def test_reconfigure_acts_and_knows_what_is_open(stage: Any) -> None:
    viewer = stage.viewer()
    messages = viewer.watch(topic := viewer.open())
    stage.until(lambda: messages)
    stage.tick(10)
    wanted = SnapshotStreamParameters(snapshot_period=0.0, blackboard_data=True)
    answer = viewer.ask(
        ReconfigureSnapshotStream, RECONFIGURE, topic_name=topic, parameters=wanted
    )
    assert answer.result
    stage.until(lambda: messages[-1].blackboard_on_visited_path)
    unknown = viewer.ask(ReconfigureSnapshotStream, RECONFIGURE, topic_name='/nowhere')
    assert not unknown.result


def test_close_ends_a_stream_once(stage: Any) -> None:
    viewer = stage.viewer()
    topic = viewer.open()
    assert viewer.ask(CloseSnapshotStream, CLOSE, topic_name=topic).result
    stage.until(lambda: not stage.publishers(topic))
    assert not viewer.ask(CloseSnapshotStream, CLOSE, topic_name=topic).result


def test_a_late_joiner_gets_the_last_message(stage: Any) -> None:
    viewer, late = stage.viewer(), stage.viewer()
    messages = viewer.watch(topic := viewer.open())
    stage.until(lambda: messages)
    seen = late.watch(topic)
    stage.until(lambda: seen, tick=False)
    assert seen[0].statistics.count == messages[-1].statistics.count


def test_a_viewer_that_comes_after_the_change_sees_it(stage: Any) -> None:
    viewer = stage.viewer()
    topic = viewer.open()
    stage.tick(3)
    stage.first.outcome = Status.SUCCESS
    stage.tick(3)
    messages = viewer.watch(topic)
    stage.until(lambda: messages)
    assert messages[-1].changed
    assert {each.name: each.status for each in messages[-1].behaviours}['first'] == 3


def test_the_tree_comes_children_first_with_stable_ids(set_stage: Callable[..., Any]) -> None:
    trees = []
    for _ in range(2):
        stage = set_stage()
        viewer = stage.viewer()
        messages = viewer.watch(viewer.open())
        stage.until(lambda seen=messages: seen)
        trees.append(messages[-1].behaviours)
        viewer.leave()
        stage.close_host()
    first, second, root = trees[0]
    assert [first.name, second.name, root.name] == ['first', 'second', 'root']
    assert bytes(root.parent_id.uuid) == NOBODY
    assert [child.uuid.tolist() for child in root.child_ids] == [
        first.own_id.uuid.tolist(),
        second.own_id.uuid.tolist(),
    ]
    assert bytes(root.tip_id.uuid) == bytes(first.own_id.uuid)
    assert bytes(root.current_child_id.uuid) == bytes(first.own_id.uuid)
    assert [each.is_active for each in trees[0]] == [True, False, True]
    assert all(each.own_id.uuid[6] >> 4 == 4 for each in trees[0])
    assert [each.own_id for each in trees[1]] == [each.own_id for each in trees[0]]
    assert [(each.key, each.value) for each in first.blackboard_access] == [('/mode', 'w')]


def test_statistics_are_numbers(stage: Any) -> None:
    viewer = stage.viewer()
    messages = viewer.watch(viewer.open(period=0.0))
    stage.until(lambda: len(messages) > 15)
    for message in messages:
        told = message.statistics
        fields = [name for name in told.get_fields_and_field_types() if name.startswith('tick')]
        values = [getattr(told, name) for name in fields]
        assert len(values) == 6
        assert all(math.isfinite(value) and value >= 0.0 for value in values)
    assert messages[-1].statistics.tick_interval_average > 0.0


def test_values_and_activity_come_when_they_are_asked_for(stage: Any) -> None:
    viewer = stage.viewer()
    plain = viewer.watch(viewer.open(period=0.0))
    full = viewer.watch(viewer.open(period=0.0, blackboard_data=True, blackboard_activity=True))
    stage.until(lambda: plain and full)
    stage.tick()
    stage.board = {**stage.board, '/mode': 'EXEC'}
    stage.until(lambda: full[-1].blackboard_on_visited_path[0].value == 'EXEC')
    assert [each.key for each in full[-1].blackboard_on_visited_path] == ['/mode']
    written = [each for message in full for each in message.blackboard_activity]
    told = [
        (each.key, each.client_name, each.activity_type, each.current_value) for each in written
    ]
    assert ('/mode', 'executive', 'WRITE', 'EXEC') in told
    assert not any(each.blackboard_on_visited_path or each.blackboard_activity for each in plain)


def test_requests_are_answered_while_a_tick_takes_long(stage: Any) -> None:
    viewer, over = stage.viewer(), threading.Event()
    stage.first.update = lambda: Status.RUNNING if over.wait(30.0) else Status.FAILURE
    busy = threading.Thread(target=stage.tick)
    busy.start()
    try:
        topic = viewer.open()
        assert stage.publishers(topic) == 1
        assert viewer.ask(CloseSnapshotStream, CLOSE, topic_name=topic).result
    finally:
        over.set()
        busy.join()


def test_a_stream_whose_viewer_is_gone_is_dropped(set_stage: Callable[..., Any]) -> None:
    stage = set_stage(Grace(to_come=60.0, to_return=0.2))
    viewer, other = stage.viewer(), stage.viewer()
    topic, kept = viewer.open(), other.open()
    messages, seen = viewer.watch(topic), other.watch(kept, latched=True)
    stage.until(lambda: messages and seen)
    stage.viewers.remove(viewer)
    viewer.leave()
    stage.until(lambda: not stage.publishers(topic))
    assert stage.publishers(kept) == 1


def test_a_stream_to_which_nobody_came_is_dropped(set_stage: Callable[..., Any]) -> None:
    stage = set_stage(Grace(to_come=0.2))
    topic = stage.viewer().open()
    stage.until(lambda: not stage.publishers(topic))


def test_a_viewer_outlives_a_restart(set_stage: Callable[..., Any]) -> None:
    stage = set_stage()
    viewer = stage.viewer()
    messages = viewer.watch(topic := viewer.open())
    stage.until(lambda: messages)
    stage.close_host()
    stage.viewers.remove(viewer)
    known = len(messages)
    again = set_stage(Grace(to_adopt=math.inf))
    again.viewers.append(viewer)
    again.until(lambda: again.publishers(topic) and len(messages) > known)
    assert [each.own_id for each in messages[-1].behaviours] == [
        each.own_id for each in messages[0].behaviours
    ]
    assert viewer.ask(CloseSnapshotStream, CLOSE, topic_name=topic).result
