"""The mast's joints, the controller that follows trajectories with them, and its geometry.

Plan positions and the pan offset are those of the demo's sensor_mast.xacro: the mast stands at
the front right corner, turned by 30 degrees, so that a pan of -0.5 rad (mast open) looks ahead.
The fold is simpler than the demo's: the head comes down across the deck and looks at the ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import math

from curiosity_sim.rover.attitude import UPRIGHT, Attitude, rotation
from rover_common.geometry.planar_motion import Pose2D

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


MAST_X_M = 0.7225
MAST_Y_M = -0.5546
PAN_OFFSET_RAD = math.pi / 6.0
HEAD_HEIGHT_M = 2.1  # Curiosity's mast cameras above the ground
FOOT_HEIGHT_M = 1.3  # the joint about which the mast folds
FOLD_BEARING_RAD = 2.0 * math.pi / 3.0  # across the deck, to the left and back
GAZE_DOWN_RAD = 0.12  # an open mast looks a little below the horizon
GAZE_PER_FOLD = 0.6  # and a closed one at deck and ground beside it


@dataclass(frozen=True)
class CameraPose:
    """The camera in the odom frame: m and rad; `down` is the gaze below the horizon."""

    x: float
    y: float
    z: float
    yaw: float
    down: float
    roll: float = 0.0  # about the gaze, clockwise as the camera sees it

    @property
    def level(self) -> bool:
        """Whether the horizon lies level in the picture."""
        return self.roll == 0.0


@dataclass(frozen=True)
class HeadPose:
    """The mast's head in the base frame, m and rad."""

    x: float
    y: float
    z: float
    yaw: float
    down: float


def head_pose(mast: Mast) -> HeadPose:
    """Where the joints put the head, relative to the rover's base on the ground."""
    joints = mast.positions
    fold = joints[TILT]
    length = HEAD_HEIGHT_M - FOOT_HEIGHT_M
    reach = length * math.sin(fold)
    return HeadPose(
        x=MAST_X_M + reach * math.cos(FOLD_BEARING_RAD),
        y=MAST_Y_M + reach * math.sin(FOLD_BEARING_RAD),
        z=FOOT_HEIGHT_M + length * math.cos(fold),
        yaw=PAN_OFFSET_RAD + joints[PAN],
        down=min(GAZE_DOWN_RAD + GAZE_PER_FOLD * fold + joints[CAMERAS], math.pi / 2.0),
    )


def camera_pose(base: Pose2D, mast: Mast, attitude: Attitude = UPRIGHT) -> CameraPose:
    """The camera's pose."""
    head = head_pose(mast)
    turn = rotation(base.yaw, attitude.pitch, attitude.roll)
    x, y, z = (turn @ (head.x, head.y, head.z)).tolist()
    place = {'x': base.x + x, 'y': base.y + y, 'z': attitude.z + z}
    if attitude.roll == attitude.pitch == 0.0:
        return CameraPose(**place, yaw=base.yaw + head.yaw, down=head.down)
    gaze = turn @ rotation(head.yaw, head.down, 0.0)
    ahead, left, up = gaze.T
    return CameraPose(
        **place,
        yaw=math.atan2(ahead[1], ahead[0]),
        down=-math.asin(float(ahead[2])),
        roll=math.atan2(float(left[2]), float(up[2])),
    )


def lidar_pose(base: Pose2D, mast: Mast, attitude: Attitude = UPRIGHT) -> CameraPose:
    """Where the rangefinder is: on the mast's head, level, and turned as its frame in /tf."""
    head = head_pose(mast)
    turn = rotation(base.yaw, attitude.pitch, attitude.roll)
    x, y, z = (turn @ (head.x, head.y, head.z)).tolist()
    east, north, _ = turn @ (math.cos(head.yaw), math.sin(head.yaw), 0.0)
    yaw = math.atan2(north, east)
    return CameraPose(base.x + x, base.y + y, attitude.z + z, yaw, down=0.0)
