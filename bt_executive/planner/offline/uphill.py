"""Which way the light lies, from where it was measured."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from bt_executive.planner.offline.beliefs import NOTICEABLE, Capture

_SPREAD_M = 1.0  # the places must differ by so much in both directions


def slope(captures: Sequence[Capture]) -> tuple[float, float] | None:
    """Rise of the score per metre along x and y of the poses.

    Fits a plane to the last five measured places. None if they lie on one line or if the score
    is the same everywhere.
    """
    placed = [capture for capture in captures if capture.pose][-5:]
    if len(placed) < 3:
        return None
    places = np.array([(each.pose.x, each.pose.y) for each in placed if each.pose])
    scores = np.array([each.score for each in placed])
    places = places - places.mean(axis=0)
    if np.linalg.svd(places, compute_uv=False)[1] < _SPREAD_M or np.ptp(scores) < NOTICEABLE:
        return None
    rise, *_ = np.linalg.lstsq(places, scores - scores.mean(), rcond=None)
    return float(rise[0]), float(rise[1])


def bearing(captures: Sequence[Capture]) -> float | None:
    """Direction in radians in which the score rises fastest, in the frame of the poses."""
    rise = slope(captures)
    return None if rise is None else math.atan2(rise[1], rise[0])


def score_per_metre(captures: Sequence[Capture]) -> float | None:
    """How much the score rose per metre between the last two distinct measured places."""
    placed = [(each.pose, each.score) for each in captures if each.pose]
    for (start, low), (end, high) in zip(placed[-2::-1], placed[:0:-1], strict=True):
        way = math.hypot(end.x - start.x, end.y - start.y)
        if way > _SPREAD_M:
            return (high - low) / way
    return None
