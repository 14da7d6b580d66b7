"""The distance that the tool that a restart interrupted has driven since its first call."""

from __future__ import annotations

import math
from typing import Any

from bt_executive.core.motion_shown_by_poses import JUMP_M, JUMP_M_S
from bt_executive.tree.checkpoint_writer import PROGRESS_S
from bt_executive.tree.context_roles import ReadAccess, RoundAccess
from bt_executive.tree.persistent_state import Recovery

# Of ROS time: a run may last longer than what was saved of it, and its drive longer than the run.
UNSAVED_S = 10.0


def count_driven_before(context: RoundAccess, recovery: Recovery) -> None:
    """Count the distance driven, whatever the outcome of the tool is."""
    moved = _moved_m(context, recovery)
    if moved is None:
        return
    if moved > _reach_m(context, recovery):  # the pose has jumped, so the distance is assumed
        _assume_driven(context, recovery)
    else:
        context.count_driven(moved)


def moved_by_pose(context: ReadAccess, recovery: Recovery) -> tuple[str, dict[str, Any]]:
    """Return how far the robot has moved, as a clause and as data.

    A robot that is not known to stand may still move: right after its start the adapter still has
    to stop it.
    """
    robot, before = context.state.robot, recovery.pose
    still = 'stands' if robot.at_rest is True else 'may still move'
    moved = _moved_m(context, recovery)
    if moved is None or before is None:
        return f'how far the robot moved is not known; it {still}', {}
    if moved > _reach_m(context, recovery):
        reason = (
            f'how far the robot moved is not known: it is {moved:.1f} m away, further than it '
            f'can have been driven, so its pose began anew or somebody moved it; it {still}'
        )
        return reason, {}
    turned = math.remainder(robot.pose.yaw - before.yaw, math.tau)
    data = {'moved_m': round(moved, 2), 'turned_rad': round(turned, 2)}
    return f'the robot moved {moved:.1f} m, turned {turned:.2f} rad, and {still}', data


def _assume_driven(context: RoundAccess, recovery: Recovery) -> None:
    """Count the distance that the tool can have driven at its speed.

    Without a known speed, the unsaved time counts at the highest one.
    """
    tool = context.proposed_tool
    if tool is not None and not tool.drives:
        return
    speed = _speed_m_s(context, 0.0)
    if speed and tool is not None:
        proposal = context.round.proposal
        whole_s = tool.motion_seconds(proposal.arguments if proposal else {})
        context.count_driven(speed * min(recovery.lasted_s + PROGRESS_S, whole_s))
    else:
        context.count_unsaved(JUMP_M_S * PROGRESS_S)


def _moved_m(context: ReadAccess, recovery: Recovery) -> float | None:
    """Return the distance from the pose at the first call; None: not known."""
    robot, before = context.state.robot, recovery.pose
    if robot.pose_at is None or before is None:
        return None
    return math.dist((robot.pose.x, robot.pose.y), (before.x, before.y))


def _reach_m(context: ReadAccess, recovery: Recovery) -> float:
    """Return the longest distance that it can have driven; beyond it, the pose jumped."""
    most = context.config.executive.guards.drive_most
    return max(JUMP_M, most * _speed_m_s(context, JUMP_M_S) * (recovery.lasted_s + UNSAVED_S))


def _speed_m_s(context: ReadAccess, unknown: float) -> float:
    """Return the speed of the tool, or `unknown`, as for a tool that is gone."""
    tool = context.proposed_tool
    return tool.skill.motion.speed_m_s if tool and tool.skill.motion else unknown
