"""Detections in the map's frame: each is held back until the robot's pose of its time is known.

A detection counts by its stamp. Times in s: `now` of a steady clock, stamps of ROS.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
import time

from vision_msgs.msg import Detection3DArray

from embodied_nav.detection_messages import look_from_ros
from embodied_nav.percepts import Look
from rover_common.config.settings.topics import TfFrames
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.tf_listener import TfListener

POSE_WAIT_S = 1.0  # steady; so long the pose of a detection's time is waited for
MOST_PENDING = 50  # detections that wait for their pose


@dataclass(frozen=True)
class _Pending:
    """A detection that waits for the robot's pose; `until` in steady s."""

    message: Detection3DArray
    until: float


class DetectionsInMapFrame:
    """Takes detections and gives them as looks, in their order.

    Args:
        ros_now: Returns the ROS time.

    Attributes:
        received_at: When the latest came; None: none has.
        unplaced: How many were given up, because no pose of their time became known.
    """

    def __init__(self, tf: TfListener, frames: TfFrames, ros_now: Callable[[], float]) -> None:
        self._tf, self._frames, self._ros_now = tf, frames, ros_now
        self._pending: deque[_Pending] = deque(maxlen=MOST_PENDING)
        self.received_at: float | None = None
        self.unplaced = 0

    def __len__(self) -> int:
        """How many wait for a pose."""
        return len(self._pending)

    def add(self, message: Detection3DArray, now: float) -> None:
        """Takes a detection."""
        self.received_at = now
        self._pending.append(_Pending(message, now + POSE_WAIT_S))

    def clear(self) -> None:
        """Forgets those that wait."""
        self._pending.clear()

    def placed(self, now: float) -> Iterator[Look]:
        """Yield those whose pose is known, and give up those that have waited too long."""
        while self._pending:
            look = self._placed(self._pending[0].message)
            if look is None and now < self._pending[0].until:
                return
            self._pending.popleft()
            if look is None:
                self.unplaced += 1
            else:
                yield look

    def _placed(self, message: Detection3DArray) -> Look | None:
        """Return a look; None while the robot's pose of its time is not known."""
        world, base = self._frames.world_frame, self._frames.base_frame
        stamp = seconds_from_ros(message.header.stamp)
        at = self._tf.find(world, message.header.frame_id or base, stamp)
        stood = self._tf.find(world, base, stamp)
        if at is None or stood is None:
            return None
        age = self._ros_now() - stamp
        return look_from_ros(message, at, stood, time.time() - max(age, 0.0))
