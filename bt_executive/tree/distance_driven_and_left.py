"""The distance that a goal has driven, by poses or assumed without them, and the rest of it."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any, NamedTuple

from bt_executive.core.call_table import ServerCall, is_of
from bt_executive.core.drive_destinations import why_long
from bt_executive.core.inputs import PoseReceived
from bt_executive.core.modes import holds_back
from bt_executive.core.motion_shown_by_poses import JUMP_M_S, Odometer
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import ReadAccess
from rover_common.json_values import finite_number


def distance_to_target(context: ReadAccess) -> float:
    """Return the m left: by the server's feedback, else straight; 0: there is no destination.

    While the goal is held back, what was left then: its server is not there to report the path.
    """
    this, robot, task = context.round, context.state.robot, context.task
    asked = this.step or this.proposal
    tool = context.registry.get(asked.tool) if asked else None
    if asked is None or tool is None or not this.under_way:
        return 0.0
    named, destination = tool.skill.destination, tool.destination(asked.arguments)
    if named is None or destination is None:
        return 0.0
    for call in context.running_calls():
        left = finite_number((call.progress or {}).get(named.left))
        if call.call_id == this.call_id and left is not None:
            return left
    if task is not None and holds_back(context.state, task):
        return robot.distance_to_target
    return 0.0 if robot.pose_at is None else math.dist((robot.pose.x, robot.pose.y), destination)


def long_path(context: ReadAccess, feedback: Mapping[str, Any]) -> str:
    """Return why the path in the first feedback is long; empty: it is not."""
    asked, robot = context.round.step or context.round.proposal, context.state.robot
    tool = context.registry.get(asked.tool) if asked else None
    if asked is None or tool is None or robot.pose_at is None:
        return ''
    named, destination = tool.skill.destination, tool.destination(asked.arguments)
    if named is None or destination is None:
        return ''
    left = finite_number(feedback.get(named.left))
    straight = math.dist((robot.pose.x, robot.pose.y), destination)
    return '' if left is None else why_long(left, straight, named.detour)


REPORT_AGAIN_S = 10.0  # between reports of repeated jumps of the pose, in steady s


class _Drive(NamedTuple):
    """Likely and largest speed in m/s; `is_configured`: else it was measured by poses."""

    speed_m_s: float
    fastest_m_s: float
    is_configured: bool


class DriveAccount:
    """Adds to the active goal what was driven. One instance for one run of the executive."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._odometer = Odometer()
        self._counted_until = context.now
        self._drive: _Drive | None = None  # the latest one
        self._unassumed_m = 0.0  # of this tick, which the next pose is to show
        self._at_gates: dict[str, float] = {}  # call of a gate's motion → the m it has reported
        self._reported_at = -REPORT_AGAIN_S

    def pass_time(self, measured: bool) -> None:
        """Assumes that the robot drives while it is permitted; to be called once in each tick.

        `measured`: a pose has arrived in this tick. With a configured speed, a pose without
        motion does not prove that the robot stands.
        """
        context, before = self._context, self._odometer.pending_m
        now, since = context.now, self._counted_until
        passed = max(now.robot - since.robot, 0.0)
        longest = max(passed, now.steady - since.steady)  # its clock may stop while it drives on
        self._counted_until, self._unassumed_m = now, 0.0
        if context.permits.current.number:
            self._drive = self._commanded()
        elif context.stops.pending is None:
            self._drive = None
        stopping = not context.permits.current.number
        if self._drive is not None:  # until the stop is confirmed
            seen = (
                context.pose_is_current()
                if stopping
                else measured and not self._drive.is_configured
            )
            reported_m = self._reported_by_gates()
            speed_m_s = 0.0 if seen or reported_m else self._drive.speed_m_s
            self._unassumed_m = self._drive.speed_m_s * passed if seen else 0.0
            self._odometer.assume(speed_m_s, passed, self._drive.fastest_m_s, longest)
            self._odometer.assume(reported_m, 1.0)
            self._add(0.0, self._odometer.pending_m - before)

    def update(self, event: PoseReceived) -> None:
        """Adds a pose."""
        before = self._odometer.pending_m
        driven = self._odometer.add_pose(event.x, event.y, event.at)
        assumed_m = driven.assumed_m + self._odometer.pending_m - before
        if driven.jumped_m:  # the pose does not show the motion of this tick
            assumed_m, self._unassumed_m = assumed_m + self._unassumed_m, 0.0
        self._add(driven.measured_m, assumed_m)
        now = self._context.now.steady
        if driven.jumped_m and now - self._reported_at >= REPORT_AGAIN_S:
            self._reported_at = now
            self._context.tracer.emit(
                'OBSERVE',
                f'The pose began anew, {driven.jumped_m:.1f} m away: that is no drive and counts '
                'as none',
            )

    def _add(self, measured_m: float, assumed_m: float) -> None:
        if self._context.task is None:
            return
        progress = self._context.progress
        progress.distance_m += measured_m
        progress.assumed_m = max(progress.assumed_m + assumed_m, 0.0)

    def _reported_by_gates(self) -> float:
        """Returns the m that gates have measured of their own motions since the last tick.

        They use odometry: poses without motion do not prove that the robot stands.
        """
        context, before = self._context, self._at_gates
        self._at_gates = {
            call.server_call_id: abs(reported)
            for call in context.running_calls()
            if is_of(call.call_id, context.round.call_id)
            and _is_gate_motion(context, call)
            and (reported := finite_number((call.progress or {}).get('distance_m'))) is not None
        }
        driven = (metres - before.get(call, 0.0) for call, metres in self._at_gates.items())
        return sum(max(each, 0.0) for each in driven)

    def _commanded(self) -> _Drive:
        """Returns the drive that is permitted now."""
        context = self._context
        this = context.round
        tool = context.registry.get(this.step.tool if this.step else this.tool)
        speed = tool.skill.motion.speed_m_s if tool and tool.skill.motion else 0.0
        if speed:
            return _Drive(speed, context.config.executive.guards.drive_most * speed, True)
        return _Drive(abs(context.state.robot.twist.linear_x), JUMP_M_S, False)


def _is_gate_motion(context: ReadAccess, call: ServerCall) -> bool:
    """Return whether a gate makes the motion of a call, of the proposed tool or of a member."""
    tool = context.registry.get(call.skill)
    return tool is not None and tool.is_gate_motion
