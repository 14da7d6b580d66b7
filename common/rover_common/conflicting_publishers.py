"""Whether two publishers contradict each other: on a topic, or about a moving frame.

Lengths in m, times in s of a steady clock.

A sender that has ended is replaced by another one, and sends no more. Two that send in turn are
both alive, and contradict each other.

A transform does not say who sent it, and /tf has several publishers by design. Two that publish
the same frame show themselves: what comes contradicts what came just before, or what was published
for the same moment, again and again.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
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
# Of two clocks up to SET_BACK_S apart, one stamps a moment so much later than the other. Steady.
REMEMBERED_S = SET_BACK_S + APART_S
MOST_POSES = 200  # that are remembered of a frame
MOST_FRAMES = 1000  # that are remembered; the one that was seen longest ago is dropped


class DisputedFrames:
    """Tracks every moving transform, in the order of arrival."""

    def __init__(self) -> None:
        self._frames: dict[str, _Frame] = {}

    def __len__(self) -> int:
        return len(self._frames)

    def update(self, child: str, pose: Transform, now: float) -> bool:
        """Handle the pose of a frame; return whether it is in dispute. `now` in steady s."""
        frame = self._frames.pop(child, None) or _Frame()
        self._frames[child] = frame
        if len(self._frames) > MOST_FRAMES:
            del self._frames[next(iter(self._frames))]
        if frame.contradicts(pose, now):
            if now - frame.contradicted_at <= APART_S:
                frame.disputed_until = now + LASTS_S
            frame.contradicted_at = now
        return now < frame.disputed_until


@dataclass
class _Frame:
    """The latest poses of a frame, and when they were contradicted. Steady s."""

    contradicted_at: float = -math.inf
    disputed_until: float = -math.inf
    latest: Transform | None = None
    recent: list[tuple[float, Transform]] = field(default_factory=list)  # arrival; by stamp

    def contradicts(self, pose: Transform, now: float) -> bool:
        """Remember a pose; return whether the latest one or one of that moment is of another."""
        before, self.latest = self.latest or pose, pose
        recent = [each for each in self.recent if each[0] >= now - REMEMBERED_S][-MOST_POSES:]
        at = bisect_left(recent, pose.stamp, key=lambda each: each[1].stamp)
        beside = [each for _, each in recent[max(0, at - 1) : at + 1]]
        self.recent = [*recent[:at], (now, pose), *recent[at:]]
        is_set_back = pose.stamp < before.stamp - SET_BACK_S
        return is_set_back or any(_is_too_far(each, pose) for each in (before, *beside))


def _is_too_far(before: Transform, after: Transform) -> bool:
    distance = math.dist((before.x, before.y, before.z), (after.x, after.y, after.z))
    return distance > SLACK_M + FASTEST_M_S * abs(after.stamp - before.stamp)
