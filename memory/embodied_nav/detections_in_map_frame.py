"""Reads ROS detections and places them in the map frame.

Each waits until the robot's pose at its stamp is known. Times in s: `now` of a steady
clock, stamps of ROS.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
import time
from uuid import uuid4

from vision_msgs.msg import Detection3D, Detection3DArray

from embodied_nav.percepts import Detections, Percept
from rover_common.config.settings.topics import TfFrames
from rover_common.geometry.transforms import Transform
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.tf_listener import TfListener

POSE_WAIT_S = 1.0  # steady; timeout for the pose at the stamp of a detection
MOST_PERCEPTS = 200  # of one message
FIRST, SEVENTH, FIFTEENTH = 0, 7, 14  # x, y, z on the diagonal of a 6x6 covariance
MOST_PENDING = 50  # messages that wait for their pose


class DetectionsInMapFrame:
    """Receives detections and yields them transformed, in their order.

    Args:
        ros_now: Returns the ROS time.

    Attributes:
        received_at: When the latest was received; None: none was.
        unplaced: How many were dropped, because no pose at their stamp became known.
    """

    def __init__(self, tf: TfListener, frames: TfFrames, ros_now: Callable[[], float]) -> None:
        self._tf, self._frames, self._ros_now = tf, frames, ros_now
        self._pending: deque[tuple[Detection3DArray, float]] = deque()
        self._receiver = uuid4().hex[:8]  # rovers whose clocks began together have the same stamps
        self.received_at: float | None = None
        self.unplaced = 0

    def __len__(self) -> int:
        """The number that waits for a pose."""
        return len(self._pending)

    def add(self, message: Detection3DArray, now: float) -> None:
        """Add a message; it is dropped if too many wait, so that the first ones get their pose."""
        self.received_at = now
        if len(self._pending) < MOST_PENDING:
            self._pending.append((message, now + POSE_WAIT_S))
        else:
            self.unplaced += 1

    def take_placed(self, now: float) -> Iterator[Detections]:
        """Yield those whose pose is known, and drop those that have waited too long."""
        while self._pending:
            message, until = self._pending[0]
            detections = self._with_pose(message)
            if detections is None and now < until:
                return
            self._pending.popleft()
            if detections is None:
                self.unplaced += 1
            else:
                yield detections

    def _with_pose(self, message: Detection3DArray) -> Detections | None:
        """Return detections; None while the robot's pose at their stamp is not known."""
        world, base = self._frames.world_frame, self._frames.base_frame
        stamp = seconds_from_ros(message.header.stamp)
        at = self._tf.find(world, message.header.frame_id or base, stamp)
        stood = self._tf.find(world, base, stamp)
        if at is None or stood is None:
            return None
        age = self._ros_now() - stamp
        found = detections_from_ros(message, at, stood, time.time() - max(age, 0.0))
        return replace(found, array_id=f'{self._receiver}:{found.array_id}')


def detections_from_ros(
    message: Detection3DArray, at: Transform, base: Transform, stamp: float
) -> Detections:
    """Return a message as values: the first ones that have a class and a finite position.

    Of the others only the names are kept.

    Args:
        message: Its frame may be any in /tf.
        at: Pose of the message's frame in the map frame.
        base: Pose of the robot.
        stamp: s of the system's time.
    """
    time = message.header.stamp
    placed: list[Percept] = []
    unplaced: set[str] = set()
    for percept in (_percept(each) for each in message.detections if each.results):
        if percept.is_usable and len(placed) < MOST_PERCEPTS:
            placed.append(percept)
        else:
            unplaced.add(percept.name)
    array_id = f'{message.header.frame_id}@{time.sec}.{time.nanosec:09d}'
    return Detections(array_id, stamp, at, base, tuple(placed), frozenset(unplaced))


def _percept(detection: Detection3D) -> Percept:
    best = max(detection.results, key=lambda each: each.hypothesis.score)
    place, variances = best.pose.pose.position, best.pose.covariance
    return Percept(
        best.hypothesis.class_id,
        (place.x, place.y, place.z),
        float(max(variances[FIRST], variances[SEVENTH], variances[FIFTEENTH])),
        max(detection.bbox.size.x, detection.bbox.size.y) / 2.0 or 0.5,
    )
