"""The preview of a drive to a place: the planned path, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PathPlanned:
    """The path that a drive to a place would take; nothing moves for it.

    Attributes:
        key: Of the request.
        reason: Why there is no path; empty: there is one.
        is_impossible: The path planner ran, and found no path.
        points: m in the world frame, from the robot on.
    """

    key: str
    x: float
    y: float
    reason: str = ''
    points: tuple[tuple[float, float], ...] = ()
    length_m: float = 0.0
    time_s: float = 0.0
    is_impossible: bool = False
