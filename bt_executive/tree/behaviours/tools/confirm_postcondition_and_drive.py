"""Confirms by measurement what a tool did: a postcondition, or how far a motion came."""

from __future__ import annotations

from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.timed_motion_check import DriveMeter
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.behaviours.tools.drive_for import DriveFor, update_meter
from bt_executive.tree.context_roles import ToolAccess
from bt_executive.tree.tool_confirmation import why_not_confirmed
from rover_common.dataclass_replace import replace


class AwaitPostcondition(Leaf[ToolAccess]):
    """SUCCESS when the postcondition holds; FAILURE when it does not within the tool's time."""

    def __init__(self, name: str, context: ToolAccess, tool: Tool) -> None:
        super().__init__(name, context)
        self._tool = tool
        self._until = 0.0

    def initialise(self) -> None:
        """Starts the time limit, when the message is sent."""
        self._until = self.context.now.steady + self._tool.skill.timeout_s

    def update(self) -> Status:
        context, tool = self.context, self._tool
        missing = why_not_confirmed(context, tool, {}, ToolResult(ok=True))
        if not missing:
            parts = context.state.robot.parts
            seen = {field: parts.get(field) for field in tool.skill.postcondition}
            published = context.round.result or ToolResult(ok=True)
            result = replace(published, data={**published.data, **seen})
            context.round = replace(context.round, result=result)
            return self.success('seen')
        if context.now.steady < self._until:
            context.wake_at(steady=self._until)
            return self.running(f'published; {missing}')
        reason = f'Published, but after {tool.skill.timeout_s:g} s {missing}'
        context.fail(CallError.TIMED_OUT.value, reason)
        return self.failure(reason)


class ConfirmDrive(Leaf[ToolAccess]):
    """SUCCESS when poses up to the motion's end show that the robot has come along.

    RUNNING while poses up to there are on their way; FAILURE if they show another motion, and if
    none comes for `guards.pose_max_age_s`. The result gets `driven_m` and `expected_m`. Where the
    pose was not known before the motion, nothing is measured and `driven_m` is null; where
    robot.yaml tells no speed, the result stays as it is.
    """

    def __init__(self, name: str, context: ToolAccess, drive: DriveFor) -> None:
        super().__init__(name, context)
        self._drive = drive
        self._since = 0.0  # steady

    def initialise(self) -> None:
        self._since = self.context.now.steady

    def update(self) -> Status:
        meter = self._drive.meter
        if not meter.measures:
            self._report(meter, None)
            return self.success('not measured')
        update_meter(meter, self.context.state.robot)
        return self._judge(meter) if meter.complete else self._wait_for_poses(meter)

    def _judge(self, meter: DriveMeter) -> Status:
        why_not = meter.verdict(self.context.config.executive.guards)
        if why_not:
            return self._failed(why_not)
        self._report(meter, round(meter.driven_m, 2))
        return self.success(f'{meter.driven_m:.1f} m')

    def _report(self, meter: DriveMeter, driven_m: float | None) -> None:
        """Puts the distance driven into the result; None: not known."""
        this = self.context.round
        if this.result and meter.expected_m:
            way = {'driven_m': driven_m, 'expected_m': round(meter.expected_m, 2)}
            result = replace(this.result, data={**this.result.data, **way})
            self.context.round = replace(this, result=result)

    def _wait_for_poses(self, meter: DriveMeter) -> Status:
        limit = self.context.config.executive.guards.pose_max_age_s
        if self.context.now.silent_for(max(meter.pose_at, self._since)) <= limit:
            return self.running('waiting for the pose at the end')
        return self._failed(
            f'it is not known how far the robot came: no new pose for {limit:g} s '
            '(guards.pose_max_age_s)'
        )

    def _failed(self, reason: str) -> Status:
        self.context.fail(CallError.OFF_COURSE.value, reason)
        return self.failure(reason)
