"""A goal that a previous run of the executive sent, followed at its action's server.

A goal belongs to its server, and any client that knows its UUID may request its result. One
request answers two questions: a server that does not have the goal answers at once, one that has
it answers when it has ended. Meanwhile the action's status, which is latched, shows that it is
there.
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

POLL_PERIOD_S = 0.1  # while there is no server
SERVER_WAIT_S = 10.0  # how long after the start of a process DDS may not have found a server
FEEDBACK = 10  # depth, as rclpy's own clients have it


def handle_of_goal(client: ActionClient, type_: Any, goal_id: str) -> ClientGoalHandle:
    """Return the handle of a goal that this client has not sent or not seen accepted.

    Args:
        client: Of the action.
        type_: Of the action.
        goal_id: Hex of the goal's UUID.
    """
    accepted = type_.Impl.SendGoalService.Response(accepted=True)
    return ClientGoalHandle(client, UUID(uuid=list(uuid.UUID(hex=goal_id).bytes)), accepted)


class AdoptedGoal:
    """Follows one goal until its result arrives. Used in the executor's thread alone.

    Args:
        node: Whose client asks.
        client: Of the action.
        action: Its type and its name.
        goal_id: Hex of the goal's UUID.
        group: Of the client.
        on_found: Called once when the server has the goal.
        on_feedback: Called with each feedback message.
        on_result: Called once: with the response, or with None if no server was found.
    """

    def __init__(
        self,
        node: Node,
        client: ActionClient,
        action: tuple[Any, str],
        goal_id: str,
        group: CallbackGroup,
        on_found: Callable[[], None],
        on_feedback: Callable[[Any], None],
        on_result: Callable[[Any], None],
    ) -> None:
        self._node, self._client = node, client
        self._id = uuid.UUID(hex=goal_id).bytes
        self._report_found, self._report_feedback, self._report_result = (
            on_found,
            on_feedback,
            on_result,
        )
        self._is_found = False
        type_, name = action
        self.handle = handle_of_goal(client, type_, goal_id)
        self._subscriptions = [
            node.create_subscription(
                message_type, f'{name}/_action/{topic}', callback, qos, callback_group=group
            )
            for message_type, topic, callback, qos in (
                (
                    type_.Impl.GoalStatusMessage,
                    'status',
                    self._on_status,
                    qos_profile_action_status_default,
                ),
                (type_.Impl.FeedbackMessage, 'feedback', self._on_feedback, FEEDBACK),
            )
        ]
        self._deadline = time.monotonic() + SERVER_WAIT_S
        self._timer = node.create_timer(
            POLL_PERIOD_S, self._poll, callback_group=group, clock=STEADY
        )

    def _poll(self) -> None:
        if self._client.server_is_ready():
            self._node.destroy_timer(self._timer)
            self.handle.get_result_async().add_done_callback(self._on_result)
        elif time.monotonic() > self._deadline:
            self._node.destroy_timer(self._timer)
            self._end(None)

    def _on_status(self, message: Any) -> None:
        goal_ids = (bytes(each.goal_info.goal_id.uuid.tolist()) for each in message.status_list)
        if self._id in goal_ids:
            self._note_found()

    def _on_feedback(self, message: Any) -> None:
        if bytes(message.goal_id.uuid.tolist()) == self._id:
            self._report_feedback(message)

    def _on_result(self, future: Future) -> None:
        response = future.result()
        if response.status != GoalStatus.STATUS_UNKNOWN:  # it may be there before the status is
            self._note_found()
        self._end(response)

    def _note_found(self) -> None:
        if not self._is_found:
            self._is_found = True
            self._report_found()

    def _end(self, response: Any) -> None:
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._report_result(response)
