"""Detects by poses that a robot moves whose adapter reports that it stands. Pure.

An adapter judges by odometry, which may repeat its last value. The pose in the world often has
another source, such as a camera or a map. Lengths in m, angles in rad, times in s of the poses'
own stamps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
import math
from typing import NamedTuple, TypeAlias

from bt_executive.core.inputs import PoseReceived

WINDOW_S = 1.0
PARTS = 4  # of the window, each with motion: neither a jump nor an earlier drive counts
GAP_S = 0.5  # between two poses: a longer one shows nothing of the time between
LEAST_M, LEAST_RAD = 0.15, 0.15  # in the window; the noise of a pose at rest is smaller
SHARE = 0.5  # of an even motion, that each part of the window has at least


class Fix(NamedTuple):
    """A pose."""

    stamp: float
    x: float
    y: float
    yaw: float


Track: TypeAlias = tuple[Fix, ...]


def with_pose(track: Track, seen: PoseReceived) -> Track:
    """Return the poses of the window with a new one, without those before a gap."""
    fix = Fix(seen.stamp, seen.x, seen.y, seen.yaw)
    if not all(map(math.isfinite, fix)):
        return ()
    if not track or not 0.0 < fix.stamp - track[-1].stamp <= GAP_S:
        return (fix,)
    begin = next((n for n, old in enumerate(track) if fix.stamp - old.stamp < WINDOW_S), None)
    return (fix,) if begin is None else (*track[max(begin - 1, 0) :], fix)


def shows_motion(track: Track) -> bool:
    """Return whether the robot moves throughout the window; False if the track is too short."""
    if not track or track[-1].stamp - track[0].stamp < WINDOW_S:
        return False
    first, last = track[0], track[-1]
    length = math.hypot(last.x - first.x, last.y - first.y)
    if length >= LEAST_M:
        east, north = (last.x - first.x) / length, (last.y - first.y) / length
        along = [(each.x - first.x) * east + (each.y - first.y) * north for each in track]
        return _is_steady(track, along)
    turned = [0.0]
    for before, after in pairwise(track):
        turned.append(turned[-1] + math.remainder(after.yaw - before.yaw, math.tau))
    return abs(turned[-1]) >= LEAST_RAD and _is_steady(track, turned)


def _is_steady(track: Track, covered: Sequence[float]) -> bool:
    """Return whether each part of the window has its share of the covered distance or angle."""
    begin, passed = track[0].stamp, track[-1].stamp - track[0].stamp
    at = [_covered_at(track, covered, begin + passed * n / PARTS) for n in range(PARTS + 1)]
    least = SHARE * covered[-1] / PARTS
    parts = [after - before for before, after in pairwise(at)]
    return all(abs(part) >= abs(least) and part * least > 0.0 for part in parts)


def _covered_at(track: Track, covered: Sequence[float], stamp: float) -> float:
    """Return the covered distance or angle at a time, interpolated between two poses."""
    after = next((n for n, each in enumerate(track) if each.stamp >= stamp), len(track) - 1)
    if after == 0:
        return covered[0]
    before = after - 1
    part = (stamp - track[before].stamp) / (track[after].stamp - track[before].stamp)
    return covered[before] + min(part, 1.0) * (covered[after] - covered[before])
