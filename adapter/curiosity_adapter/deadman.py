"""When a motion must end although nobody asked for it: silence of the executive, or its length.

Times in s of a steady clock, which goes on when simulated time stands still.
"""

from __future__ import annotations

import math
from typing import Literal

DeadmanState = Literal['off', 'armed', 'silent', 'fired']


class Deadman:
    """Watches the executive's heartbeat and the length of the motion under way.

    The first heartbeat arms it for good. Before that, motions are bounded by their length alone,
    so that an engineer can drive the rover by hand.
    """

    def __init__(self, timeout_s: float, longest_s: float) -> None:
        self._timeout_s = timeout_s
        self._longest_s = longest_s
        self._beat_at: float | None = None
        self._motion: str | None = None
        self._started_at = math.inf
        self._fired = False

    def beat(self, now: float) -> None:
        """The executive is alive."""
        self._beat_at = now
        self._fired = False

    def motion_started(self, name: str, now: float) -> None:
        """A motion is under way from now on."""
        self._motion, self._started_at = name, now

    def motion_stopped(self) -> None:
        """The rover stands still."""
        self._motion, self._started_at = None, math.inf

    def due(self, now: float) -> str:
        """Why the motion under way must be stopped now; empty if it may go on."""
        if self._motion is None:
            return ''
        if self._silent(now):
            self._fired = True
            return f'{self._motion} was stopped: {self._silence(now)}'
        if now - self._started_at > self._longest_s:
            return (
                f'{self._motion} was stopped: it lasted longer than {self._longest_s:g} s '
                '(motion.longest_s)'
            )
        return ''

    def refusal(self, now: float) -> str:
        """Why no motion may begin now; empty if one may."""
        if not self._silent(now):
            return ''
        return f'No motion may begin: {self._silence(now)}'

    def state(self, now: float) -> DeadmanState:
        """`fired` from the stop of a motion to the next heartbeat; `silent` without a motion."""
        if self._beat_at is None:
            return 'off'
        if self._fired:
            return 'fired'
        return 'silent' if self._silent(now) else 'armed'

    def _silent(self, now: float) -> bool:
        return self._beat_at is not None and now - self._beat_at > self._timeout_s

    def _silence(self, now: float) -> str:
        age = now - (self._beat_at or 0.0)
        return f'the last heartbeat of the executive is {age:.1f} s old'
