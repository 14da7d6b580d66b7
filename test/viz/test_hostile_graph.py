"""The node among broken and hostile publishers, on every topic that it listens to."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
import json
import math
import os
from typing import Any

from bt_executive_interfaces.msg import (
    AdapterStatus,
    ApprovalRequest,
    ApprovalRequests,
    ExecutiveState,
    KeepOutZone,
    KeepOutZones,
)
from geometry_msgs.msg import Point, PoseStamped, TransformStamped
from hostile_traces import hostile_texts
from nav_msgs.msg import Path
import psutil
import pytest
from shares import share
from tf2_msgs.msg import TFMessage

from curiosity_viz.markers import FARTHEST_M
from rover_common.geometry.transforms import Transform
from rover_common.ros.qos import LATCHED
from rover_common.ros.tf_listener import TF_QOS
from rover_common.text_sanitizing import sendable

pytestmark = pytest.mark.ros

BATCH = 80  # less than the depth of the visualizer's subscription: nothing is dropped
MORE_MEMORY = 30 << 20
BAD_TEXTS = ('', 'M' * 2_000_000, '\x1b[2J', 'exec', '月')
BAD_REQUESTS = (
    '', '[]', '[' * 5000, '{"n": ' + '9' * 5000 + '}', '{"n": NaN}', '{"a": "\\ud800"}',
    ApprovalRequests(requests=[ApprovalRequest(
        request_id='\x1b', tool='\x1b[2J', arguments=json.dumps({'a': '\n' * 5000}))] * 500),
    ApprovalRequests(requests=[ApprovalRequest(arguments='{}')] * 2000),
)  # fmt: skip
BAD_ZONES: tuple[list[Any], ...] = (
    [], [('', [(0, 0), (1, 0), (1, 1)])], [('line', [(0, 0)])],
    [('bow', [(0, 0), (1, 1), (1, 0), (0, 1)])], [('far', [(0, 0), (1e300, 0), (1e300, 1)])],
    [('nan', [(0, 0), (math.nan, 0), (1, 1)])], [('z', [(0, 0), (1, 0), (1, 1)])] * 1000,
    [('z', [(math.cos(i), math.sin(i)) for i in range(5000)])],
)  # fmt: skip


def zones_with(zones: list[Any]) -> KeepOutZones:
    return KeepOutZones(
        zones=[
            KeepOutZone(name=name, polygon=[Point(x=float(x), y=float(y)) for x, y in corners])
            for name, corners in zones
        ]
    )


def request_with(arguments: str) -> ApprovalRequests:
    request = ApprovalRequest(request_id='i', tool='t', arguments=arguments)
    return ApprovalRequests(requests=[request])


def memory() -> int:
    return psutil.Process(os.getpid()).memory_info().rss


def assert_valid(stage: Any) -> None:
    """That every marker on the wire can be drawn."""
    assert len(stage.shown) < 400
    for marker in stage.shown.values():
        at, turned = marker.pose.position, marker.pose.orientation
        norm = math.hypot(turned.x, turned.y, turned.z, turned.w)
        assert norm == pytest.approx(1.0, abs=1e-3)
        points = [at, *marker.points]
        assert all(abs(n) <= FARTHEST_M + 10.0 for p in points for n in (p.x, p.y, p.z))
        assert marker.text.isascii()
        assert len(marker.text) < 150


def test_many_hostile_trace_messages(stage: Any) -> None:
    texts = list(hostile_texts(3, share(800, 1_600)))
    early = 0
    for begin in range(0, len(texts), BATCH):
        for text in texts[begin : begin + BATCH]:
            stage.say(text)
            stage.executor.spin_once(timeout_sec=0.0)
        mark = f'after {begin}'
        stage.tell(mark)
        stage.spin_until_shown(mark)
        assert_valid(stage)
        early = early or (memory() if begin >= len(texts) // 2 else 0)
    assert memory() - early < MORE_MEMORY


@pytest.mark.parametrize(
    ('topic', 'bad', 'of'),
    [
        ('executive/state', BAD_TEXTS, lambda text: ExecutiveState(mode=text)),
        (
            'executive/state',
            BAD_TEXTS,
            lambda text: ExecutiveState(mode='SAFE', safety_reason=text),
        ),
        ('executive/approvals', BAD_REQUESTS, request_with),
        ('adapter/keep_out', [*map(zones_with, BAD_ZONES)], None),
        ('adapter/status', BAD_TEXTS, lambda text: AdapterStatus(details=text)),
    ],
)
def test_garbage_on_the_other_topics(
    stage: Any, topic: str, bad: tuple[Any, ...], of: Callable[[str], Any] | None
) -> None:
    for each in (*bad, *map(sendable, hostile_texts(4, 100) if of else ())):
        stage.publish(topic, of(each) if of and isinstance(each, str) else each)
        stage.executor.spin_once(timeout_sec=0.005)
    stage.tell('still here')
    stage.spin_until_shown('still here')
    assert_valid(stage)


def test_transforms_that_are_none(stage: Any) -> None:
    tf = stage.speaker('tf', TFMessage, TF_QOS)
    for field in ('translation', 'rotation'):
        for value in (math.nan, math.inf, -1e308, 1e200):
            broken = TransformStamped(child_frame_id='base_footprint')
            broken.header.frame_id = 'odom'
            broken.transform.rotation.w = 1.0
            getattr(broken.transform, field).x = value
            tf.publish(TFMessage(transforms=[broken]))
            stage.executor.spin_once(timeout_sec=0.05)
    stage.move(Transform(x=1.0), frame='base_footprint')  # its own parent
    stamps = count(5)

    def the_rover_is_seen() -> bool:  # two senders contradict each other for a while
        stage.move(Transform(x=2.0, stamp=float(next(stamps))))
        return 'rover' in stage.names()

    stage.spin_until(the_rover_is_seen)
    stage.spin_until(lambda: stage.shown['rover', 0].pose.position.x == 2.0)
    assert_valid(stage)


def test_a_way_that_cannot_be_drawn(stage: Any) -> None:
    way = stage.speaker('adapter/navigation_path', Path, LATCHED)
    for x, w, poses, frame in (
        (math.nan, 1.0, 2, 'odom'), (math.inf, 1.0, 2, 'odom'), (1e300, 1.0, 2, 'odom'),
        (1.0, math.nan, 2, 'odom'), (1.0, 1.0, 2, 'moon'), (1.0, 0.0, 20_000, 'odom'),
    ):  # fmt: skip
        pose = PoseStamped()
        pose.pose.position.x, pose.pose.orientation.w = x, w
        broken = Path(poses=[pose] * poses)
        broken.header.frame_id = frame
        way.publish(broken)
        stage.executor.spin_once(timeout_sec=0.1)
    stage.publish('adapter/status', AdapterStatus(details='not a status'))
    stage.tell('still here')
    stage.spin_until_shown('still here')
    assert_valid(stage)
