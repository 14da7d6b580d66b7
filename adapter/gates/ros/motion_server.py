"""The gate's own motions as actions, which tools use: gates/<gate>/straight, turn, arc."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
import time
from typing import Any

from bt_executive_interfaces.action import DriveMotion
from geometry_msgs.msg import Twist
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from gates.motion_and_standstill_by_odometry import Kind, MotionRequest
from gates.motion_under_permit import OwnMotion, OwnMotions
from rover_common.ros.message_conversions import sendable_message


class MotionServer:
    """Serves the motions of one gate, one at a time.

    Args:
        node: Owns the actions.
        gate: Its name.
        kinds: The motions to offer.
        motions: Drives them.
    """

    def __init__(self, node: Node, gate: str, kinds: Iterable[Kind], motions: OwnMotions) -> None:
        self._motions = motions
        self._running: ServerGoalHandle | None = None
        self._ended = Future()
        self._servers = [
            ActionServer(
                node,
                DriveMotion,
                f'gates/{gate}/{kind}',
                execute_callback=partial(self._execute, kind),
                goal_callback=self._accept,
                cancel_callback=self._cancel,
                callback_group=ReentrantCallbackGroup(),
            )
            for kind in kinds
        ]

    def step(self, now: float) -> Twist | None:
        """Continues the motion; returns the velocity to command, if any. `now`: steady, s."""
        motion = self._motions.current
        if motion is None or self._running is None:
            return None
        velocity = self._motions.step(now)
        self._running.publish_feedback(
            DriveMotion.Feedback(
                distance_m=motion.measured.distance_m, angle_rad=motion.measured.angle_rad
            )
        )
        if motion.ended and not self._ended.done():
            self._ended.set_result(None)
        if velocity is None:
            return None
        twist = Twist()
        twist.linear.x, twist.angular.z = velocity
        return twist

    def _accept(self, _: DriveMotion.Goal) -> GoalResponse:
        free = self._running is None
        return GoalResponse.ACCEPT if free else GoalResponse.REJECT

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        if handle is self._running:
            self._motions.cancel(time.monotonic())
        return CancelResponse.ACCEPT

    async def _execute(self, kind: Kind, handle: ServerGoalHandle) -> DriveMotion.Result:
        if self._running is not None:  # two were accepted in one moment
            handle.abort()
            return DriveMotion.Result(error_code='INVALID', message='another motion is under way')
        goal = handle.request
        motion_request = MotionRequest(kind, goal.distance_m, goal.angle_rad, goal.radius_m)
        fault = motion_request.fault()
        if fault:
            handle.abort()
            return sendable_message(DriveMotion.Result(error_code='INVALID', message=fault))
        if handle.is_cancel_requested:
            handle.canceled()
            return DriveMotion.Result(error_code='CANCELLED', message='It was cancelled')
        self._running, self._ended = handle, Future()
        try:
            goal_id = bytes(handle.goal_id.uuid.tolist()).hex()
            motion = self._motions.begin(motion_request, goal_id, time.monotonic())
            await self._ended
            return _end_of(motion, handle)
        finally:
            self._running = None
            self._motions.current = None


def _end_of(motion: OwnMotion, handle: ServerGoalHandle) -> Any:
    failure, measured = motion.failure, motion.measured
    if failure is None:
        handle.succeed()
    elif handle.is_cancel_requested:
        handle.canceled()
    else:
        handle.abort()
    return sendable_message(
        DriveMotion.Result(
            error_code=failure.code.value if failure else '',
            message=failure.sentence if failure else '',
            distance_m=measured.distance_m,
            angle_rad=measured.angle_rad,
        )
    )
