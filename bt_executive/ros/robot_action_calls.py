"""Calls of the robot's actions: sends goals, follows those of a previous run, cancels them.

A goal belongs to its server, and any client that knows its UUID may request its result. One
request answers two questions: a server that does not have the goal answers at once, one that has
it answers when it has ended. Meanwhile the action's status, which is latched, shows that it is
there.

rclpy's ActionClient registers a request only after it has sent it, so that an answer which arrives
in between is dropped. So every call to it is made in the executor's thread (`ExecutorQueue`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
import time
from typing import Any
import uuid

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Json
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ServerCallUpdate
from bt_executive.ros.goal_validation_ends_and_keepalives import goal_id_of
from bt_executive.ros.replaced_server import ReplacedServer
from rover_common.config.settings import Endpoint
from rover_common.ros.bounded_calls import BoundedFutures
from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.message_conversions import fields_from_ros, fields_to_ros
from rover_common.ros.timers import STEADY

POLL_PERIOD_S = 0.1  # while there is no server
SERVER_WAIT_S = 10.0  # how long after the start of a process DDS may not have found a server
FEEDBACK = 10  # depth, as rclpy's own clients have it
UNKNOWN_GOAL = 'The server does not know the goal any more'  # it was restarted
FEEDBACK_PERIOD_S = 0.2  # a tick for each message of a fast server would be too many
RESULT_REPEAT_S = 10.0  # of steady time; a server keeps each request until the goal has ended
MOST_OPEN = 32  # goals without an end; older ones are forgotten
_RESULTS = {
    GoalStatus.STATUS_SUCCEEDED: CallInput.SUCCEED,
    GoalStatus.STATUS_ABORTED: CallInput.FAIL,
    GoalStatus.STATUS_CANCELED: CallInput.CANCELLED,
}


def handle_of_goal(client: ActionClient, type_: Any, goal_id: str) -> ClientGoalHandle:
    """Return the handle of a goal that this client has not sent or not seen accepted.

    `goal_id`: hex of the goal's UUID.
    """
    accepted = type_.Impl.SendGoalService.Response(accepted=True)
    return ClientGoalHandle(client, goal_id_of(goal_id), accepted)


class AdoptedGoal:
    """Follows one goal until its result arrives. Used in the executor's thread alone.

    Args:
        action: Its type and its name.
        goal_id: Hex of the goal's UUID.
        group: Of the client.
        on_ready: Called once with the goal's handle, when its server can be asked.
        on_found: Called once when the server has the goal, maybe before it can be asked.
        on_result: Called once: with the response, or with None if no server was found.
    """

    def __init__(
        self,
        node: Node,
        client: ActionClient,
        action: tuple[Any, str],
        goal_id: str,
        group: CallbackGroup,
        on_ready: Callable[[ClientGoalHandle], None],
        on_found: Callable[[], None],
        on_feedback: Callable[[Any], None],
        on_result: Callable[[Any], None],
    ) -> None:
        self._node, self._client = node, client
        self._id = uuid.UUID(hex=goal_id).bytes
        self._report_ready, self._report_found = on_ready, on_found
        self._report_feedback, self._report_result = on_feedback, on_result
        self._is_found = False
        type_, name = action
        self._handle = handle_of_goal(client, type_, goal_id)
        status, feedback = type_.Impl.GoalStatusMessage, type_.Impl.FeedbackMessage
        topics, latched = f'{name}/_action', qos_profile_action_status_default
        self._subscriptions = [
            node.create_subscription(kind, f'{topics}/{topic}', take, qos, callback_group=group)
            for topic, kind, take, qos in (
                ('status', status, self._on_status, latched),
                ('feedback', feedback, self._on_feedback, FEEDBACK),
            )
        ]
        self._deadline = time.monotonic() + SERVER_WAIT_S
        self._timer = node.create_timer(
            POLL_PERIOD_S, self._poll, callback_group=group, clock=STEADY
        )

    def _poll(self) -> None:
        if self._client.server_is_ready():
            self._node.destroy_timer(self._timer)
            self._handle.get_result_async().add_done_callback(self._on_result)
            self._report_ready(self._handle)
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


class ExecutorQueue:
    """Runs calls in the executor's thread, in order, one at a time.

    `group` must be mutually exclusive and contain everything that the calls use.
    """

    def __init__(self, node: Node, group: CallbackGroup) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._wake = node.create_guard_condition(self._run, callback_group=group)

    def submit(self, call: Callable[[], None]) -> None:
        """Queues a call and returns at once; any thread may use it."""
        self._waiting.append(call)
        self._wake.trigger()

    def _run(self) -> None:
        while self._waiting:
            self._waiting.popleft()()


@dataclass
class _Goal:
    """A goal that has not ended."""

    server_call_id: str
    handle: ClientGoalHandle | None = (
        None  # None: not accepted yet, or its server is not found yet
    )
    cancel_wanted: bool = False
    feedback_at: float = float('-inf')  # steady time, s
    result_asked_again_at: float = float('-inf')  # steady time, s
    has_ended: bool = False


class ActionCalls:
    """A client and the goals it has under way, by call."""

    def __init__(self, node: Node, inbox: Inbox, endpoint: Endpoint) -> None:
        self._group = MutuallyExclusiveCallbackGroup()
        self._node = node
        self._inbox = inbox
        self._type = interface_class(endpoint.type)
        self._name = endpoint.ros_name
        self._client = ActionClient(node, self._type, self._name, callback_group=self._group)
        self._queue = ExecutorQueue(node, self._group)
        self._goals: dict[str, _Goal] = {}
        self._cancels = BoundedFutures()
        self._results = BoundedFutures(MOST_OPEN)
        self._requests = BoundedFutures(MOST_OPEN)
        self._replaced = ReplacedServer(
            node, self._name, self._group, lambda: bool(self._goals), self._request_results_again
        )
        self._repeated_cancels: set[str] = set()  # calls; the first answer to each is reported

    def ready(self) -> bool:
        """Whether the graph knows a server now, with all its services and topics."""
        return bool(self._client.server_is_ready())

    def request(self, arguments: Json) -> Any:
        """The goal with these fields.

        Raises:
            ValueError: A field does not exist or has another type.
        """
        return fields_to_ros(self._type.Goal, arguments)

    def send(self, server_call_id: str, goal: Any, goal_id: str = '') -> None:
        """Sends a goal; acceptance, feedback and result go into the inbox.

        `goal_id`: the UUID that it gets, in hex.
        """
        chosen = goal_id_of(goal_id) if goal_id else None
        self._queue.submit(lambda: self._send(server_call_id, goal, chosen))

    def adopt(self, server_call_id: str, goal_id: str) -> None:
        """Follows a goal that a previous run has sent; see `Robot.adopt`."""
        self._queue.submit(lambda: self._adopt(server_call_id, goal_id))

    def cancel(self, server_call_id: str) -> None:
        """Asks the server to end a goal, as soon as the server has accepted it."""
        self._queue.submit(lambda: self._cancel(server_call_id))

    def cancel_again(self, server_call_id: str, goal_id: str) -> None:
        """Asks the present server to end a goal; see `Robot.cancel_again`."""
        self._queue.submit(lambda: self._cancel_again(server_call_id, goal_id))

    # --- in the executor's thread ------------------------------------------------------------

    def _track(self, server_call_id: str) -> _Goal:
        if len(self._goals) >= MOST_OPEN:
            del self._goals[next(iter(self._goals))]
        goal = self._goals[server_call_id] = _Goal(server_call_id)
        self._replaced.begin()
        return goal

    def _request_results_again(self) -> None:
        """Asks the new server for the result of each goal: one that it does not know is lost."""
        for goal in self._goals.values():
            if goal.handle is not None:
                handle = handle_of_goal(
                    self._client, self._type, bytes(goal.handle.goal_id.uuid).hex()
                )
                answer = self._results.add(handle.get_result_async())
                answer.add_done_callback(
                    lambda done, goal=goal: self._on_repeated_result(goal, done)
                )

    def _on_repeated_result(self, goal: _Goal, future: Future) -> None:
        if self._goals.get(goal.server_call_id) is goal and not future.cancelled():
            self._finish(goal, future.result())

    def _send(self, server_call_id: str, message: Any, goal_id: UUID | None) -> None:
        goal = self._track(server_call_id)
        future = self._requests.add(
            self._client.send_goal_async(
                message,
                feedback_callback=lambda feedback: self._on_feedback(goal, feedback),
                goal_uuid=goal_id,
            )
        )
        future.add_done_callback(lambda done: self._on_response(goal, done))

    def _on_response(self, goal: _Goal, future: Future) -> None:
        if future.cancelled():
            return
        handle = future.result()
        if not handle.accepted:
            self._goals.pop(goal.server_call_id, None)
            self._report(goal, CallInput.REJECT, reason='The server rejected the goal')
            return
        goal.handle = handle
        self._report(goal, CallInput.ACCEPT)
        result = self._results.add(handle.get_result_async())
        result.add_done_callback(lambda done: self._on_result(goal, done))
        if goal.cancel_wanted:
            self._cancel(goal.server_call_id)

    def _adopt(self, server_call_id: str, goal_id: str) -> None:
        goal = self._track(server_call_id)
        AdoptedGoal(
            self._node,
            self._client,
            (self._type, self._name),
            goal_id,
            self._group,
            on_ready=lambda handle: self._on_adopted(goal, handle),
            on_found=lambda: self._report(goal, CallInput.ACCEPT),
            on_feedback=lambda feedback: self._on_feedback(goal, feedback),
            on_result=lambda response: self._on_adopted_result(goal, response),
        )

    def _on_adopted(self, goal: _Goal, handle: ClientGoalHandle) -> None:
        goal.handle = handle
        if goal.cancel_wanted:
            self._cancel(goal.server_call_id)

    def _on_adopted_result(self, goal: _Goal, response: Any) -> None:
        if response is not None:
            self._finish(goal, response)
            return
        self._goals.pop(goal.server_call_id, None)
        reason = f'{self._name} is not there to say what became of the goal'
        self._report(goal, CallInput.LOSE, reason=reason)

    def _on_feedback(self, goal: _Goal, message: Any) -> None:
        now = time.monotonic()
        if now - goal.feedback_at >= FEEDBACK_PERIOD_S:
            goal.feedback_at = now
            self._report(goal, CallInput.PROGRESS, fields_from_ros(message.feedback))

    def _on_result(self, goal: _Goal, future: Future) -> None:
        if not future.cancelled():
            self._finish(goal, future.result())

    def _finish(self, goal: _Goal, response: Any) -> None:
        if goal.has_ended:  # each request for its result is answered
            return
        goal.has_ended = True
        self._goals.pop(goal.server_call_id, None)
        self._repeated_cancels.discard(goal.server_call_id)
        input_ = _RESULTS.get(response.status)
        if input_ is None:
            self._lose(goal, response.status)
        else:
            self._report(goal, input_, fields_from_ros(response.result))

    def _lose(self, goal: _Goal, status: int) -> None:
        """Cancels a goal of which the server does not report the end, so that it may be under way.

        A gate cancels a goal that a heartbeat named, and of two goals in one moment it receives
        the second only.
        """
        reason = UNKNOWN_GOAL
        if status != GoalStatus.STATUS_UNKNOWN:
            reason = (
                f'The server gave a result with the status {status}, which is no end of a goal'
            )
        if goal.handle is not None:
            self._cancels.add(goal.handle.cancel_goal_async())
        self._report(goal, CallInput.LOSE, reason=reason)

    def _cancel(self, server_call_id: str) -> None:
        goal = self._goals.get(server_call_id)
        if goal is None:
            return
        goal.cancel_wanted = True
        if goal.handle is not None:
            answer = self._cancels.add(goal.handle.cancel_goal_async())
            answer.add_done_callback(lambda done: self._on_cancel_response(goal, done))

    def _cancel_again(self, server_call_id: str, goal_id: str) -> None:
        self._repeated_cancels.add(server_call_id)
        handle = handle_of_goal(self._client, self._type, goal_id)
        answer = self._cancels.add(handle.cancel_goal_async())
        answer.add_done_callback(
            lambda done: self._on_repeated_cancel(server_call_id, handle, done)
        )

    def _on_repeated_cancel(
        self, server_call_id: str, handle: ClientGoalHandle, future: Future
    ) -> None:
        if server_call_id not in self._repeated_cancels or future.cancelled():
            return
        self._repeated_cancels.discard(server_call_id)
        self._on_cancel_response(_Goal(server_call_id), future)
        if future.result().return_code != CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID:
            self._request_result_again(server_call_id, handle)

    def _request_result_again(self, server_call_id: str, handle: ClientGoalHandle) -> None:
        """Asks for the result of a goal that was given up; an earlier answer may be lost."""
        goal, now = (
            self._goals.get(server_call_id) or self._track(server_call_id),
            time.monotonic(),
        )
        if now - goal.result_asked_again_at < RESULT_REPEAT_S:
            return
        goal.handle, goal.result_asked_again_at = handle, now
        result = self._results.add(handle.get_result_async())
        result.add_done_callback(lambda done: self._on_result(goal, done))

    def _on_cancel_response(self, goal: _Goal, future: Future) -> None:
        if future.cancelled():  # too many were sent since
            return
        answer = future.result()
        if answer.return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID:
            self._report(goal, CallInput.LOSE, reason=UNKNOWN_GOAL)
        elif answer.goals_canceling:
            self._report(goal, CallInput.CANCEL_ACCEPTED)
        else:
            self._report(goal, CallInput.CANCEL_REFUSED)

    def _report(
        self, goal: _Goal, input_: CallInput, fields: Json | None = None, reason: str = ''
    ) -> None:
        self._inbox.put(ServerCallUpdate(goal.server_call_id, input_, fields or {}, reason))
