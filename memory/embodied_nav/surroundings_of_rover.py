"""What is remembered near the robot, as it is published for the executive and RViz."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
import time
from typing import Any

from bt_executive_interfaces.msg import MemoryDigest, NearbyPlace
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from embodied_nav.nodes_of_forest import Node
from embodied_nav.spatial_memory import SpatialMemory
from embodied_nav.store.memory_store import Scope
from rover_common.config.settings.executive import MemorySettings
from rover_common.geometry.transforms import Transform
from rover_common.ros.message_conversions import sendable_message

MOST_THINGS = 200
DECIMALS = 1  # of the positions in a digest
SUMMARY_PERIOD_S = 10.0  # steady; the ages and distances in a summary are published so often


@dataclass(frozen=True)
class Surroundings:
    """Things and areas near the robot, the nearest first; `counts` of the whole memory.

    `read_s`: the steady time when they were read.
    """

    summary: str = ''
    things: tuple[Node, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    read_s: float = 0.0

    def shows_the_same_as(self, published: Surroundings) -> bool:
        """Return whether it need not be published: noise of positions does not count.

        The summary changes with each second and each metre; it counts after `SUMMARY_PERIOD_S`.
        """
        if self._shown != published._shown:
            return False
        is_recent = self.read_s - published.read_s < SUMMARY_PERIOD_S
        return is_recent or self.summary == published.summary

    @property
    def _shown(self) -> frozenset[tuple[object, ...]]:
        return frozenset(
            (each.node_id, each.name, each.state, *(round(part) for part in each.position))
            for each in self.things
        )


def read_surroundings(
    memory: SpatialMemory, here: Transform, frame: str, map_epoch: int, settings: MemorySettings
) -> Surroundings:
    """Return what is remembered near the robot, in this map."""
    near = (here.x, here.y, here.z)
    scope = Scope(frame_id=frame, map_epoch=map_epoch)
    return Surroundings(
        memory.summary(near, settings.digest_chars, frame, map_epoch),
        tuple(memory.around(near, settings.near_m, scope, MOST_THINGS)),
        memory.stats(),
        time.monotonic(),
    )


def places_to_ros(stamp: Any, frame: str, nodes: Iterable[Node]) -> Detection3DArray:
    """Return nodes as detections: the id in `id`, class and name as class id, 1 as score."""
    message = Detection3DArray()
    message.header.stamp, message.header.frame_id = stamp, frame
    message.detections = [_detection(message.header, each) for each in nodes]
    return message


def _detection(header: Any, node: Node) -> Detection3D:
    found = ObjectHypothesisWithPose()
    kind = 'area' if node.level else node.label or node.name
    found.hypothesis.class_id = f'{kind}/{node.name}'
    found.hypothesis.score = 1.0
    place = found.pose.pose.position
    place.x, place.y, place.z = node.position
    detection = Detection3D(header=header, results=[found], id=node.node_id)
    middle, size = detection.bbox.center.position, detection.bbox.size
    middle.x, middle.y, middle.z = node.position
    size.x = size.y = size.z = 2.0 * node.radius_m
    return detection


def digest_to_ros(around: Surroundings) -> MemoryDigest:
    """Return the digest for the executive: the summary, and the things without the areas."""
    places = [_nearby(each) for each in around.things if not each.level]
    return sendable_message(MemoryDigest(summary=around.summary, places=places))


def _nearby(node: Node) -> NearbyPlace:
    x, y, _ = (round(each, DECIMALS) for each in node.position)
    return sendable_message(
        NearbyPlace(
            id=node.node_id,
            name=node.name,
            kind=node.label,
            x=x,
            y=y,
            radius_m=round(node.radius_m, 2),
            state=node.state.value,
        )
    )
