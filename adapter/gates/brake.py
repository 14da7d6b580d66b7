"""Whether the base must be told to stand, and whether its odometry shows that it does. Pure.

What odometry said before the latest velocity, or before the brake was applied, is no news: until
the next odometry comes it is not known whether the base moves. Times in s of a steady clock.
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
        holds: Whether the base was seen to stand, and nothing was commanded since.
    """

    def __init__(self, max_age_s: float = ODOMETRY_AGE_S) -> None:
        self._max_age_s = max_age_s
        self.applied = True
        self.holds = False
        self._speed: float | None = None
        self._speed_at, self._blind = -math.inf, ''

    def apply(self) -> None:
        """The base must stand."""
        self.applied, self.holds = True, False
        self._speed = None

    def release(self) -> None:
        """Somebody else commands the base from now on."""
        self.applied = self.holds = False
        self._speed = None

    def blind(self, why: str) -> None:
        """Odometry says nothing while there is a reason; empty: there is none any more."""
        self._blind = why
        if why:
            self._speed, self.holds = None, False

    def update_speeds(self, speeds: Sequence[float], now: float) -> None:
        """Takes the speeds of one odometry, in m/s and rad/s, unless one of them is no number."""
        if all(map(math.isfinite, speeds)) and not self._blind:
            self._speed, self._speed_at = max(map(abs, speeds)), now

    def update(self, now: float) -> None:
        """Lets go of a base that is seen to stand."""
        if self.applied and self.moves(now) is False:
            self.applied, self.holds = False, True

    def moves(self, now: float) -> bool | None:
        """Whether the base moves; None if no odometry has come lately, or since a command."""
        if self._speed is None or not self.is_shown(now):
            return None
        return self._speed > STILL

    def is_shown(self, now: float) -> bool:
        """Return whether odometry comes, and says something."""
        return not self._blind and now - self._speed_at <= self._max_age_s

    def why_unknown(self, now: float) -> str:
        """Return why it is not known whether the base moves, as the end of a sentence."""
        if self._blind:
            return f'there are {self._blind}'
        if not self.is_shown(now):
            return f'no new odometry has come for {self._max_age_s:g} s'
        return 'no odometry has come since the latest command'

    @property
    def is_blind(self) -> bool:
        """Whether odometry says nothing, however much of it comes."""
        return bool(self._blind)
