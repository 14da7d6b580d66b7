"""Where the rover is by its transforms, whether that is news, and whether it moves.

Stamps in s of ROS time; ages in s of steady time, from the moment a new stamp was seen, so that
a robot whose stamps are of another clock is not taken for a silent one. Lengths in m.
"""

from __future__ import annotations

from collections import deque
import math

from rover_common.clocks import Now
from rover_common.config.settings import MotionSettings
from rover_common.geometry.transforms import Transform

# Faster than any motion of the rover: the frame jumped, the rover did not.
JUMP_M_S = 3.0
JUMP_M = 0.5
# At rest or rolling now: by the mean speed over so long, in s. Odometry comes every 0.1 s.
RECENT_S = 0.09
# Stamps that are further from ROS time, in s, are of another clock.
OTHER_CLOCK_S = 60.0


class MotionMonitor:
    """Follows the rover's pose. Call `take` with the latest transform as often as you like."""

    def __init__(self, settings: MotionSettings) -> None:
        self._settings = settings
        self._seen_at = -math.inf
        self._track: deque[Transform] = deque()  # since it should stand still, without coasting
        self._recent: deque[Transform] = deque()  # since it should stand still
        self._was_moving = False
        self._coasts_until: tuple[float, float] | None = None  # stamp, steady time
        self.latest: Transform | None = None
        self.jumps = 0

    def take(self, pose: Transform | None, now: Now) -> None:
        """Takes the latest pose; None while there is none."""
        if pose is None or (self.latest and pose.stamp == self.latest.stamp):
            return
        if self.latest and _jumped(self.latest, pose):
            self.jumps += 1
            self.expect_rest()
        self.latest, self._seen_at = pose, now.steady
        _append(self._recent, pose, RECENT_S)
        self._follow(pose, now)

    def pose(self, now: float) -> Transform | None:
        """The pose, if it is not older than `motion.pose_max_age_s`."""
        fresh = now - self._seen_at <= self._settings.pose_max_age_s
        return self.latest if fresh else None

    def rolls(self, now: float) -> bool:
        """Whether it still rolls although it should stand still; False while no poses come.

        `now` in s of steady time. What is not known yet after a motion counts as rolling.
        """
        if not self.pose(now):
            return False
        speed = _mean_speed(self._recent, RECENT_S)
        return self._was_moving if speed is None else speed >= self._settings.unasked_speed_m_s

    def expect_rest(self) -> None:
        """The rover should stand still soon: what it did so far does not count."""
        self._track.clear()
        self._recent.clear()
        self._was_moving = True
        self._coasts_until = None

    def speed(self) -> float | None:
        """Mean speed over `motion.unasked_window_s`, in m/s; None if there is no such history."""
        return _mean_speed(self._track, self._settings.unasked_window_s)

    def moves(self) -> bool | None:
        """Whether it moves by that speed although it should stand still; None: not known."""
        speed = self.speed()
        return None if speed is None else speed >= self._settings.unasked_speed_m_s

    def _follow(self, pose: Transform, now: Now) -> None:
        # In both times: a stop takes as long to arrive when simulated time runs fast. And poses
        # may come late: what was so before now says nothing about the rest to come.
        coasting = self._settings.coasting_s
        if self._coasts_until is None:
            same_clock = abs(now.ros - pose.stamp) < OTHER_CLOCK_S
            stamp = now.ros if same_clock else pose.stamp
            self._coasts_until = (stamp + coasting, now.steady + coasting)
        if pose.stamp < self._coasts_until[0] or now.steady < self._coasts_until[1]:
            return
        _append(self._track, pose, self._settings.unasked_window_s)


def _append(track: deque[Transform], pose: Transform, window_s: float) -> None:
    track.append(pose)
    while len(track) > 1 and pose.stamp - track[1].stamp >= window_s:
        track.popleft()


def _mean_speed(track: deque[Transform], window_s: float) -> float | None:
    passed = track[-1].stamp - track[0].stamp if track else 0.0
    if passed < window_s:
        return None
    return math.hypot(track[-1].x - track[0].x, track[-1].y - track[0].y) / passed


def _jumped(before: Transform, after: Transform) -> bool:
    distance = math.hypot(after.x - before.x, after.y - before.y)
    passed = after.stamp - before.stamp
    return passed < 0.0 or (distance > JUMP_M and distance > JUMP_M_S * passed)
