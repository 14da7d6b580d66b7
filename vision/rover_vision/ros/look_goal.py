"""A look of chat or watch as a goal of the executive."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

from action_msgs.msg import GoalStatus
from bt_executive_interfaces.action import ExecuteGoal
from rclpy.action import ActionClient
from rclpy.task import Future

SERVER_TIMEOUT_S = 3.0  # a restarted executive is ready sooner


class SentGoal:
    """A goal with a look; only used by the thread that serves ROS.

    Args:
        client: Of the executive's action.
        goal: The look.
        ended: Receives the sentence of its end.
    """

    def __init__(
        self, client: ActionClient, goal: ExecuteGoal.Goal, ended: Callable[[str], None]
    ) -> None:
        self._client, self._goal, self._ended = client, goal, ended
        self._wait_until = time.monotonic() + SERVER_TIMEOUT_S
        self._handle: Any = None
        self._cancelled = False

    def try_send(self) -> bool:
        """Send it if the server is ready; return False: call this again later."""
        if self._cancelled:
            return True
        if self._client.server_is_ready():
            self._client.send_goal_async(self._goal).add_done_callback(self._on_accepted)
            return True
        if time.monotonic() < self._wait_until:
            return False
        self._ended('The executive is not there, and nobody looks without its leave')
        return True

    def cancel(self) -> None:
        """Cancel it, also before it is accepted."""
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
        response = future.result()
        done = response.status == GoalStatus.STATUS_SUCCEEDED
        self._ended(
            response.result.answer or ('done' if done else 'it has ended without a reason')
        )
