"""What was driven and used up, from readings that tremble, jump and rise again."""

from __future__ import annotations

from dataclasses import dataclass
import math

# A step between two poses beyond both of these is a jump of the frame, not a drive.
JUMP_M, JUMP_M_S = 1.0, 2.0
TREMBLE_M = 0.05  # so far the pose of a robot that stands wanders
TREMBLE_PCT = 1.0  # so far a battery's reading rises without being charged


@dataclass(frozen=True)
class _Fix:
    x: float
    y: float
    stamp: float


class Odometer:
    """Metres driven, in steps of at least `TREMBLE_M`."""

    def __init__(self) -> None:
        self._latest: _Fix | None = None
        self._counted: _Fix | None = None  # up to here

    def driven(self, x: float, y: float, stamp: float) -> float:
        """Metres driven up to this pose that were not told before. `x`, `y` in m, `stamp` in s."""
        fix, latest, counted = _Fix(x, y, stamp), self._latest, self._counted
        self._latest = fix
        if latest is None or counted is None or _jumped(latest, fix):
            self._counted = fix
            return 0.0
        step = math.hypot(x - counted.x, y - counted.y)
        if step < TREMBLE_M:
            return 0.0
        self._counted = fix
        return step


class ChargeGauge:
    """Percent of charge used; what is charged is not subtracted."""

    def __init__(self) -> None:
        self._charge: float | None = None  # the lowest reading, until it has risen clearly

    def used(self, percent: float) -> float:
        """Percent used since the last reading."""
        before = self._charge
        if before is None or percent < before or percent > before + TREMBLE_PCT:
            self._charge = percent
        return 0.0 if before is None else max(before - percent, 0.0)


def is_jump(distance_m: float, passed_s: float) -> bool:
    """Whether no drive comes so far in so long: the frame has jumped."""
    return distance_m >= max(JUMP_M, JUMP_M_S * passed_s)


def _jumped(before: _Fix, after: _Fix) -> bool:
    distance_m = math.hypot(after.x - before.x, after.y - before.y)
    return is_jump(distance_m, after.stamp - before.stamp)
