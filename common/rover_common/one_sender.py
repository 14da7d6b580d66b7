"""Whether a repeated message comes from one sender only. Times in s of a steady clock.

A sender that has ended is replaced by another one, and sends no more. Two that send in turn are
both alive, and contradict each other.
"""

from __future__ import annotations

import math

MOST_SENDERS = 8  # that are remembered


class OneSender:
    """Tracks the senders of a topic.

    Args:
        quiet_s: Two senders are in conflict until one of them has been silent for this long.
    """

    def __init__(self, quiet_s: float) -> None:
        self._quiet_s = quiet_s
        self._received_at: dict[str, float] = {}  # the latest one last
        self._disputed_until = -math.inf

    def receive(self, sender: str, now: float) -> bool:
        """Handle a message; return whether it can be used: no other sender is alive."""
        is_latest = next(reversed(self._received_at), sender) == sender
        received_at = self._received_at.pop(sender, -math.inf)
        if not is_latest and now - received_at <= self._quiet_s:
            self._disputed_until = now + self._quiet_s
        self._received_at[sender] = now
        if len(self._received_at) > MOST_SENDERS:
            del self._received_at[next(iter(self._received_at))]
        return now >= self._disputed_until
