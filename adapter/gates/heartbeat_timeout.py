"""A timeout of heartbeats, with an exception for an adapter that did not run.

Times in s of a steady clock, which goes on when simulated time stands still.
"""

from __future__ import annotations

import math


class HeartbeatTimeout:
    """Tracks whether heartbeats keep arriving.

    An adapter that was suspended reads the heartbeats that it missed right after its first update.
    So that update ends no motion; the next one does. This exception is made once until the next
    heartbeat, so that consecutive pauses postpone nothing.

    Args:
        timeout_s: Silence after which a motion ends.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._heartbeat_at: float | None = None
        self._updated_at = math.inf
        self._was_excused = False
        self._is_excused = False

    def update(self, now: float) -> None:
        """Detects pauses of the adapter itself; a timer calls it often, before `ends_motion`."""
        paused = self._was_paused(now)
        self._updated_at = now
        self._is_excused = paused and not self._was_excused
        self._was_excused = self._was_excused or paused

    def receive(self, at: float) -> None:
        """Takes the time at which a heartbeat that counts was sent."""
        self._heartbeat_at = max(
            at, self._heartbeat_at if self._heartbeat_at is not None else -math.inf
        )
        self._was_excused = False

    def age(self, now: float) -> float | None:
        """Return the age of the last heartbeat; None if there was none."""
        return None if self._heartbeat_at is None else now - self._heartbeat_at

    def is_silent(self, now: float) -> bool:
        """Return whether there is no young heartbeat, so that nothing may begin."""
        return self._heartbeat_at is None or now - self._heartbeat_at > self.timeout_s

    def ends_motion(self, now: float) -> bool:
        """Return whether a motion under way must end now."""
        return self.is_silent(now) and not self._is_excused and not self._was_paused(now)

    def _was_paused(self, now: float) -> bool:
        """Return whether the adapter did not run: its next update is overdue."""
        return now - self._updated_at > self.timeout_s / 2.0
