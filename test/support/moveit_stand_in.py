"""A small stand-in for MoveIt's move_group: its action with its own messages, and two joints."""

from __future__ import annotations

from typing import Any

from moveit_msgs.action import MoveGroup
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future

PERIOD_S, STEP_RAD = 0.02, 0.02
SUCCESS, PREEMPTED = 1, -7


class MoveItStandIn(Node):
    """Moves its joints in steps.

    Attributes:
        joints: Where they are, rad.
        fails: The error code of the next goals; 0: they are carried out.
        accepts: Whether goals are.
        requests: Those that came.
    """

    def __init__(self, context: Context) -> None:
        super().__init__('move_group', context=context)
        self.joints = {'joint_1': 0.0, 'joint_2': 0.0}
        self.fails, self.accepts = 0, True
        self.requests: list[Any] = []
        self._goal: ServerGoalHandle | None = None
        self._done = Future()
        self.create_timer(PERIOD_S, self._step)
        self._server = ActionServer(
            self,
            MoveGroup,
            'move_action',
            execute_callback=self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=ReentrantCallbackGroup(),
        )

    @property
    def moves(self) -> bool:
        """Whether a goal is carried out."""
        return self._goal is not None

    async def _execute(self, handle: ServerGoalHandle) -> MoveGroup.Result:
        self.requests.append(handle.request.request)
        result = MoveGroup.Result()
        if self.fails:
            result.error_code.val = self.fails
            result.error_code.message = 'as the test wants it'
            handle.abort()
            return result
        self._goal, self._done = handle, Future()
        await self._done
        self._goal = None
        if handle.is_cancel_requested:
            result.error_code.val = PREEMPTED
            handle.canceled()
        else:
            result.error_code.val = SUCCESS
            handle.succeed()
        return result

    def _step(self) -> None:
        goal = self._goal
        if goal is None or self._done.done():
            return
        if goal.is_cancel_requested:
            self._done.set_result(None)
            return
        constraints = goal.request.request.goal_constraints[0].joint_constraints
        wanted = {each.joint_name: each.position for each in constraints}
        for name, at in self.joints.items():
            left = wanted[name] - at
            self.joints[name] = at + max(-STEP_RAD, min(STEP_RAD, left))
        if self.joints == wanted:
            self._done.set_result(None)
