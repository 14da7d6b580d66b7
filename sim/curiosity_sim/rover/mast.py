"""The mast's joints, and the controller that follows trajectories with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import math

TILT, PAN, CAMERAS = JOINTS = ('mast_p_joint', 'mast_02_joint', 'mast_cameras_joint')
# Joint limits of the demo's sensor_mast.xacro, in rad; the pan joint is continuous.
LIMITS = {TILT: (0.0, 1.57), PAN: (-math.inf, math.inf), CAMERAS: (-1.57, 1.57)}

FARTHEST_RAD = 1e4  # no cable is so long
JAM_RAD = 0.785  # half way


class TrajectoryError(ValueError):
    """A trajectory that the controller refuses. The text has the reason."""


@dataclass(frozen=True)
class Waypoint:
    """Positions in rad by joint name, due `time` s after the trajectory's start."""

    time: float
    positions: Mapping[str, float]


class Mast:
    """Three joints that follow one trajectory, linearly between its points.

    A new trajectory replaces the old one at once and starts where the joints are. A joint that
    a trajectory does not name stays where it is.
    """

    def __init__(self) -> None:
        self.positions: dict[str, float] = dict.fromkeys(JOINTS, 0.0)
        self.velocities: dict[str, float] = dict.fromkeys(JOINTS, 0.0)
        self.jammed = False  # a fault: the tilt joint cannot pass JAM_RAD
        self._path: tuple[Waypoint, ...] = ()
        self._elapsed = 0.0

    @property
    def moving(self) -> bool:
        """Whether a trajectory is executing."""
        return bool(self._path)

    def follow(self, waypoints: Sequence[Waypoint]) -> None:
        """Starts a trajectory; one without points stops the joints where they are.

        Raises:
            TrajectoryError: The trajectory is refused and the current one continues.
        """
        path = _checked(waypoints)
        self._elapsed = 0.0
        self._path = (Waypoint(0.0, dict(self.positions)), *path) if path else ()
        self.velocities = dict.fromkeys(JOINTS, 0.0)

    def step(self, seconds: float) -> None:
        """Advance the time."""
        if not self._path:
            return
        self._elapsed += seconds
        before = self.positions
        self.positions = {name: self._position(name) for name in JOINTS}
        if self.jammed:
            self.positions[TILT] = _held(before[TILT], self.positions[TILT])
        self.velocities = {
            name: (self.positions[name] - before[name]) / seconds for name in JOINTS
        }
        if self._elapsed >= self._path[-1].time:
            self._path = ()
            self.velocities = dict.fromkeys(JOINTS, 0.0)

    def _position(self, name: str) -> float:
        points = [
            (point.time, point.positions[name]) for point in self._path if name in point.positions
        ]
        (start, value), *rest = points
        for end, target in rest:
            if self._elapsed < end:
                return value + (target - value) * (self._elapsed - start) / (end - start)
            start, value = end, target
        return value


def _held(before: float, after: float) -> float:
    """Where the tilt joint gets on its way if it sticks at JAM_RAD."""
    if before == JAM_RAD:
        return before
    return min(after, JAM_RAD) if before < JAM_RAD else max(after, JAM_RAD)


def _checked(waypoints: Sequence[Waypoint]) -> tuple[Waypoint, ...]:
    path = []
    last = 0.0
    for index, point in enumerate(waypoints):
        if not point.time > last:
            raise TrajectoryError(
                f'Point {index} is due after {point.time} s, not later than {last} s: times '
                'must be positive and rise from point to point.'
            )
        last = point.time
        path.append(Waypoint(point.time, _clamped(index, point.positions)))
    return tuple(path)


def _clamped(index: int, positions: Mapping[str, float]) -> dict[str, float]:
    clamped = {}
    for name, value in positions.items():
        if name not in LIMITS:
            raise TrajectoryError(
                f'Point {index} names joint {name!r}; the mast has {", ".join(JOINTS)}.'
            )
        if not abs(value) <= FARTHEST_RAD:
            raise TrajectoryError(f'Point {index} sends joint {name!r} to {value} rad.')
        low, high = LIMITS[name]
        clamped[name] = min(max(value, low), high)
    return clamped
