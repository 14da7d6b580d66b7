"""Where the rover is by its transforms, whether that is news, and whether it moves.

Stamps in s of ROS time; ages in s of steady time, from the moment a new stamp was seen, so that
a robot whose stamps are of another clock is not taken for a silent one. Lengths in m.
"""

from __future__ import annotations

from collections import deque
import math

from bt_executive.clocks import Now
from bt_executive.settings import Motion
from bt_executive.transforms import Pose

# Faster than any motion of the rover: the frame jumped, the rover did not.
JUMP_M_S = 3.0
JUMP_M = 0.5
SAME_M = 0.005
# Stamps that are further from ROS time, in s, are of another clock.
OTHER_CLOCK_S = 60.0


class PoseWatch:
    """Follows the rover's pose. Call `take` with the latest transform as often as you like."""

    def __init__(self, settings: Motion) -> None:
        self._settings = settings
        self._seen_at = -math.inf
        self._track: deque[Pose] = deque()
        self._coasts_until: tuple[float, float] | None = None  # stamp, steady time
        self.latest: Pose | None = None
        self.before: Pose | None = None
        self.jumps = 0

    def take(self, pose: Pose | None, now: Now) -> None:
        """Takes the latest pose; None while there is none."""
        if pose is None or (self.latest and pose.stamp == self.latest.stamp):
            return
        if self.latest and _jumped(self.latest, pose):
            self.jumps += 1
            self.expect_rest()
        self.before, self.latest, self._seen_at = self.latest, pose, now.steady
        self._follow(pose, now)

    def pose(self, now: float) -> Pose | None:
        """The pose, if it is not older than `motion.pose_max_age_s`."""
        fresh = now - self._seen_at <= self._settings.pose_max_age_s
        return self.latest if fresh else None

    @property
    def at_rest(self) -> bool:
        """Whether the last two poses are the same."""
        if self.before is None or self.latest is None:
            return False
        moved = math.hypot(self.latest.x - self.before.x, self.latest.y - self.before.y)
        return moved < SAME_M

    def expect_rest(self) -> None:
        """The rover should stand still soon: what it did so far does not count."""
        self._track.clear()
        self._coasts_until = None

    def speed(self) -> float | None:
        """Mean speed over `motion.unasked_window_s`, in m/s; None if there is no such history."""
        if not self._track:
            return None
        first, last = self._track[0], self._track[-1]
        passed = last.stamp - first.stamp
        if passed < self._settings.unasked_window_s:
            return None
        return math.hypot(last.x - first.x, last.y - first.y) / passed

    def _follow(self, pose: Pose, now: Now) -> None:
        # In both times: a stop takes as long to arrive when simulated time runs fast. And poses
        # may come late: what was so before now says nothing about the rest to come.
        coasting = self._settings.coasting_s
        if self._coasts_until is None:
            same_clock = abs(now.ros - pose.stamp) < OTHER_CLOCK_S
            stamp = now.ros if same_clock else pose.stamp
            self._coasts_until = (stamp + coasting, now.steady + coasting)
        if pose.stamp < self._coasts_until[0] or now.steady < self._coasts_until[1]:
            return
        window = self._settings.unasked_window_s
        self._track.append(pose)
        while len(self._track) > 1 and pose.stamp - self._track[1].stamp >= window:
            self._track.popleft()


def _jumped(before: Pose, after: Pose) -> bool:
    distance = math.hypot(after.x - before.x, after.y - before.y)
    passed = after.stamp - before.stamp
    return passed < 0.0 or (distance > JUMP_M and distance > JUMP_M_S * passed)
