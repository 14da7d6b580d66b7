"""How far a goal has driven, by poses or assumed while none come; and how far it is still."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any, NamedTuple

from bt_executive.core.inputs import PoseReceived
from bt_executive.core.long_path_warning import why_long
from bt_executive.core.odometer import JUMP_M_S, Odometer
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import ReadAccess
from rover_common.finite_number import finite_number


def distance_to_target(facts: ReadAccess) -> float:
    """Metres: as the server last told, before that in a straight line; 0 without a destination."""
    this, robot = facts.round, facts.state.robot
    asked = this.step or this.proposal
    tool = facts.registry.get(asked.tool) if asked else None
    if asked is None or tool is None or not this.under_way:
        return 0.0
    named, destination = tool.skill.destination, tool.destination(asked.arguments)
    if named is None or destination is None:
        return 0.0
    for call in facts.running_calls():
        left = finite_number((call.progress or {}).get(named.left))
        if call.call_id == this.call_id and left is not None:
            return left
    return 0.0 if robot.pose_at is None else math.dist((robot.pose.x, robot.pose.y), destination)


def long_path(facts: ReadAccess, feedback: Mapping[str, Any]) -> str:
    """Why the path ahead, as a server reports it first, is long for its goal; empty: it is not."""
    asked, robot = facts.round.step or facts.round.proposal, facts.state.robot
    tool = facts.registry.get(asked.tool) if asked else None
    if asked is None or tool is None or robot.pose_at is None:
        return ''
    named, destination = tool.skill.destination, tool.destination(asked.arguments)
    if named is None or destination is None:
        return ''
    left = finite_number(feedback.get(named.left))
    straight = math.dist((robot.pose.x, robot.pose.y), destination)
    return '' if left is None else why_long(left, straight, named.detour)


TOLD_AGAIN_S = 10.0  # a pose that jumps again and again is reported so often, in steady s


class _Drive(NamedTuple):
    """Likely and largest speed in m/s; whether the configuration has it, or poses had shown it."""

    speed_m_s: float
    fastest_m_s: float
    is_known: bool


class DriveAccount:
    """Adds to the active goal what was driven. One instance for one run of the executive."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._odometer = Odometer()
        self._counted_until = context.now
        self._drive: _Drive | None = None  # the latest one
        self._unassumed_m = 0.0  # of this tick, for a pose that is to show it
        self._at_gate = ('', 0.0)  # the latest call of a gate's motion, and the m it has reported
        self._told_at = -TOLD_AGAIN_S

    def pass_time(self, measured: bool) -> None:
        """Assumes that the robot drives for as long as it may; call it once in each tick.

        `measured`: a pose has come in this tick. Where the speed is known, that alone does not
        prove that the robot stands; else there is nothing to set against it.
        """
        context, before = self._context, self._odometer.pending_m
        now, since = context.now, self._counted_until
        passed = max(now.robot - since.robot, 0.0)
        longest = max(passed, now.steady - since.steady)  # its clock may stand while it drives on
        self._counted_until, self._unassumed_m = now, 0.0
        if context.permits.current.number:
            self._drive = self._commanded()
        elif context.stops.pending is None:
            self._drive = None
        stopping = not context.permits.current.number
        if self._drive is not None:  # until the stop is confirmed
            seen = context.pose_is_current() if stopping else measured and not self._drive.is_known
            reported_m = self._reported_by_gate()
            speed_m_s = 0.0 if seen or reported_m else self._drive.speed_m_s
            self._unassumed_m = self._drive.speed_m_s * passed if seen else 0.0
            self._odometer.assume(speed_m_s, passed, self._drive.fastest_m_s, longest)
            self._odometer.assume(reported_m, 1.0)
            self._enter(0.0, self._odometer.pending_m - before)

    def update(self, event: PoseReceived) -> None:
        """Takes a pose."""
        before = self._odometer.pending_m
        driven = self._odometer.add_pose(event.x, event.y, event.at)
        assumed_m = driven.assumed_m + self._odometer.pending_m - before
        if driven.jumped_m:  # it shows nothing of this tick
            assumed_m, self._unassumed_m = assumed_m + self._unassumed_m, 0.0
        self._enter(driven.measured_m, assumed_m)
        now = self._context.now.steady
        if driven.jumped_m and now - self._told_at >= TOLD_AGAIN_S:
            self._told_at = now
            self._context.tracer.emit(
                'OBSERVE',
                f'The pose began anew, {driven.jumped_m:.1f} m away: that is no drive and counts '
                'as none',
            )

    def _enter(self, measured_m: float, assumed_m: float) -> None:
        if self._context.task is None:
            return
        progress = self._context.progress
        progress.distance_m += measured_m
        progress.assumed_m = max(progress.assumed_m + assumed_m, 0.0)

    def _reported_by_gate(self) -> float:
        """Return the m that a gate has measured of its own motion since the last tick.

        By its odometry: poses that stand meanwhile do not prove that the robot does.
        """
        context = self._context
        this = context.round
        tool = context.registry.get(this.step.tool if this.step else this.tool)
        if tool is None or not tool.is_gate_motion:
            return 0.0
        call, before = self._at_gate
        for running in context.running_calls():
            reported = finite_number((running.progress or {}).get('distance_m'))
            if running.call_id == this.call_id and reported is not None:
                self._at_gate = (this.call_id, abs(reported))
                return max(abs(reported) - (before if call == this.call_id else 0.0), 0.0)
        return 0.0

    def _commanded(self) -> _Drive:
        """The drive that is permitted now."""
        context = self._context
        this = context.round
        tool = context.registry.get(this.step.tool if this.step else this.tool)
        speed = tool.skill.motion.speed_m_s if tool and tool.skill.motion else 0.0
        if speed:
            return _Drive(speed, context.config.executive.guards.drive_most * speed, True)
        return _Drive(abs(context.state.robot.twist.linear_x), JUMP_M_S, False)
