"""How far a motion came, by the poses before and after it. Lengths in m, angles in rad."""

from __future__ import annotations

import math

from bt_executive.core.guards import MotionAhead
from bt_executive.core.state import Pose

SLACK_M, SLACK_SHARE = 0.3, 0.2  # beyond its whole length: then it was another motion
SLACK_RAD = 0.3  # the same of a turn


def driven_along(motion: MotionAhead, began: Pose, ended: Pose) -> float | None:
    """Return the length of the motion's path from one pose to another.

    None if the poses cannot be of this motion: backwards, further than all of it, or off its arc.
    """
    across, ahead = ended.x - began.x, ended.y - began.y
    chord = math.hypot(across, ahead)
    forward = across * math.cos(began.yaw) + ahead * math.sin(began.yaw)
    radius = abs(motion.radius_m)
    if chord > 2.0 * radius > 0.0:
        return None
    length = 2.0 * radius * math.asin(chord / (2.0 * radius)) if radius else chord
    whole = motion.speed_m_s * motion.seconds
    too_far = length > whole + SLACK_M + SLACK_SHARE * whole
    backwards = forward < 0.0 and chord > SLACK_M
    return None if too_far or backwards else min(length, whole)


def turned_along(angle_rad: float, began: Pose, ended: Pose) -> float | None:
    """Return how much of a turn on the spot is between two poses, without its sign.

    None if the poses cannot be of this turn (off its spot, or further than all of it), or if they
    do not tell: after a full circle the robot stands as before.
    """
    whole = abs(angle_rad)
    if whole > math.tau - 2.0 * SLACK_RAD:
        return None
    if math.hypot(ended.x - began.x, ended.y - began.y) > SLACK_M:
        return None
    turned = math.copysign(1.0, angle_rad) * (ended.yaw - began.yaw) % math.tau
    if turned > math.tau - SLACK_RAD:
        return 0.0  # a little the other way
    return min(turned, whole) if turned <= whole + SLACK_RAD else None
