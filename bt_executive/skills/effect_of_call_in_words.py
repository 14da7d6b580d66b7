"""What a call amounts to, in words for people who are to allow it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from bt_executive.core.guard_view import MotionAhead
from bt_executive.core.robot_state import Pose
from bt_executive.skills.tool_registry import Tool


def amounts_to(tool: Tool, arguments: Mapping[str, Any], pose: Pose | None) -> str:
    """What a call with checked arguments comes to; empty if the call itself says it all.

    From what the tool's entry says: `motion` (time, speed, radius), `destination`, or a step that
    drives. `pose`: where the robot stands, world frame; None if it is not known.
    """
    if 'drive' in tool.skill.steps:
        return f'drives to the place that the memory names ({tool.skill.steps["drive"]})'
    motion = tool.motion_ahead(tool.motion_seconds(arguments))
    if motion is not None:
        return _drive(motion)
    destination = tool.destination(arguments)
    return '' if destination is None else _drive_to(destination, pose)


def _drive(motion: MotionAhead) -> str:
    seconds = f'{motion.seconds:.3g} s'
    metres = motion.speed_m_s * motion.seconds
    if not metres:
        return seconds  # the entry does not say how fast
    if not motion.radius_m:
        return f'{seconds}, about {metres:.2g} m straight ahead'
    side = 'left' if motion.radius_m > 0 else 'right'
    degrees = math.degrees(metres / abs(motion.radius_m))
    return f'{seconds}, about {metres:.2g} m in an arc, {degrees:.0f}° to the {side}'


def _drive_to(destination: tuple[float, float], pose: Pose | None) -> str:
    goal = f'to x {_metres(destination[0])}, y {_metres(destination[1])}'
    if pose is None:
        return goal
    metres = math.dist(destination, (pose.x, pose.y))
    heading = math.degrees(pose.yaw)
    start = f'from x {_metres(pose.x)}, y {_metres(pose.y)}, {heading:.0f}°'
    return f'{_metres(metres)} or more, {start} {goal}'


def _metres(value: float) -> str:
    return f'{value:.1f} m' if abs(value) < 1e6 else f'{value:.3g} m'
