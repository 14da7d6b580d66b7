"""The visualizer as a node: what is told is shown, what is gone is deleted."""

from __future__ import annotations

import itertools
import os
import time
from typing import Any

from bt_executive_interfaces.msg import (
    AdapterStatus,
    ApprovalRequest,
    ApprovalRequests,
    ExecutiveState,
)
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
import pytest
from tf2_msgs.msg import TFMessage

from curiosity_viz import visualizer_node
from curiosity_viz.visualizer_node import VisualizerNode
from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import MOST_ZONES
from rover_common.geometry.transforms import Transform
from rover_common.ros.keep_out_messages import zones_to_ros
from rover_common.ros.qos import LATCHED
from rover_common.ros.tf_listener import TF_QOS

pytestmark = pytest.mark.ros


def path(*places: tuple[float, float], frame: str = 'odom') -> Path:
    made = Path()
    made.header.frame_id = frame
    for x, y in places:
        stamped = PoseStamped()
        stamped.pose.position.x, stamped.pose.position.y = x, y
        made.poses.append(stamped)
    return made


def test_zone_trace_score_and_silence_are_shown(stage: Any) -> None:
    assert stage.names() == {'bright_zone', 'mode'}
    for number in range(5):
        stage.tell(f'step {number}', score=number / 10)
    stage.spin_until(lambda: stage.lines() == [f'ACT step {n} score 0.{n}0' for n in (4, 3, 2)])
    assert stage.text('score') == '0.40'
    assert stage.text('mode') == 'executive is silent'


def test_the_path_follows_the_rover_until_the_world_begins_anew(stage: Any) -> None:
    for x in (0.0, 1.0, 2.0):
        stage.move(Transform(x=x, stamp=100.0 + x))
        stage.spin_until(lambda x=x: ('rover', 0) in stage.shown
                         and stage.shown['rover', 0].pose.position.x == x)  # fmt: skip
    assert [point.x for point in stage.shown['path', 0].points] == [0.0, 1.0, 2.0]
    stage.tell('m', tool_name='capture_and_score', score=0.5)
    stage.spin_until(lambda: 'captures' in stage.names())
    stage.move(Transform(x=0.0, stamp=3.0))
    stage.spin_until(lambda: not {'path', 'captures', 'capture_scores'} & stage.names())
    assert stage.text('score') == '0.50'


def test_a_capture_stands_where_the_rover_was_at_its_stamp(stage: Any) -> None:
    for x in (1.0, 2.0, 3.0):
        stage.move(Transform(x=x, stamp=x))
    stage.spin_until(lambda: 'rover' in stage.names())
    stage.spin_until(lambda: stage.shown['rover', 0].pose.position.x == 3.0)
    stage.tell('m', tool_name='look', score=0.9, data={'result': {'stamp': 1.5}})
    stage.spin_until(lambda: 'captures' in stage.names())
    (place,) = stage.shown['captures', 1].points
    assert (place.x, place.y) == (1.5, 0.0)
    assert stage.text('capture_scores') == '0.90'


def test_mode_and_approvals_hang_over_the_rover_while_the_executive_speaks(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('curiosity_viz.mode_and_requests.SILENT_AFTER_S', 1.2)
    request = ApprovalRequest(
        request_id='ask-0a1b2c', tool='move_nudge', arguments='{"duration_sec": 2.0}'
    )
    stage.publish('executive/approvals', ApprovalRequests(requests=[request]))
    stage.publish('executive/state', ExecutiveState(mode='SAFE', safety_reason='tilt 40 deg'))
    stage.spin_until(lambda: 'approval' in stage.names())
    assert stage.text('approval') == 'Approve? ask-0a1b2c: move_nudge(duration_sec=2.0)'
    assert stage.text('mode') == 'SAFE: tilt 40 deg'
    stage.spin_until(lambda: stage.text('mode') == 'executive is silent')
    assert 'approval' not in stage.names()
    stage.publish('executive/approvals', ApprovalRequests())  # it was started again
    stage.publish('executive/state', ExecutiveState(mode='IDLE'))
    stage.spin_until(lambda: stage.text('mode') == 'IDLE')
    assert 'approval' not in stage.names()


def test_transforms_that_stop_coming_are_told(stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visualizer_node, 'MISSED_AFTER_S', 1.2)
    told: list[str] = []

    def take(message: DiagnosticArray) -> None:
        name = f'stage_{os.getpid()}/visualizer: view'
        told.extend(each.message for each in message.status if each.name == name)

    stage.other.create_subscription(DiagnosticArray, '/diagnostics', take, 10)
    stage.spin_until(lambda: any('no new transform' in each for each in told))
    stage.speaker('tf', TFMessage, TF_QOS)
    stamps = itertools.count(100)
    moving = stage.other.create_timer(
        0.1, lambda: stage.move(Transform(x=1.0, stamp=float(next(stamps))))
    )
    stage.spin_until(lambda: 'no new transform' not in told[-1])
    moving.cancel()
    stage.spin_until(lambda: 'no new transform' in told[-1])


def test_the_way_is_shown_while_the_adapter_drives_it(stage: Any) -> None:
    way = stage.speaker('adapter/navigation_path', Path, LATCHED)
    stage.publish('adapter/status', AdapterStatus())
    way.publish(path((0.0, 0.0), (1.0, 0.0), (2.0, 3.0)))
    stage.spin_until(lambda: {'navigation_path', 'navigation_goal'} <= stage.names())
    goal = stage.shown['navigation_goal', 0].pose.position
    assert (goal.x, goal.y) == (2.0, 3.0)
    stage.publish('adapter/status', AdapterStatus())
    way.publish(path(frame='odom'))
    stage.spin_until(lambda: 'navigation_goal' not in stage.names())
    assert 'navigation_path' not in stage.names()


def test_a_way_of_a_silent_adapter_is_not_shown(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visualizer_node, 'ADAPTER_SILENT_AFTER_S', 1.0)
    stage.speaker('adapter/navigation_path', Path, LATCHED).publish(path((0.0, 0.0), (1.0, 0.0)))
    stage.publish('adapter/status', AdapterStatus())
    stage.spin_until(lambda: 'navigation_goal' in stage.names())
    stage.spin_until(lambda: 'navigation_goal' not in stage.names())


def test_the_zones_of_the_adapter_replace_one_another(stage: Any) -> None:
    def zone(name: str) -> KeepOutZone:
        return KeepOutZone(name=name, polygon=((0, 0), (4, 0), (4, 4)))

    slopes = [zone('slope')] * MOST_ZONES  # all that a topic may bring, beside a configured one
    stage.publish('adapter/keep_out', zones_to_ros([zone('crater'), *slopes]))
    stage.spin_until(lambda: stage.text('keep_out_name', MOST_ZONES) == 'slope')
    far = KeepOutZone(name='west', polygon=((-1e6, 0), (0, 0), (0, 4)))
    stage.publish('adapter/keep_out', zones_to_ros([zone('mound'), far]))
    stage.spin_until(lambda: stage.text('keep_out_name', 1) == 'west')
    stage.publish('adapter/keep_out', zones_to_ros([zone('dune')]))
    stage.spin_until(lambda: stage.text('keep_out_name') == 'dune')
    assert [key for key in stage.shown if key[0] == 'keep_out'] == [('keep_out', 0)]


def test_only_what_changes_is_sent(stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visualizer_node, 'REPEAT_PERIOD_S', 600.0)
    for number in range(3):
        stage.tell(f'event {number}')
    stage.spin_until_shown('event 2')
    messages, sent = stage.messages, stage.sent
    stage.tell('last', score=0.3)
    stage.spin_until_shown('last score 0.30')
    assert stage.messages == messages + 1
    assert stage.sent == sent + 4  # three lines have moved up, and a score


EVERYTHING = {'bright_zone', 'mode', 'trace', 'score'}


def test_a_viewer_that_comes_late_is_shown_everything(stage: Any) -> None:
    stage.tell('before', score=0.7)
    stage.spin_until(lambda: stage.names() == EVERYTHING)
    stage.shown = {}
    stage.watch()
    stage.spin_until(lambda: stage.names() == EVERYTHING)


def test_a_viewer_that_missed_something_is_shown_everything_later(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visualizer_node, 'REPEAT_PERIOD_S', 0.3)
    stage.tell('before', score=0.7)
    stage.spin_until(lambda: stage.names() == EVERYTHING)
    stage.shown = {('trace', 17): stage.shown['trace', 0]}
    stage.spin_until(lambda: stage.names() == EVERYTHING)
    assert ('trace', 17) not in stage.shown


def test_a_restart_deletes_what_the_earlier_life_had_shown(stage: Any) -> None:
    for number in range(3):
        stage.tell(f'event {number}')
    stage.spin_until_shown('event 2')
    stage.remove(stage.visualizer)
    stage.add(VisualizerNode(stage.options))
    stage.spin_until(lambda: stage.lines() == [])
    stage.tell('again')
    stage.spin_until_shown('again')


def test_a_flood_is_shown_at_the_visualizers_own_pace(stage: Any) -> None:
    begun_at, begun = time.monotonic(), stage.messages
    for number in range(500):
        stage.tell('x' * (number % 7))
        stage.executor.spin_once(timeout_sec=0.0)
    stage.tell('the end')
    stage.spin_until_shown('the end')
    spent = time.monotonic() - begun_at
    assert stage.messages - begun <= spent / visualizer_node.UPDATE_PERIOD_S + 2


def test_the_state_is_read_while_somebody_looks(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in stage.visualizer._drawn:
        monkeypatch.setattr(each, '_kept_s', 0.5)
        each._requested_until = 0.0  # it is requested again in a moment, for as long as this

    def is_read() -> bool:
        return bool(stage.other.count_subscribers('executive/state'))

    stage.spin_until(is_read)
    stage.remove(stage.viewer)
    stage.spin_until(lambda: not is_read())
    stage.watch()
    stage.spin_until(is_read)
