"""The detector's topic. Its messages come with the extra `memory`: nobody else needs them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from builtin_interfaces.msg import Time
from std_msgs.msg import Header
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from curiosity_sim.rover.detector import Sighting


class DetectionTopic:
    """Publishes the detector's sightings. `publisher`: of messages of type `MESSAGE`."""

    MESSAGE = Detection3DArray

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher

    @property
    def has_subscribers(self) -> bool:
        """Whether the topic has subscribers."""
        return bool(self._publisher.get_subscription_count())

    def publish(self, stamp: Time, frame: str, sightings: Iterable[Sighting]) -> None:
        """Publish the sightings of one scan; may be empty. Places in `frame`, the base's."""
        message = Detection3DArray()
        message.header.stamp, message.header.frame_id = stamp, frame.lstrip('/')
        message.detections = [_detection_to_ros(message.header, each) for each in sightings]
        self._publisher.publish(message)


def _detection_to_ros(header: Header, sighting: Sighting) -> Detection3D:
    found = ObjectHypothesisWithPose()
    label = f'{sighting.kind}/{sighting.name}'
    label += f': {sighting.caption}' if sighting.caption else ''
    found.hypothesis.class_id, found.hypothesis.score = label, sighting.score
    place = found.pose.pose.position
    place.x, place.y, place.z = sighting.x, sighting.y, sighting.z
    covariance = [0.0] * 36
    covariance[0] = covariance[7] = covariance[14] = sighting.std_m**2
    found.pose.covariance = covariance
    message = Detection3D(header=header, results=[found])
    width, height = sighting.size_m
    middle, size = message.bbox.center.position, message.bbox.size
    middle.x, middle.y, middle.z = sighting.x, sighting.y, sighting.z + height / 2.0
    size.x = size.y = width
    size.z = height
    return message
