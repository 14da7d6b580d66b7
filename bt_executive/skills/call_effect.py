"""The effect of a call as text for the human who is asked to approve it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from bt_executive.core.guard_view_and_verdict import MotionAhead
from bt_executive.core.robot_state import Pose
from bt_executive.skills.tool_registry import Tool


def describe_call(tool: Tool, arguments: Mapping[str, Any], pose: Pose | None) -> str:
    """Describe the motion of a call with valid arguments; empty: it makes none.

    By the tool's entry: `motion` (time, speed, radius), `destination`, or a step that drives.
    `pose`: of the robot in the world frame; None: unknown.
    """
    if 'drive' in tool.skill.steps:
        return f'drives to the place that the memory names ({tool.skill.steps["drive"]})'
    motion = tool.motion_ahead(tool.motion_seconds(arguments))
    if motion is not None:
        return _describe_motion(motion)
    destination = tool.destination(arguments)
    return '' if destination is None else _describe_drive(destination, pose)


def _describe_motion(motion: MotionAhead) -> str:
    seconds = f'{motion.seconds:.3g} s'
    metres = motion.speed_m_s * motion.seconds
    if not metres:
        return seconds  # the entry has no speed
    if not motion.radius_m:
        return f'{seconds}, about {metres:.2g} m straight ahead'
    side = 'left' if motion.radius_m > 0 else 'right'
    degrees = math.degrees(metres / abs(motion.radius_m))
    return f'{seconds}, about {metres:.2g} m in an arc, {degrees:.0f}° to the {side}'


def _describe_drive(destination: tuple[float, float], pose: Pose | None) -> str:
    target = f'to x {_metres(destination[0])}, y {_metres(destination[1])}'
    if pose is None:
        return target
    metres = math.dist(destination, (pose.x, pose.y))
    heading = math.degrees(pose.yaw)
    start = f'from x {_metres(pose.x)}, y {_metres(pose.y)}, {heading:.0f}°'
    return f'{_metres(metres)} or more, {start} {target}'


def _metres(value: float) -> str:
    return f'{value:.1f} m' if abs(value) < 1e6 else f'{value:.3g} m'
