"""How fast the robot moves, by two of its poses."""

from __future__ import annotations

import math

from bt_executive.core.gauges import is_jump
from bt_executive.core.inbox import PoseSeen
from bt_executive.core.state import RobotState, Twist


def velocity(robot: RobotState, seen: PoseSeen) -> Twist:
    """The mean velocity since the robot's last pose: m/s along its heading, and rad/s.

    What it was before where two poses tell nothing: the same stamp twice, or a jump of the frame.
    """
    before, passed = robot.pose, seen.stamp - robot.pose_stamp
    east, north, turned = seen.x - before.x, seen.y - before.y, seen.yaw - before.yaw
    known = robot.pose_at is not None and all(map(math.isfinite, (east, north, turned, passed)))
    if not known or passed <= 0.0 or is_jump(math.hypot(east, north), passed):
        return robot.twist
    turned = math.remainder(turned, math.tau)
    heading = before.yaw + turned / 2.0
    ahead = east * math.cos(heading) + north * math.sin(heading)
    return Twist(linear_x=ahead / passed, angular_z=turned / passed)
