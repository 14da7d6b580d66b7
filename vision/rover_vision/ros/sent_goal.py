"""A look of chat or watch on its way through the executive's tree, as a goal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from bt_executive_interfaces.action import ExecuteGoal
from rclpy.action import ActionClient
from rclpy.task import Future


class SentGoal:
    """A look on its way through the tree; used by the thread that serves ROS alone."""

    def __init__(self, client: ActionClient, ended: Callable[[str], None]) -> None:
        self._client = client
        self._ended = ended
        self._handle: Any = None
        self._cancelled = False

    def send(self, goal: ExecuteGoal.Goal) -> None:
        """Sends it, if somebody takes it."""
        if not self._client.server_is_ready():
            self._ended('The executive is not there, and nobody looks without its leave')
            return
        self._client.send_goal_async(goal).add_done_callback(self._on_accepted)

    def cancel(self) -> None:
        """Ends it, also before it was accepted."""
        self._cancelled = True
        if self._handle is not None:
            self._handle.cancel_goal_async()

    def _on_accepted(self, future: Future) -> None:
        self._handle = future.result()
        if not self._handle.accepted:
            self._ended('The executive does not accept the look')
            return
        if self._cancelled:
            self._handle.cancel_goal_async()
        self._handle.get_result_async().add_done_callback(self._on_result)

    def _on_result(self, future: Future) -> None:
        found = future.result()
        done = found.status == GoalStatus.STATUS_SUCCEEDED
        self._ended(found.result.answer or ('done' if done else 'it has ended without a reason'))
