"""Whether poses show that a robot moves of which its adapter says that it stands. Pure.

An adapter judges by odometry, which may go on with the last of its values. The pose in the world
often comes from elsewhere, such as a camera or a map. Lengths in m, angles in rad, times in s of
the poses' own stamps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
import math
from typing import NamedTuple, TypeAlias

from bt_executive.core.inputs import PoseReceived

WINDOW_S = 1.0
PARTS = 4  # of the window: it moves in each, so neither a jump nor a drive of before counts
GAP_S = 0.5  # a longer one between two poses shows nothing of the time between
LEAST_M, LEAST_RAD = 0.15, 0.15  # in the window; a pose at rest wanders less
SHARE = 0.5  # of its part of the whole that each part of the window has at least


class Fix(NamedTuple):
    """A pose."""

    stamp: float
    x: float
    y: float
    yaw: float


Track: TypeAlias = tuple[Fix, ...]


def followed(track: Track, seen: PoseReceived) -> Track:
    """Return the poses of the window, with one more; without those before a gap."""
    fix = Fix(seen.stamp, seen.x, seen.y, seen.yaw)
    if not all(map(math.isfinite, fix)):
        return ()
    if not track or not 0.0 < fix.stamp - track[-1].stamp <= GAP_S:
        return (fix,)
    begin = next((at for at, each in enumerate(track) if fix.stamp - each.stamp < WINDOW_S), None)
    return (fix,) if begin is None else (*track[max(begin - 1, 0) :], fix)


def moves(track: Track) -> bool:
    """Return whether the robot has moved on all through the window; False if it is too short."""
    if not track or track[-1].stamp - track[0].stamp < WINDOW_S:
        return False
    first, last = track[0], track[-1]
    length = math.hypot(last.x - first.x, last.y - first.y)
    if length >= LEAST_M:
        east, north = (last.x - first.x) / length, (last.y - first.y) / length
        along = [(each.x - first.x) * east + (each.y - first.y) * north for each in track]
        return _goes_on(track, along)
    turned = [0.0]
    for before, after in pairwise(track):
        turned.append(turned[-1] + math.remainder(after.yaw - before.yaw, math.tau))
    return abs(turned[-1]) >= LEAST_RAD and _goes_on(track, turned)


def _goes_on(track: Track, come: Sequence[float]) -> bool:
    """Return whether each part of the window has its share of how far it came."""
    begin, passed = track[0].stamp, track[-1].stamp - track[0].stamp
    at = [_come_at(track, come, begin + passed * part / PARTS) for part in range(PARTS + 1)]
    least = SHARE * come[-1] / PARTS
    shares = [after - before for before, after in pairwise(at)]
    return all(abs(each) >= abs(least) and each * least > 0.0 for each in shares)


def _come_at(track: Track, come: Sequence[float], stamp: float) -> float:
    """Return how far it had come at a time, on the line between two poses."""
    after = next((n for n, each in enumerate(track) if each.stamp >= stamp), len(track) - 1)
    if after == 0:
        return come[0]
    before = after - 1
    part = (stamp - track[before].stamp) / (track[after].stamp - track[before].stamp)
    return come[before] + min(part, 1.0) * (come[after] - come[before])
