"""Counts what a goal has driven: measured by poses, and assumed while none come."""

from __future__ import annotations

from bt_executive.core.gauges import JUMP_M_S, Odometer
from bt_executive.core.inbox import PoseSeen
from bt_executive.tree.context import Context

TOLD_AGAIN_S = 10.0  # a pose that jumps again and again is reported so often, in steady s


class DriveAccount:
    """Adds to the active goal what was driven. One instance for one run of the executive."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._odometer = Odometer()
        self._counted_until = context.now.robot
        self._speed: tuple[float, float] | None = None  # of the latest drive: likely, fastest
        self._told_at = -TOLD_AGAIN_S

    def pass_time(self) -> None:
        """Assumes that the robot drives for as long as it may; call it once in each tick."""
        context, before = self._context, self._odometer.pending_m
        passed = max(context.now.robot - self._counted_until, 0.0)
        self._counted_until = context.now.robot
        if context.permits.current.number:
            self._speed = self._commanded()
        elif context.stops.pending is None:
            self._speed = None
        unseen = context.stops.pending is not None and not context.pose_is_current()
        if self._speed is not None and (context.permits.current.number or unseen):
            likely, fastest = self._speed
            self._odometer.assume(likely, passed, fastest)
            self._enter(0.0, self._odometer.pending_m - before)

    def take(self, event: PoseSeen) -> None:
        """Takes a pose."""
        before = self._odometer.pending_m
        driven = self._odometer.driven(event.x, event.y, event.at)
        assumed_m = driven.assumed_m + self._odometer.pending_m - before
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

    def _commanded(self) -> tuple[float, float]:
        """Likely and fastest speed of the drive that is permitted now, in m/s."""
        context = self._context
        this = context.round
        tool = context.registry.get(this.step.tool if this.step else this.tool)
        speed = tool.skill.motion.speed_m_s if tool and tool.skill.motion else 0.0
        if speed:
            return speed, context.config.executive.guards.drive_most * speed
        return abs(context.state.robot.twist.linear_x), JUMP_M_S
