"""Whether to command a standstill, and whether odometry shows that the base stands. Pure.

Odometry of before the latest velocity, or before the brake was applied, does not count, whenever
it arrives: until later odometry arrives it is not known whether the base moves. Some odometry
leaves its speeds at 0 and shows motion by its poses alone: once that was seen, poses have to show
the standstill, too. Times in s of a steady clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
import math
from typing import NamedTuple

from gates.motion_by_odometry import Odometry

STILL = 0.01  # m/s and rad/s
ODOMETRY_AGE_S = 1.0
WINDOW_S = 0.5  # over which poses show motion
SHIFT_M, SHIFT_RAD = 0.02, 0.02  # in that time, more than the noise of a pose at rest


class _Seen(NamedTuple):
    at: float
    pose: Odometry
    speed: float


class Brake:
    """Applied until the base is seen to stand.

    It is applied from the beginning: the process that commanded the base before may have died
    while it drove.

    Args:
        max_age_s: With older odometry it is not known whether the base moves.
        still_below: With speeds up to this, in m/s and rad/s, it stands.

    Attributes:
        applied: Whether to command a standstill repeatedly.
        holds: Whether the base was seen to stand, and nothing was commanded since.
    """

    def __init__(self, max_age_s: float = ODOMETRY_AGE_S, still_below: float = STILL) -> None:
        self._max_age_s, self._still = max_age_s, still_below
        self.applied = True
        self.holds = False
        self._speed: float | None = None
        self._speed_at, self._invalid_reason = -math.inf, ''
        self._commanded_at, self._age_s = -math.inf, 0.0
        self._track: deque[_Seen] = deque()  # since the latest command to stand or to move
        self._has_speeds = True  # whether they are not 0 while poses move

    def apply(self, now: float) -> None:
        """The base must stand."""
        self.applied, self.holds = True, False
        self._commanded_at = now
        self._forget()

    def release(self, now: float) -> None:
        """Another process commands the base from now on."""
        self.applied = self.holds = False
        self._commanded_at = now
        self._forget()

    def invalidate(self, why: str) -> None:
        """Ignores odometry while there is a reason; an empty one ends that."""
        self._invalid_reason = why
        if why:
            self.holds = False
            self._forget()

    def update_odometry(
        self, speeds: Sequence[float], pose: Odometry, now: float, age_s: float = 0.0
    ) -> bool:
        """Takes the speeds of one odometry message, in m/s and rad/s, and its pose.

        Returns whether it counts: one with a value that is not finite does not. `age_s`: how old
        it is.
        """
        if self._invalid_reason or not all(map(math.isfinite, (*speeds, *pose))):
            return False
        at = self._speed_at = now - age_s
        self._age_s = age_s
        if at < self._commanded_at:
            return True
        self._speed = max(map(abs, speeds))
        self._track.append(_Seen(at, pose, self._speed))
        while len(self._track) > 1 and at - self._track[1].at >= WINDOW_S:
            self._track.popleft()
        if self._shifts and all(each.speed <= self._still for each in self._track):
            self._has_speeds = False
        return True

    def update(self, now: float) -> None:
        """Releases a base that is seen to stand."""
        if self.applied and self.moves(now) is False:
            self.applied, self.holds = False, True

    def moves(self, now: float) -> bool | None:
        """Return whether the base moves; None without recent odometry that is after a command."""
        if self._speed is None or not self.is_shown(now):
            return None
        if self._speed > self._still or self._has_speeds:
            return self._speed > self._still
        return self._moves_by_poses

    def is_shown(self, now: float) -> bool:
        """Return whether usable odometry arrives."""
        return not self._invalid_reason and now - self._speed_at <= self._max_age_s

    def why_unknown(self, now: float) -> str:
        """Return why it is not known whether the base moves, as the end of a sentence."""
        if self._invalid_reason:
            return f'there are {self._invalid_reason}'
        if self._age_s > self._max_age_s:
            return f'odometry is {self._age_s:.1f} s old by its stamps when it comes'
        if not self.is_shown(now):
            return f'no new odometry has come for {self._max_age_s:g} s'
        return 'no odometry has come since the latest command'

    @property
    def is_invalid(self) -> bool:
        """Whether odometry is ignored."""
        return bool(self._invalid_reason)

    @property
    def _moves_by_poses(self) -> bool | None:
        """Whether the poses of the window show a motion; None: it is too short to say."""
        if not self._track:
            return None
        if self._shifts:
            return True
        return False if self._track[-1].at - self._track[0].at >= WINDOW_S else None

    @property
    def _shifts(self) -> bool:
        first, last = self._track[0].pose, self._track[-1].pose
        turned = math.remainder(last.yaw - first.yaw, math.tau)
        shift = math.hypot(last.x - first.x, last.y - first.y)
        return shift > SHIFT_M or abs(turned) > SHIFT_RAD

    def _forget(self) -> None:
        self._speed = None
        self._track.clear()
