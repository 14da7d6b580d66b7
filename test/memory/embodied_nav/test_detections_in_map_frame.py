"""Detections wait for the pose of their stamp; their ids are those of the process."""

from __future__ import annotations

from typing import Any

from fakes.models import FakeEmbedder
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from embodied_nav.detections_in_map_frame import MOST_PENDING, DetectionsInMapFrame
from embodied_nav.percepts import Detections, observation_of
from embodied_nav.spatial_memory import open_memory
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform


class StandingAt:
    """The transforms of a rover that stands there."""

    def __init__(self, x: float) -> None:
        self._x = x

    def find(self, *_: object) -> Transform:
        return Transform(self._x)


def message(name: str) -> Detection3DArray:
    found = ObjectHypothesisWithPose()
    found.hypothesis.class_id = f'rock/{name}'
    sent = Detection3DArray(detections=[Detection3D(results=[found])])
    sent.header.stamp.sec = 12
    return sent


def look(x: float, messages: list[Detection3DArray]) -> list[Detections]:
    tf: Any = StandingAt(x)
    received = DetectionsInMapFrame(tf, load_config().topics.tf, lambda: 12.5)
    for each in messages:
        received.add(each, now=0.0)
    return [*received.take_placed(now=0.0)]


def test_rovers_of_one_simulated_time_share_a_memory() -> None:
    memory = open_memory(':memory:', FakeEmbedder([]))
    for x, name in ((0.0, 'crater'), (40.0, 'ventifact')):
        first, again = look(x, [message(name)] * 2)
        stored = [
            memory.observe(observation_of(each.percepts[0], each, 0, 'map', 0))
            for each in (first, again)
        ]
        assert [each.repeated for each in stored] == [False, True]
    names = {node.name: node.position[0] for node in memory.places() if node.level == 0}
    assert names == {'crater': 0.0, 'ventifact': 40.0}
    memory.close()


class LateBy:
    """Transforms that become known so long after their time, in s."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s, self.now = delay_s, 0.0

    def find(self, _parent: str, _child: str, at: float) -> Transform | None:
        return Transform() if at <= self.now - self._delay_s else None


def test_a_fast_detector_is_thinned_out_and_not_silenced_by_late_transforms() -> None:
    """Each look was dropped for the next ones before its pose came, and none was counted."""
    tf: Any = LateBy(0.9)
    received, placed = DetectionsInMapFrame(tf, load_config().topics.tf, lambda: tf.now), 0
    for number in range(300):  # in 3 s
        tf.now = number / 100
        sent = message('crater')
        sent.header.stamp.sec, sent.header.stamp.nanosec = divmod(number * 10**7, 10**9)
        received.add(sent, tf.now)
        placed += len([*received.take_placed(tf.now)])
    assert placed >= MOST_PENDING
    assert placed + received.unplaced + len(received) == 300
