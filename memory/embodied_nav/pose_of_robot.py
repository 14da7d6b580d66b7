"""The pose of the robot in the map frame, while it is current."""

from __future__ import annotations

from collections.abc import Callable
import time

from rover_common.geometry.transforms import Transform


class PoseOfRobot:
    """Returns the latest pose, until no newer one has come for a while.

    Args:
        find: Returns the latest transform; None: there is none.
        age: Returns the age in s of a stamp of ROS time when it arrives.
        max_age_s: An older pose is not known.
        clock: Steady seconds.
    """

    def __init__(
        self,
        find: Callable[[], Transform | None],
        age: Callable[[float], float],
        max_age_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._find, self._age, self._max_age_s, self._clock = find, age, max_age_s, clock
        self._stamp, self._measured_at = 0.0, 0.0

    def current(self) -> Transform | None:
        """Return the pose; None: it is not known, or not any more. Called at least each second."""
        pose, now = self._find(), self._clock()
        if pose is None or not pose.stamp:
            return pose  # without a moving transform it has no stamp, and is always valid
        if pose.stamp != self._stamp:
            self._stamp, self._measured_at = pose.stamp, now - self._age(pose.stamp)
        return pose if now - self._measured_at <= self._max_age_s else None
