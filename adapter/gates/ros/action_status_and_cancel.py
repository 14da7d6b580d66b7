"""The executive's goals at one action's server: what the server says of them, and their end."""

from __future__ import annotations

import time
import uuid

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.node import Node
from rclpy.task import Future

from gates.goals_to_cancel import OwnGoals
from rover_common.ros.bounded_calls import BoundedFutures
from rover_common.ros.qos import LATCHED

_OPEN = frozenset(
    {GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING}
)


class GoalsAtServer:
    """Reads the status topic of an action, and sends cancel requests for single goals.

    Args:
        node: Owns the subscription and the client.
        action: Its name in robot.yaml.
        goals: The goals at it.
    """

    def __init__(self, node: Node, action: str, goals: OwnGoals) -> None:
        self.goals = goals
        self._answers = BoundedFutures()
        self._cancel = node.create_client(CancelGoal, f'{action}/_action/cancel_goal')
        self._node, self._topic = node, f'{action}/_action/status'
        node.create_subscription(GoalStatusArray, self._topic, self._on_status, LATCHED)

    def cancel_all_but(self, held: str, now: float) -> None:
        """Cancels what a heartbeat named and none permits any more. `now`: steady, s."""
        if not self._cancel.service_is_ready():
            return
        for goal in self.goals.to_cancel(held, now):
            request = CancelGoal.Request()
            request.goal_info.goal_id.uuid = list(uuid.UUID(hex=goal).bytes)
            answer = self._answers.add(self._cancel.call_async(request))
            answer.add_done_callback(lambda done, goal=goal: self._answered(goal, done))

    def _on_status(self, message: GoalStatusArray) -> None:
        self.goals.update_status(
            {
                bytes(each.goal_info.goal_id.uuid.tolist()).hex(): each.status in _OPEN
                for each in message.status_list
            },
            alone=self._node.count_publishers(self._topic) < 2,
        )

    def _answered(self, goal: str, future: Future) -> None:
        code = None if future.cancelled() else future.result().return_code
        if code == CancelGoal.Response.ERROR_GOAL_TERMINATED:
            self.goals.note_ended(goal)
        elif code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID:
            self.goals.note_unknown(goal, time.monotonic())
