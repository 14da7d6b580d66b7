"""For how long heartbeats have not come, with an excuse for an adapter that could not read them.

Times in s of a steady clock, which goes on when simulated time stands still.
"""

from __future__ import annotations

import math


class Silence:
    """Watches whether heartbeats keep coming.

    An adapter that the machine did not let run was deaf, and what it missed is read right after
    its first look. So that one look ends no motion; the next one does. It is excused once until
    the next heartbeat, so pauses that follow each other postpone nothing.

    Args:
        timeout_s: Silence after which a motion ends.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._heartbeat_at: float | None = None
        self._looked_at = math.inf
        self._excused = False
        self._deaf = False

    def update(self, now: float) -> None:
        """Notices pauses of the adapter itself; a timer calls it often, before `over`."""
        paused = self._late(now)
        self._looked_at = now
        self._deaf = paused and not self._excused
        self._excused = self._excused or paused

    def receive(self, at: float) -> None:
        """A heartbeat that counts was sent at that time."""
        self._heartbeat_at = max(
            at, self._heartbeat_at if self._heartbeat_at is not None else -math.inf
        )
        self._excused = False

    def age(self, now: float) -> float | None:
        """Age of the last heartbeat; None if there was none."""
        return None if self._heartbeat_at is None else now - self._heartbeat_at

    def holds(self, now: float) -> bool:
        """Whether no young heartbeat is known, so that nothing may begin."""
        return self._heartbeat_at is None or now - self._heartbeat_at > self.timeout_s

    def over(self, now: float) -> bool:
        """Whether what is under way must end now."""
        return self.holds(now) and not self._deaf and not self._late(now)

    def _late(self, now: float) -> bool:
        """Whether the adapter should have looked again before: it did not run meanwhile."""
        return now - self._looked_at > self.timeout_s / 2.0
