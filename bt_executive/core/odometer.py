"""Distance and velocity from poses with noise and jumps."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import NamedTuple

from bt_executive.core.inputs import PoseReceived
from bt_executive.core.robot_state import RobotState, Twist
from rover_common.geometry.pose2d import Pose2D

# A step between two poses beyond both of these is a jump of the frame, not a drive.
JUMP_M, JUMP_M_S = 1.0, 2.0
# A robot may drive further than commanded by this share, as on a slope.
REACH_SHARE = 1.5
NOISE_M = 0.05  # of the pose of a robot that stands
GAP_S = 1.0  # of steady time between two steps, which then do not show every curve of the path


class Driven(NamedTuple):
    """What one pose adds, in m: measured, assumed beside it; and the length of a jump."""

    measured_m: float = 0.0
    assumed_m: float = 0.0
    jumped_m: float = 0.0


@dataclass(frozen=True)
class _Fix:
    x: float
    y: float
    at: float  # arrival, steady s


class Odometer:
    """Measures the distance driven, in steps of at least `NOISE_M`.

    Commanded motion that is not measured yet is assumed to be driven: `pending_m`, until a pose
    shows the distance. A pose further away than the robot can have driven is a jump, as after a
    restart of the robot: it measures nothing.
    """

    def __init__(self) -> None:
        self._latest: _Fix | None = None
        self._counted: _Fix | None = None  # the end of the latest step
        self._reach_m = 0.0  # since the latest pose
        self.pending_m = 0.0  # since the latest counted pose

    def assume(
        self,
        speed_m_s: float,
        seconds: float,
        fastest_m_s: float | None = None,
        longest_s: float | None = None,
    ) -> None:
        """Adds a time in s for which the robot was commanded to drive.

        `fastest_m_s`: upper bound of the speed; by default `REACH_SHARE` of it. `longest_s`: upper
        bound of the time, where that is uncertain.
        """
        fastest = REACH_SHARE * speed_m_s if fastest_m_s is None else fastest_m_s
        self.pending_m += speed_m_s * seconds
        self._reach_m += fastest * (seconds if longest_s is None else longest_s)

    def add_pose(self, x: float, y: float, at: float) -> Driven:
        """Adds a pose; returns the distance driven since the previous ones.

        `x`, `y` in m; `at`: arrival in steady s.
        """
        fix, latest, counted = _Fix(x, y, at), self._latest, self._counted
        reach_m, self._latest, self._reach_m = max(JUMP_M, self._reach_m), fix, 0.0
        if latest is None or counted is None:
            return self._restart(fix, 0.0)
        jumped_m = math.hypot(x - latest.x, y - latest.y)
        if not jumped_m < reach_m:
            rest_m = math.hypot(latest.x - counted.x, latest.y - counted.y)
            return self._restart(fix, jumped_m)._replace(measured_m=rest_m)
        step = math.hypot(x - counted.x, y - counted.y)
        if step < NOISE_M:
            return Driven()
        unseen = max(self.pending_m - step, 0.0) if at - counted.at > GAP_S else 0.0
        self._counted, self.pending_m = fix, 0.0
        return Driven(step, unseen)

    def _restart(self, fix: _Fix, jumped_m: float) -> Driven:
        self._counted, assumed_m, self.pending_m = fix, self.pending_m, 0.0
        return Driven(0.0, assumed_m, jumped_m)


@dataclass(frozen=True)
class Step:
    """From one pose to the next: straight distance, distance along the mean heading, and turn."""

    distance_m: float
    ahead_m: float
    turned_rad: float


def step_between(before: Pose2D, after: Pose2D) -> Step:
    """Return the step between two poses, with the smaller turn; their differences are finite."""
    east, north = after.x - before.x, after.y - before.y
    turned = math.remainder(after.yaw - before.yaw, math.tau)
    heading = before.yaw + turned / 2.0
    ahead = east * math.cos(heading) + north * math.sin(heading)
    return Step(math.hypot(east, north), ahead, turned)


def velocity(robot: RobotState, seen: PoseReceived) -> Twist:
    """Return the mean velocity since the robot's last pose: m/s along its heading, and rad/s.

    Two poses with the same stamp, or with a jump of the frame between them, leave it unchanged.
    """
    before, passed = robot.pose.planar, seen.stamp - robot.pose_stamp
    differences = seen.x - before.x, seen.y - before.y, seen.yaw - before.yaw, passed
    valid = robot.pose_at is not None and all(map(math.isfinite, differences))
    if not valid or passed <= 0.0:
        return robot.twist
    step = step_between(before, Pose2D(seen.x, seen.y, seen.yaw))
    if _is_jump(step.distance_m, passed):
        return robot.twist
    return Twist(linear_x=step.ahead_m / passed, angular_z=step.turned_rad / passed)


def _is_jump(distance_m: float, passed_s: float) -> bool:
    """Return whether no drive is that fast: the frame has jumped."""
    return distance_m >= max(JUMP_M, JUMP_M_S * passed_s)
