"""The motion of the robot for display: whether it stands, since when, and how fast it moves."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Literal

from bt_executive.core.robot_state import RobotState, Twist

MotionState = Literal['stands', 'moves', 'unknown']
LEAST_SPEED_M_S = 0.01  # of the base, without turning or moving parts
LEAST_TURN_RAD_S = 0.02
SPEED_STEP_M_S = 0.02  # smaller changes are not shown
WHOLE_FROM_M = 10.0  # longer distances are shown in whole m


@dataclass(frozen=True)
class Motion:
    """The motion of the robot. The names of the fields are those of the page's data.

    Attributes:
        standing: Whether it stands and no motion is in progress.
        since: ROS time in s at which that began, as far as observed; None: not known.
        speed_m_s: Of the moving base; None: not known, or not moving.
        to_go_m: Distance to the target of a drive; 0: there is none.
    """

    standing: MotionState = 'unknown'
    since: float | None = None
    speed_m_s: float | None = None
    to_go_m: float = 0.0


def motion_of(robot: RobotState, now: float, before: Motion) -> Motion:
    """Return the motion in a state. `now`: its ROS time in s; `before`: as shown last."""
    twist = Twist() if robot.shown_pose is None else robot.twist  # the twist is as old as the pose
    standing: MotionState = 'unknown'
    if robot.at_rest is not None and 'status' not in robot.ages:
        moves = robot.moving or _turns_or_drives(twist)  # else a stop is not confirmed yet
        standing = 'stands' if robot.at_rest else 'moves' if moves else 'unknown'
    since = before.since if standing == before.standing else now
    to_go_m = robot.distance_to_target if math.isfinite(robot.distance_to_target) else 0.0
    return Motion(
        standing,
        now if since is None else since,
        _speed(twist, before.speed_m_s) if standing == 'moves' else None,
        round(to_go_m, 1) if to_go_m < WHOLE_FROM_M else float(round(to_go_m)),
    )


def _turns_or_drives(twist: Twist) -> bool:
    return abs(twist.linear_x) >= LEAST_SPEED_M_S or abs(twist.angular_z) >= LEAST_TURN_RAD_S


def _speed(twist: Twist, before: float | None) -> float | None:
    speed = abs(twist.linear_x)
    if not speed >= LEAST_SPEED_M_S:
        return None
    if before is not None and abs(speed - before) < SPEED_STEP_M_S:
        return before
    return round(speed, 2)
