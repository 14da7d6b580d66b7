"""A goal that a previous run of the executive sent: found again at its action's server.

A goal belongs to its server, and anybody who knows its UUID may ask for its result. One request
answers two questions: a server that does not have the goal says so at once, one that has it
answers when it has ended. The action's status, which is latched, tells meanwhile that it is there.
"""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any
import uuid

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from rover_common.ros.timers import STEADY

LOOK_S = 0.1  # how often an absent server is looked for
PATIENCE_S = 10.0  # so long after the start of a process DDS may not have found a server
FEEDBACK = 10  # depth, as rclpy's own clients have it


def goal_with(client: ActionClient, type_: Any, goal_id: str) -> ClientGoalHandle:
    """A goal that this client has not sent, or whose acceptance it has not heard.

    Args:
        client: Of the action.
        type_: Of the action.
        goal_id: Hex of the goal's UUID.
    """
    accepted = type_.Impl.SendGoalService.Response(accepted=True)
    return ClientGoalHandle(client, UUID(uuid=list(uuid.UUID(hex=goal_id).bytes)), accepted)


class AdoptedGoal:
    """Watches one goal until its result is there. Used in the executor's thread alone.

    Args:
        node: Whose client asks.
        client: Of the action.
        action: Its type and its name.
        goal_id: Hex of the goal's UUID.
        group: Of the client.
        found: Called once when the server has the goal.
        progressed: Called with every feedback message.
        ended: Called once: with the response, or with None if no server came.
    """

    def __init__(
        self,
        node: Node,
        client: ActionClient,
        action: tuple[Any, str],
        goal_id: str,
        group: CallbackGroup,
        found: Callable[[], None],
        progressed: Callable[[Any], None],
        ended: Callable[[Any], None],
    ) -> None:
        self._node, self._client = node, client
        self._id = uuid.UUID(hex=goal_id).bytes
        self._found, self._progressed, self._ended = found, progressed, ended
        self._is_found = False
        type_, name = action
        self.handle = goal_with(client, type_, goal_id)
        self._subscriptions = [
            node.create_subscription(
                kind, f'{name}/_action/{topic}', take, qos, callback_group=group
            )
            for kind, topic, take, qos in (
                (
                    type_.Impl.GoalStatusMessage,
                    'status',
                    self._on_status,
                    qos_profile_action_status_default,
                ),
                (type_.Impl.FeedbackMessage, 'feedback', self._on_feedback, FEEDBACK),
            )
        ]
        self._by = time.monotonic() + PATIENCE_S
        self._timer = node.create_timer(LOOK_S, self._poll, callback_group=group, clock=STEADY)

    def _poll(self) -> None:
        if self._client.server_is_ready():
            self._node.destroy_timer(self._timer)
            self.handle.get_result_async().add_done_callback(self._on_result)
        elif time.monotonic() > self._by:
            self._node.destroy_timer(self._timer)
            self._end(None)

    def _on_status(self, message: Any) -> None:
        known = (bytes(each.goal_info.goal_id.uuid.tolist()) for each in message.status_list)
        if self._id in known:
            self._note_found()

    def _on_feedback(self, message: Any) -> None:
        if bytes(message.goal_id.uuid.tolist()) == self._id:
            self._progressed(message)

    def _on_result(self, future: Future) -> None:
        response = future.result()
        if response.status != GoalStatus.STATUS_UNKNOWN:  # it may be there before the status is
            self._note_found()
        self._end(response)

    def _note_found(self) -> None:
        if not self._is_found:
            self._is_found = True
            self._found()

    def _end(self, response: Any) -> None:
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._ended(response)
