"""What a preview of a drive to a place shows: the path, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PathPlanned:
    """The path that a drive to a place would take; nothing moves for it.

    Attributes:
        key: Of the question.
        reason: Why there is none; empty: there is one.
        is_impossible: The planner has looked, and found none.
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
