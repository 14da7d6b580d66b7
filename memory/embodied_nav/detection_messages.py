"""Converts ROS detections to values, and remembered nodes to ROS detections."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bt_executive_interfaces.msg import MemoryDigest, NearbyPlace
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from embodied_nav.nodes_of_forest import Node
from embodied_nav.percepts import Detections, Percept
from embodied_nav.surroundings_of_rover import Surroundings
from rover_common.geometry.transforms import Transform
from rover_common.ros.sendable_message import sendable_message

DECIMALS = 1  # of the positions in a digest
MOST_PERCEPTS = 200  # of one message
FIRST, SEVENTH, FIFTEENTH = 0, 7, 14  # x, y, z on the diagonal of a 6x6 covariance


def detections_from_ros(
    message: Detection3DArray, at: Transform, base: Transform, stamp: float
) -> Detections:
    """Return a message as values. What has no class or no finite position is left out.

    Args:
        message: Its frame may be any in /tf.
        at: Pose of the message's frame in the map frame.
        base: Pose of the robot.
        stamp: s of the system's time.
    """
    time = message.header.stamp
    percepts = (_percept(each) for each in message.detections[:MOST_PERCEPTS] if each.results)
    array_id = f'{message.header.frame_id}@{time.sec}.{time.nanosec:09d}'
    return Detections(
        array_id, stamp, at, base, tuple(each for each in percepts if each.is_usable)
    )


def _percept(detection: Detection3D) -> Percept:
    best = max(detection.results, key=lambda each: each.hypothesis.score)
    place, variances = best.pose.pose.position, best.pose.covariance
    return Percept(
        best.hypothesis.class_id,
        (place.x, place.y, place.z),
        float(max(variances[FIRST], variances[SEVENTH], variances[FIFTEENTH])),
        max(detection.bbox.size.x, detection.bbox.size.y) / 2.0 or 0.5,
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
