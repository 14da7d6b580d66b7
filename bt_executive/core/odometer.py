"""What was driven, and how fast, from poses that tremble and jump."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import NamedTuple

from bt_executive.core.inputs import PoseReceived
from bt_executive.core.robot_state import RobotState, Twist
from rover_common.geometry.pose2d import Pose2D

# A step between two poses beyond both of these is a jump of the frame, not a drive.
JUMP_M, JUMP_M_S = 1.0, 2.0
# So many times as far as it was commanded to a robot may come, as on a slope.
REACH_SHARE = 1.5
TREMBLE_M = 0.05  # so far the pose of a robot that stands wanders


GAP_S = 1.0  # of steady time between two steps: they do not show every curve of the way


class Driven(NamedTuple):
    """What one pose adds, in m: measured, assumed beside it; and whether the pose began anew."""

    measured_m: float = 0.0
    assumed_m: float = 0.0
    jumped_m: float = 0.0


@dataclass(frozen=True)
class _Fix:
    x: float
    y: float
    at: float  # arrival, steady s


class Odometer:
    """Metres driven, in steps of at least `TREMBLE_M`.

    What is commanded and not measured is assumed to be driven: `pending_m`, until a pose shows how
    far it was. A pose that is further away than the robot can have been driven began anew, as that
    of a robot that was restarted: it measures nothing.
    """

    def __init__(self) -> None:
        self._latest: _Fix | None = None
        self._counted: _Fix | None = None  # up to here
        self._reach_m = 0.0  # since the latest pose
        self.pending_m = 0.0  # since the latest counted pose

    def assume(
        self,
        speed_m_s: float,
        seconds: float,
        fastest_m_s: float | None = None,
        longest_s: float | None = None,
    ) -> None:
        """Counts time in s for which the robot was commanded to drive.

        `fastest_m_s`: no drive is faster; without it, `REACH_SHARE` of the speed. `longest_s`: so
        long it was at most, where the time itself is in doubt.
        """
        fastest = REACH_SHARE * speed_m_s if fastest_m_s is None else fastest_m_s
        self.pending_m += speed_m_s * seconds
        self._reach_m += fastest * (seconds if longest_s is None else longest_s)

    def driven(self, x: float, y: float, at: float) -> Driven:
        """Metres driven up to this pose that were not told before.

        `x`, `y` in m; `at`: its arrival in steady s.
        """
        fix, latest, counted = _Fix(x, y, at), self._latest, self._counted
        reach_m, self._latest, self._reach_m = max(JUMP_M, self._reach_m), fix, 0.0
        if latest is None or counted is None:
            return self._begin_anew(fix, 0.0)
        jumped_m = math.hypot(x - latest.x, y - latest.y)
        if not jumped_m < reach_m:
            rest_m = math.hypot(latest.x - counted.x, latest.y - counted.y)
            return self._begin_anew(fix, jumped_m)._replace(measured_m=rest_m)
        step = math.hypot(x - counted.x, y - counted.y)
        if step < TREMBLE_M:
            return Driven()
        unseen = max(self.pending_m - step, 0.0) if at - counted.at > GAP_S else 0.0
        self._counted, self.pending_m = fix, 0.0
        return Driven(step, unseen)

    def _begin_anew(self, fix: _Fix, jumped_m: float) -> Driven:
        self._counted, assumed_m, self.pending_m = fix, self.pending_m, 0.0
        return Driven(0.0, assumed_m, jumped_m)


@dataclass(frozen=True)
class Step:
    """From one pose to the next: in a straight line, along the heading halfway, and around."""

    distance_m: float
    ahead_m: float
    turned_rad: float


def step_between(before: Pose2D, after: Pose2D) -> Step:
    """The step between two poses; their differences are finite. It turns the shorter way."""
    east, north = after.x - before.x, after.y - before.y
    turned = math.remainder(after.yaw - before.yaw, math.tau)
    heading = before.yaw + turned / 2.0
    ahead = east * math.cos(heading) + north * math.sin(heading)
    return Step(math.hypot(east, north), ahead, turned)


def velocity(robot: RobotState, seen: PoseReceived) -> Twist:
    """The mean velocity since the robot's last pose: m/s along its heading, and rad/s.

    What it was before where two poses tell nothing: the same stamp twice, or a jump of the frame.
    """
    before, passed = robot.pose.planar, seen.stamp - robot.pose_stamp
    differences = seen.x - before.x, seen.y - before.y, seen.yaw - before.yaw, passed
    known = robot.pose_at is not None and all(map(math.isfinite, differences))
    if not known or passed <= 0.0:
        return robot.twist
    step = step_between(before, Pose2D(seen.x, seen.y, seen.yaw))
    if _is_jump(step.distance_m, passed):
        return robot.twist
    return Twist(linear_x=step.ahead_m / passed, angular_z=step.turned_rad / passed)


def _is_jump(distance_m: float, passed_s: float) -> bool:
    """Whether no drive comes so far in so long: the frame has jumped."""
    return distance_m >= max(JUMP_M, JUMP_M_S * passed_s)
