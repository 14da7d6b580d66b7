"""The service ~/cancel_goal: cancels one goal by its UUID.

The action's own service refuses a goal that its process has not accepted, without asking us
(docs/decisions/0035-the-end-of-a-resumed-goal.md). This one has the same type and meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled
from bt_executive.ros.execute_goal_action import CANCELLED, NO_GOAL
from bt_executive.ros.goal_validation_ends_and_keepalives import task_id_of
from rover_common.ros.qos import REQUEST_QUEUE


class CancelGoals:
    """Offers ~/cancel_goal.

    `open_goals` returns the task ids of the goals that have not ended, in the executor's thread.
    """

    def __init__(self, node: Node, inbox: Inbox, open_goals: Callable[[], Iterable[str]]) -> None:
        self._inbox = inbox
        self._log = node.get_logger()
        self._open_goals = open_goals
        node.create_service(
            CancelGoal,
            '~/cancel_goal',
            self._cancel,
            qos_profile=REQUEST_QUEUE,
            callback_group=ReentrantCallbackGroup(),
        )

    def _cancel(
        self, request: CancelGoal.Request, response: CancelGoal.Response
    ) -> CancelGoal.Response:
        goal_id = request.goal_info.goal_id
        task_id = task_id_of(goal_id)
        if task_id == NO_GOAL:  # for an action it means: all of them. That is ~/stop
            response.return_code = CancelGoal.Response.ERROR_REJECTED
        elif task_id not in self._open_goals():
            response.return_code = CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID
        elif refused := self._inbox.put(GoalCancelled(task_id, CANCELLED)):
            self._log.warning(f'Goal not cancelled: {refused}')
            response.return_code = CancelGoal.Response.ERROR_REJECTED
        else:
            response.goals_canceling = [GoalInfo(goal_id=goal_id)]
        return response
