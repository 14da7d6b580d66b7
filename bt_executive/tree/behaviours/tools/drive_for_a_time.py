"""Drives for a time, measures how far the robot comes meanwhile, and confirms it."""

from __future__ import annotations

import math

from py_trees.common import Status

from bt_executive.core.error_codes import CallError, ended_by
from bt_executive.core.guard_view_and_verdict import MotionAhead
from bt_executive.core.robot_state import RobotState
from bt_executive.core.timed_motion_check import MOVED_M, DriveMeter
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import ToolLeaf
from bt_executive.tree.context_roles import ToolAccess
from bt_executive.tree.planning_round import Asked
from rover_common.dataclass_replace import replace

STILL = MotionAhead(speed_m_s=0.0, radius_m=0.0, seconds=0.0)


class DriveFor(ToolLeaf[ToolAccess]):
    """RUNNING for the seconds of the robot's time that the tool lasts.

    FAILURE as soon as the adapter says that the motion has ended, or the poses show that the robot
    does something else: it did not end by us.

    They count from when the robot began to move by the stamps of its poses, or from the answer
    to the request if no pose tells: in fast simulated time an answer is on its way for long. While
    the robot drives, the guards are asked once in each period of its own time, too.
    """

    def __init__(self, name: str, context: ToolAccess, tool: Tool) -> None:
        super().__init__(name, context)
        self._tool = tool
        self._seconds = 0.0
        self._until = 0.0
        self._seen = False
        self.meter = DriveMeter(STILL)  # of the latest drive

    def initialise(self) -> None:
        proposal = self.context.round.proposal
        self._seconds = self._tool.motion_seconds(proposal.arguments if proposal else {})
        self._seen = False
        self.meter = self._begin_to_measure()
        self._count_from(self.context.now.robot)

    def update(self) -> Status:
        cut_short = self.context.round.cut_short
        if cut_short is not None:
            return self.failed(cut_short.code, cut_short.sentence)
        permits = self.context.permits
        permit = permits.at(self._tool.skill.gate).number
        ending = permits.ending(permit, self.context.state.robot)
        if ending is not None:
            return self.failed(ended_by(ending), ending.reason)
        if self.context.round.asked is not None and not self._seen:
            self._measure(self.context.round.asked)
        update_meter(self.meter, self.context.state.robot)
        fault = self.meter.fault(self.context.config.executive.guards)
        if fault is not None:
            return self.failed(CallError.OFF_COURSE, fault)
        now = self.context.now.robot
        left = self._until - now
        if left > 0:
            period = self.context.config.executive.tick.period_s
            self.context.wake_at(robot=min(self._until, now + period))
            return self.running(f'{left:.1f} s left')
        return self.success('time is over')

    def _begin_to_measure(self) -> DriveMeter:
        """Starts to measure at the pose before the request; without one, nothing is measured."""
        meter, asked = DriveMeter(self._motion()), self.context.round.asked
        if asked is not None and asked.pose_at is not None:
            meter.begin(asked.pose, asked.pose_stamp, asked.pose_at)
        return meter

    def _motion(self) -> MotionAhead:
        return self._tool.motion_ahead(self._seconds) or STILL

    def _measure(self, asked: Asked) -> None:
        """Counts the time from the begin of the motion, once poses show it."""
        now, robot = self.context.now, self.context.state.robot
        motion = self._tool.skill.motion
        moved = math.hypot(robot.pose.x - asked.pose.x, robot.pose.y - asked.pose.y)
        if motion is None or moved < MOVED_M or robot.pose_stamp < asked.pose_stamp:
            return
        self._seen = True
        under_way = moved / motion.speed_m_s if motion.speed_m_s else 0.0
        ago = now.ros - robot.pose_stamp + under_way
        self._count_from(min(max(now.robot - ago, asked.now.robot), now.robot))

    def _count_from(self, began: float) -> None:
        self._until = began + self._seconds
        self.context.round = replace(self.context.round, motion_until=self._until)


def update_meter(meter: DriveMeter, robot: RobotState) -> None:
    """Pass the robot's latest pose to a meter."""
    if robot.pose_at is not None:
        meter.update(robot.pose, robot.pose_stamp, robot.pose_at)


class ConfirmDrive(ToolLeaf[ToolAccess]):
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
            return self.failed(CallError.OFF_COURSE, why_not)
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
        return self.failed(
            CallError.OFF_COURSE,
            f'it is not known how far the robot came: no new pose for {limit:g} s '
            '(guards.pose_max_age_s)',
        )
