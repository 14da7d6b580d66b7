"""Detections wait for the pose of their stamp; their ids are those of the process."""

from __future__ import annotations

from typing import Any

from fakes.models import FakeEmbedder
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from embodied_nav.detections_in_map_frame import DetectionsInMapFrame
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
