"""Whether two publishers contradict each other: on a topic, or about a moving frame.

Lengths in m, times in s of a steady clock.

A sender that has ended is replaced by another one, and sends no more. Two that send in turn are
both alive, and contradict each other.

A transform does not say who sent it, and /tf has several publishers by design. Two that tell the
same frame show themselves: what comes contradicts what came just before, again and again.
"""

from __future__ import annotations

import math

from rover_common.geometry.transforms import SET_BACK_S, Transform

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


# A frame of a robot moves less than this between two stamps.
SLACK_M, FASTEST_M_S = 0.1, 5.0
# One contradiction is a jump, of a localiser or a clock; two so soon after each other are not.
APART_S = 0.5
# A frame remains in dispute for this long after the latest conflict. Steady.
LASTS_S = 1.0
MOST_FRAMES = 1000  # that are remembered; the one that was seen longest ago is dropped


class DisputedFrames:
    """Tracks every moving transform, in the order of arrival."""

    def __init__(self) -> None:
        self._before: dict[str, Transform] = {}
        self._contradicted: dict[str, float] = {}  # frame → when, in steady s
        self._until: dict[str, float] = {}

    def update(self, child: str, pose: Transform, now: float) -> bool:
        """Handle the pose of a frame; return whether it is in dispute. `now` in steady s."""
        before = self._before.pop(child, pose)
        self._before[child] = pose
        if len(self._before) > MOST_FRAMES:
            forgotten = next(iter(self._before))
            for each in (self._before, self._contradicted, self._until):
                each.pop(forgotten, None)
        if _contradicts(before, pose):
            if now - self._contradicted.get(child, -math.inf) <= APART_S:
                self._until[child] = now + LASTS_S
            self._contradicted[child] = now
        return now < self._until.get(child, -math.inf)


def _contradicts(before: Transform, after: Transform) -> bool:
    passed = after.stamp - before.stamp
    distance = math.dist((before.x, before.y, before.z), (after.x, after.y, after.z))
    return passed < -SET_BACK_S or distance > SLACK_M + FASTEST_M_S * abs(passed)
