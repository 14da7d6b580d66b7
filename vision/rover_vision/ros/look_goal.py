"""A look of chat or watch on its way through the executive's tree, as a goal."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

from action_msgs.msg import GoalStatus
from bt_executive_interfaces.action import ExecuteGoal
from rclpy.action import ActionClient
from rclpy.task import Future

PATIENCE_S = 3.0  # an executive that was killed is back sooner


class SentGoal:
    """A look on its way through the tree; used by the thread that serves ROS alone.

    Args:
        client: Of the executive's action.
        goal: The look.
        ended: Gets the sentence of its end.
    """

    def __init__(
        self, client: ActionClient, goal: ExecuteGoal.Goal, ended: Callable[[str], None]
    ) -> None:
        self._client, self._goal, self._ended = client, goal, ended
        self._wait_until = time.monotonic() + PATIENCE_S
        self._handle: Any = None
        self._cancelled = False

    def is_on_its_way(self) -> bool:
        """Sends it, if somebody takes it; False: nobody does yet, and it is to be asked again."""
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
