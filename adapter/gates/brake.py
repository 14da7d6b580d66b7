"""Whether the base must be told to stand, and whether its odometry shows that it does. Pure.

What odometry said before the latest velocity, or before the brake was applied, is no news: the
speed counts as infinite until the next odometry comes. Times in s of a steady clock.
"""

from __future__ import annotations

from collections.abc import Sequence
import math

STILL = 0.01  # m/s and rad/s
ODOMETRY_AGE_S = 1.0


class Brake:
    """Applied until the base is seen to stand.

    It is from the beginning: whoever commanded the base before may have died while it drove.

    Args:
        max_age_s: With older odometry it is not known whether the base moves.

    Attributes:
        applied: Whether a standstill is to be commanded again and again.
    """

    def __init__(self, max_age_s: float = ODOMETRY_AGE_S) -> None:
        self._max_age_s = max_age_s
        self.applied = True
        self._speed, self._speed_at = math.inf, -math.inf

    def apply(self) -> None:
        """The base must stand."""
        self.applied = True
        self._speed = math.inf

    def release(self) -> None:
        """Somebody else commands the base from now on."""
        self.applied = False
        self._speed = math.inf

    def update_speeds(self, speeds: Sequence[float], now: float) -> None:
        """Takes the speeds of one odometry, in m/s and rad/s, unless one of them is no number."""
        if all(map(math.isfinite, speeds)):
            self._speed, self._speed_at = max(map(abs, speeds)), now

    def update(self, now: float) -> None:
        """Lets go of a base that is seen to stand."""
        self.applied = self.applied and self.moves(now) is not False

    def moves(self, now: float) -> bool | None:
        """Whether the base moves; None if no odometry has come lately."""
        if now - self._speed_at > self._max_age_s:
            return None
        return self._speed > STILL
