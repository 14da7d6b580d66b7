"""The rover's pose by its transforms, whether it is new, and whether the rover moves.

Stamps in s of ROS time; ages in s of steady time, from the moment a new stamp was seen, so that
a robot whose stamps are of another clock is not taken for a silent one. Lengths in m.

Whether it moves has three values: True, False, and None where that is not known.
"""

from __future__ import annotations

from collections import deque
import math
from typing import NamedTuple

from rover_common.clocks import Now
from rover_common.config.settings import MotionSettings
from rover_common.geometry.transforms import Transform
from rover_common.message_order import UNSTAMPED, is_newer
from rover_common.robot_time import is_leap, passed_between

# Faster than any motion of the rover: the frame jumped, the rover did not.
JUMP_M_S = 3.0
JUMP_M = 0.5
# At rest or rolling now: by the mean speed over this window, in s. Odometry comes every 0.1 s. If
# a stop and a start alternate, the base moves in jerks: zero in between, slow on average.
RECENT_S = 0.19
STANDS_SHARE = 0.5  # of the speed at which it surely moves: a slower one stands
# Stamps that are further from ROS time, in s, are of another clock.
OTHER_CLOCK_S = 60.0


class _Seen(NamedTuple):
    """A pose, and when it was received, in steady s."""

    pose: Transform
    at: float


class MotionMonitor:
    """Follows the rover's pose. Call `update` with the latest transform as often as you like.

    Args:
        settings: Limits of speeds and ages.
        simulated: Time may be faster than real time.
    """

    def __init__(self, settings: MotionSettings, simulated: bool = False) -> None:
        self._settings, self._simulated = settings, simulated
        self._seen_at = -math.inf
        self._track: deque[_Seen] = deque()  # since it should stand, after coasting
        self._recent: deque[_Seen] = deque()  # since it should stand
        self._was_moving = False
        self._coasts_until: tuple[float, float] | None = None  # stamp, steady time
        self._now: Now | None = None  # of the latest `update`
        self._rest_from: Now | None = None  # since when it should stand
        self.latest: Transform | None = None
        self.jumps = 0

    def update(self, pose: Transform | None, now: Now) -> None:
        """Handle the latest pose; None while there is none.

        An unstamped pose does not show when the rover was there: static frames have none.
        """
        self._now = now
        before = self.latest.stamp if self.latest else None
        if pose is None or pose.stamp == UNSTAMPED or not is_newer(pose.stamp, before):
            return
        if self.latest and (
            self.pose(now.steady) is None
            or is_leap(pose.stamp - self.latest.stamp, now.steady - self._seen_at)
        ):
            self._forget()  # nothing shows what it did meanwhile, or how long that was
        if self.latest and _jumped(self.latest, pose):
            self.jumps += 1
            self.expect_rest()
        self.latest, self._seen_at = pose, now.steady
        if not self._is_of_before(pose):
            self._append(self._recent, pose, RECENT_S)
        self._follow(pose, now)

    def pose(self, now: float) -> Transform | None:
        """The pose, if it is not older than `motion.pose_max_age_s`."""
        fresh = now - self._seen_at <= self._settings.pose_max_age_s
        return self.latest if fresh else None

    def age(self, now: float) -> float | None:
        """Return the time since the latest new pose was received, in s; None if there was none."""
        return now - self._seen_at if self.latest else None

    @property
    def ever_seen(self) -> bool:
        """Whether any pose has come."""
        return self.latest is not None

    def recent_speed(self, now: float) -> float | None:
        """Speed of right now, in m/s; None without a fresh pose or with too few since the stop.

        `now` in s of steady time.
        """
        return self._mean_speed(self._recent, RECENT_S) if self.pose(now) else None

    def rolls(self, now: float) -> bool | None:
        """Whether it still rolls although it should stand; None without a recent pose.

        `now` in s of steady time. What is not known yet after a motion counts as rolling.
        """
        if self.pose(now) is None:
            return None
        speed = self.recent_speed(now)
        if speed is None:
            return self._was_moving
        return speed >= STANDS_SHARE * self._settings.unasked_speed_m_s

    def expect_rest(self) -> None:
        """Expect the rover to stand soon: its earlier motion does not count."""
        self._forget()
        self._coasts_until = None
        self._rest_from = self._now

    def speed(self) -> float | None:
        """Mean speed over `motion.unasked_window_s`, in m/s; None if there is no such history."""
        return self._mean_speed(self._track, self._settings.unasked_window_s)

    def moves(self, now: float) -> bool | None:
        """Whether it moves by that speed although it should stand; None: unknown.

        `now` in s of steady time.
        """
        speed = self.speed() if self.pose(now) else None
        return None if speed is None else speed >= self._settings.unasked_speed_m_s

    def _forget(self) -> None:
        self._track.clear()
        self._recent.clear()
        self._was_moving = True

    def _is_of_before(self, pose: Transform) -> bool:
        """Whether a late pose shows the rover before it should stand."""
        since = self._rest_from
        if since is None or abs(since.ros - pose.stamp) >= OTHER_CLOCK_S:
            return False
        return pose.stamp < since.ros

    def _follow(self, pose: Transform, now: Now) -> None:
        # In both times: a stop takes as long to arrive when simulated time runs fast. And poses
        # may arrive late: one from before now says nothing about the standstill to come.
        coasting = self._settings.coasting_s
        if self._coasts_until is None:
            same_clock = abs(now.ros - pose.stamp) < OTHER_CLOCK_S
            stamp = now.ros if same_clock else pose.stamp
            self._coasts_until = (stamp + coasting, now.steady + coasting)
        if pose.stamp < self._coasts_until[0] or now.steady < self._coasts_until[1]:
            return
        self._append(self._track, pose, self._settings.unasked_window_s)

    def _append(self, track: deque[_Seen], pose: Transform, window_s: float) -> None:
        track.append(_Seen(pose, self._seen_at))
        while len(track) > 1 and self._passed(track[1], track[-1]) >= window_s:
            track.popleft()

    def _mean_speed(self, track: deque[_Seen], window_s: float) -> float | None:
        passed = self._passed(track[0], track[-1]) if track else 0.0
        if passed < window_s:
            return None
        first, last = track[0].pose, track[-1].pose
        return math.hypot(last.x - first.x, last.y - first.y) / passed

    def _passed(self, first: _Seen, last: _Seen) -> float:
        stamps_s = last.pose.stamp - first.pose.stamp
        return passed_between(stamps_s, last.at - first.at, self._simulated)


def _jumped(before: Transform, after: Transform) -> bool:
    distance = math.hypot(after.x - before.x, after.y - before.y)
    passed = after.stamp - before.stamp
    return passed < 0.0 or (distance > JUMP_M and distance > JUMP_M_S * passed)
