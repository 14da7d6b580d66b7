"""What is left of a drive that a gap stopped: heartbeats or poses that were missing for a moment.

Only what was measured counts as driven, and only a robot that stands at a known pose drives on
(docs/decisions/0087-a-drive-goes-on-after-a-gap.md). What a human, a limit or the course of the
motion itself ended is not tried again here, nor what an adapter did that was restarted.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any

from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.guard_view_and_verdict import MotionAhead
from bt_executive.core.round_decision import MAX_PARTS
from bt_executive.core.timed_motion_check import driven_along, turned_along
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.context_roles import ReadAccess
from bt_executive.tree.planning_round import Asked, DrivenBefore, Round
from rover_common.config.endpoints import names_at_adapter
from rover_common.dataclass_replace import replace
from rover_common.permit import EndingCode

# A shorter rest is not driven.
LEAST_REST_S, LEAST_REST_M, LEAST_REST_RAD = 0.3, 0.05, 0.05
INTERRUPTIONS = 'interruptions'  # in the result of a drive in parts
DISTANCE, ANGLE = 'distance_m', 'angle_rad'  # of a gate's motion, in arguments and result


@dataclass(frozen=True)
class Rest:
    """The call that drives the rest, and the part driven before it."""

    proposal: Proposal
    before: DrivenBefore


class DriveTheRest:
    """Finds the rest of a round's drive that a gap has stopped."""

    def __init__(self, context: ReadAccess) -> None:
        self._context = context
        self._lost_pose = ''  # the call that has ended without a pose

    def waits_for(self) -> str:
        """Returns what the rest waits for; empty: nothing, or the time for it is over."""
        context, this = self._context, self._context.round
        if not self._stopped_by_gap(this) or this.ended_at is None:
            return ''
        by = this.ended_at + context.config.executive.guards.server_wait_s
        if context.now.steady >= by:
            return ''
        missing = self._missing(this.ended_at)
        if missing:
            context.wake_at(steady=by)
        return missing

    def rest(self) -> Rest | None:
        """Returns the rest of the drive; None: there is none that may be driven."""
        context, this = self._context, self._context.round
        tool, proposal, asked = context.proposed_tool, this.proposal, this.asked
        if tool is None or proposal is None or asked is None or this.ended_at is None:
            return None
        if not self._stopped_by_gap(this) or self._missing(this.ended_at):
            return None
        if tool.skill.motion is not None:
            return self._less_time(tool, proposal, asked, this)
        ahead = tool.gate_motion_ahead(proposal.arguments)
        if ahead is not None:
            return self._less_distance(tool, proposal, asked, ahead, this)
        turn = tool.gate_turn(proposal.arguments)
        if turn is not None:
            return self._less_turn(tool, proposal, asked, turn, this)
        return self._same_place(proposal, this)

    def _stopped_by_gap(self, this: Round) -> bool:
        context, tool = self._context, self._context.proposed_tool
        if tool is None or not this.permit or this.step is not None or this.outcome.ok:
            return False
        if this.attempt >= MAX_PARTS or not _has_rest(tool, this):
            return False
        ending = context.motion_ending()
        code = ending.code if ending else ''
        if code in (EndingCode.GAP.value, EndingCode.HALTED.value):
            return code == EndingCode.GAP.value
        refusal = this.verdict.refusal if this.verdict else None
        if refusal is not None:
            return refusal.passing and not self._is_lost(tool, this)
        is_early = this.motion_until is not None and context.now.robot < this.motion_until
        off_course = this.error_code == CallError.OFF_COURSE.value
        if is_early and off_course and not context.pose_is_current():
            self._lost_pose = this.call_id
        return self._lost_pose == this.call_id

    def _is_lost(self, tool: Tool, this: Round) -> bool:
        """Returns whether the adapter of the drive was restarted since."""
        adapter_run, served = (
            self._context.state.robot.adapter_life,
            names_at_adapter(self._context.config),
        )
        by_adapter = tool.endpoint is not None and tool.endpoint.name in served
        asked = this.asked
        return by_adapter and asked is not None and asked.adapter_life != adapter_run

    def _missing(self, ended_at: float) -> str:
        """Returns what is not known since the end: standstill or pose."""
        robot = self._context.state.robot
        at_rest = robot.at_rest is True and (robot.status_at or 0.0) > ended_at
        if not at_rest or not self._context.stop_is_confirmed():
            return 'waiting until the robot is known to stand'
        fresh = robot.pose_at is not None and robot.pose_at > ended_at
        return '' if fresh and self._context.pose_is_current() else 'waiting for the pose'

    def _same_place(self, proposal: Proposal, this: Round) -> Rest:
        """Returns the same call: a second drive to a place is the rest of the path."""
        before = this.before or DrivenBefore(proposal, 0.0, 0.0, 0)
        return Rest(proposal, replace(before, gaps=before.gaps + 1))

    def _less_time(self, tool: Tool, proposal: Proposal, asked: Asked, this: Round) -> Rest | None:
        motion, seconds = tool.skill.motion, tool.motion_seconds(proposal.arguments)
        ahead = tool.motion_ahead(seconds)
        if motion is None or ahead is None:
            return None
        driven = driven_along(ahead, asked.pose, self._context.state.robot.pose)
        if driven is None:
            return None
        left = round(seconds - driven / motion.speed_m_s, 2)
        arguments = {**proposal.arguments, str(motion.duration_arg): left}
        if left < LEAST_REST_S or tool.refuse_arguments(arguments) is not None:
            return None
        return _rest(replace(proposal, arguments=arguments), this, driven, ahead)

    def _less_distance(
        self, tool: Tool, proposal: Proposal, asked: Asked, ahead: MotionAhead, this: Round
    ) -> Rest | None:
        """Returns the distance left to a gate; `ahead` is at 1 m/s, negative: backwards."""
        metres = math.copysign(ahead.seconds, ahead.speed_m_s)
        began = asked.pose if metres > 0.0 else replace(asked.pose, yaw=asked.pose.yaw + math.pi)
        onward = replace(ahead, speed_m_s=1.0)
        driven = driven_along(onward, began, self._context.state.robot.pose)
        if driven is None or ahead.seconds - driven < LEAST_REST_M:
            return None
        left = round(math.copysign(ahead.seconds - driven, metres), 3)
        arguments = {**proposal.arguments, DISTANCE: left}
        if tool.refuse_arguments(arguments) is not None:
            return None
        return _rest(replace(proposal, arguments=arguments), this, driven, onward)

    def _less_turn(
        self, tool: Tool, proposal: Proposal, asked: Asked, turn: float, this: Round
    ) -> Rest | None:
        """Returns the angle left to a gate."""
        turned = turned_along(turn, asked.pose, self._context.state.robot.pose)
        if turned is None or abs(turn) - turned < LEAST_REST_RAD:
            return None
        left = round(math.copysign(abs(turn) - turned, turn), 3)
        arguments = {**proposal.arguments, ANGLE: left}
        if tool.refuse_arguments(arguments) is not None:
            return None
        before = this.before or DrivenBefore(proposal, 0.0, 0.0, 0)
        turned += before.turned_rad
        return Rest(
            replace(proposal, arguments=arguments),
            replace(before, turned_rad=turned, gaps=before.gaps + 1),
        )


def _rest(left: Proposal, this: Round, driven_m: float, ahead: MotionAhead) -> Rest:
    assert this.proposal is not None
    expected = ahead.speed_m_s * ahead.seconds
    before = this.before or DrivenBefore(this.proposal, 0.0, expected, 0)
    before = replace(before, driven_m=before.driven_m + driven_m, gaps=before.gaps + 1)
    return Rest(left, before)


def _has_rest(tool: Tool, this: Round) -> bool:
    """Return whether the rest of this tool's drive can be measured and called."""
    motion, arguments = tool.skill.motion, this.proposal.arguments if this.proposal else {}
    measured = this.asked is not None and this.asked.pose_at is not None
    if motion is not None:
        return bool(measured and motion.duration_arg and motion.speed_m_s > 0.0)
    if tool.gate_motion_ahead(arguments) is not None or tool.gate_turn(arguments) is not None:
        return measured
    return tool.skill.idempotent and tool.destination(arguments) is not None


def describe_rest(rest: Rest, tool: Tool) -> str:
    """Return that the drive goes on, for the trace."""
    before, motion = rest.before, tool.skill.motion
    part = f'part {before.gaps + 1} of at most {MAX_PARTS}'
    turns = tool.gate_turn(before.whole.arguments) is not None
    if motion is None and not before.expected_m and not turns:
        return f'{tool.name} goes on to the same place ({part})'
    both = (rest.proposal.arguments, before.whole.arguments)
    name, unit = (ANGLE, 'rad') if turns else (DISTANCE, 'm')
    left, whole = (each.get(name, 0.0) for each in both)
    if motion is not None:
        (left, whole), unit = map(tool.motion_seconds, both), 's'
    return f'{tool.name} goes on: {left:g} {unit} of {whole:g} {unit} are left ({part})'


def of_all_parts(this: Round, result: ToolResult) -> ToolResult:
    """Return the result of the whole call, if it was driven in parts."""
    before = this.before
    if before is None:
        return result
    data: dict[str, Any] = {**result.data, INTERRUPTIONS: before.gaps}
    if result.ok and before.expected_m:
        name = DISTANCE if DISTANCE in data else 'driven_m'
        data['expected_m'] = round(before.expected_m, 2)
        data[name] = _sum(before.driven_m, data.get(name))
    if result.ok and before.turned_rad:
        data[ANGLE] = _sum(before.turned_rad, data.get(ANGLE))
    if not result.ok and 'driven_m' in data:
        last_m = data['driven_m'] if before.expected_m else None
        data['driven_m'] = _sum(before.driven_m, last_m)
    driven = f'{before.driven_m:.2f} m' * bool(before.expected_m)
    driven = driven or f'{before.turned_rad:.2f} rad' * bool(before.turned_rad)
    if result.ok or not driven:
        return replace(result, data=data)
    reason = f'{result.error_reason}; {driven} of it were driven before'
    return replace(result, data=data, error_reason=reason)


def _sum(before: float, last: Any) -> float | None:
    """Return m or rad of all parts, in the direction of the last; None: that is not known."""
    is_measured = isinstance(last, (int, float))
    return round(math.copysign(before, last) + last, 2) if is_measured else None
