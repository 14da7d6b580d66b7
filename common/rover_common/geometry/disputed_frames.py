"""Moving frames of which two publishers say different things. Lengths in m, times in s.

A transform does not say who sent it, and /tf has several publishers by design. Two that tell the
same frame show themselves: what comes contradicts what came just before, again and again.
"""

from __future__ import annotations

import math

from rover_common.geometry.transforms import SET_BACK_S, Transform

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
