"""Blackboard streams, as the blackboard watcher of py_trees_ros uses them, for every host."""

from __future__ import annotations

from collections.abc import Callable
import math
import re
import sys
from typing import Any

from py_trees_ros_interfaces.srv import (
    CloseBlackboardStream,
    GetBlackboardVariables,
    OpenBlackboardStream,
)
import pytest
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from std_msgs.msg import String

from bt_executive.ros.tree_stream.stream_lifetime import Grace

pytestmark = pytest.mark.ros
FOLDER = '/executive/blackboard_streams'


def open_board(viewer: Any, *variables: str, **options: bool) -> str:
    answer = viewer.ask(OpenBlackboardStream, f'{FOLDER}/open', variables=variables, **options)
    return str(answer.topic)


def rows(message: String) -> dict[str, str]:
    """Variable → value, without colours."""
    plain = re.sub(r'\x1b\[[\d;]*m', '', message.data)
    pairs = (line.split(':', 1) for line in plain.splitlines() if ':' in line)
    return {key.strip(): value.strip() for key, value in pairs}


def test_variables_topic_and_publisher(stage: Any) -> None:
    viewer = stage.viewer()
    listed = viewer.ask(GetBlackboardVariables, f'{FOLDER}/get_variables').variables
    assert {'/mode', '/place', '/place.x', '/place.y'} <= set(listed)
    topic = open_board(viewer)
    assert re.fullmatch(rf'{FOLDER}/_watcher_\d+', topic)
    (info,) = stage.node.get_publishers_info_by_topic(topic)
    assert info.topic_type == 'std_msgs/msg/String'
    assert info.qos_profile.reliability is ReliabilityPolicy.RELIABLE
    assert info.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL


@pytest.mark.parametrize('latched', [True, False])
def test_the_board_is_shown_and_its_changes(stage: Any, latched: bool) -> None:
    viewer = stage.viewer()
    messages = viewer.watch(open_board(viewer), String, latched=latched)
    if not latched:  # py_trees_ros sends once, perhaps before such a subscriber is there
        stage.until(lambda: stage.node.count_subscribers(f'{FOLDER}/none') == 0)
        stage.board = {**stage.board, '/mode': 'SAFE'}
    stage.until(lambda: messages)
    known = len(messages)
    stage.tick(20)
    stage.board = {**stage.board, '/mode': 'EXEC'}
    stage.until(lambda: len(messages) > known)
    assert rows(messages[-1])['/mode'] == 'EXEC'
    assert len(messages) <= known + 2


def test_only_variables_asked_for_and_only_keys_on_the_visited_path_are_shown(stage: Any) -> None:
    viewer = stage.viewer()
    chosen = viewer.watch(open_board(viewer, 'place.x', 'nothing'), String)
    on_path = viewer.watch(open_board(viewer, filter_on_visited_path=True), String)
    stage.until(lambda: chosen and on_path)
    assert rows(chosen[-1]) == {'place.x': '1.0', 'nothing': '-'}
    assert list(rows(on_path[-1])) == ['/mode']


def test_activity_is_shown(stage: Any) -> None:
    viewer = stage.viewer()
    messages = viewer.watch(open_board(viewer, with_activity_stream=True), String)
    stage.until(lambda: messages)
    stage.tick()
    stage.board = {**stage.board, '/mode': 'EXEC'}
    stage.until(lambda: 'WRITE' in messages[-1].data)
    assert 'executive' in messages[-1].data


def test_a_stream_waits_for_its_first_subscriber_and_is_closed_once(stage: Any) -> None:
    viewer = stage.viewer()
    topic = open_board(viewer)
    stage.tick(20)
    messages = viewer.watch(topic, String)
    stage.until(lambda: messages)
    assert viewer.ask(CloseBlackboardStream, f'{FOLDER}/close', topic_name=topic).result
    stage.until(lambda: not stage.publishers(topic))
    assert not viewer.ask(CloseBlackboardStream, f'{FOLDER}/close', topic_name=topic).result


def test_a_stream_whose_viewer_is_gone_is_dropped(set_stage: Callable[..., Any]) -> None:
    stage = set_stage(Grace(to_come=60.0, to_return=0.2))
    viewer = stage.viewer()
    topic = open_board(viewer)
    messages = viewer.watch(topic, String)
    stage.until(lambda: messages)
    stage.viewers.remove(viewer)
    viewer.leave()
    stage.until(lambda: not stage.publishers(topic))


def test_a_viewer_outlives_a_restart(
    set_stage: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = set_stage()
    viewer = stage.viewer()
    messages = viewer.watch(topic := open_board(viewer), String)
    stage.until(lambda: messages)
    stage.close_host()
    stage.viewers.remove(viewer)
    upstream = sys.modules.get('py_trees_ros.blackboard')
    if upstream is not None:  # a new process counts anew
        monkeypatch.setattr(upstream.Exchange, '_counter', 0)
    known = len(messages)
    again = set_stage(Grace(to_adopt=math.inf))
    again.viewers.append(viewer)
    again.until(lambda: again.publishers(topic) and len(messages) > known)
    assert rows(messages[-1])['/mode'] == again.board['/mode']
    other = again.viewer()
    assert open_board(other) != topic
    assert viewer.ask(CloseBlackboardStream, f'{FOLDER}/close', topic_name=topic).result
    again.until(lambda: not again.publishers(topic))
