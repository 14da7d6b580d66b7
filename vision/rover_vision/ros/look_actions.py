"""Looks as ROS actions: served to the executive's tree, and sent to the executive as goals."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future as Concurrent
import time
from typing import Any

from action_msgs.msg import GoalStatus
from bt_executive_interfaces.action import ExecuteGoal, Look
from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from rover_common.ros.message_conversions import sendable_message
from rover_common.ros.qos import action_qos
from rover_common.text_sanitizing import one_line
from rover_vision.capture.connected_clients import Source
from rover_vision.look_request_and_result import LookCode, LookFault
from rover_vision.looks_through_the_tree import LookAnswer

StartLook = Callable[[Source, str], Concurrent[LookAnswer]]  # of a source, with a question
SERVER_TIMEOUT_S = 3.0  # a restarted executive is ready sooner


def done_in_ros(node: Node, work: Concurrent[Any]) -> Future:
    """Return a ROS future that is done when this one of the loop is done."""
    done = Future()

    def wake(_work: Concurrent[Any]) -> None:
        done.set_result(None)
        if node.executor is not None:
            node.executor.wake()

    work.add_done_callback(wake)
    return done


class LookAction:
    """Serves one action.

    Args:
        source: Where it looks, unless a goal names another source.
    """

    def __init__(
        self, node: Node, name: str, source: Source, start: StartLook, group: CallbackGroup
    ) -> None:
        self._node, self._source, self._start = node, source, start
        self._running: dict[bytes, Concurrent[LookAnswer]] = {}
        self._server = ActionServer(
            node,
            Look,
            name,
            self._look,
            callback_group=group,
            cancel_callback=self._cancel,
            **action_qos(),
        )

    def destroy(self) -> None:
        """Remove the action from the graph."""
        self._server.destroy()

    async def _look(self, handle: ServerGoalHandle) -> Look.Result:
        named = handle.request.source
        source = Source(named) if named in [each.value for each in Source] else self._source
        handle.publish_feedback(Look.Feedback(stage='capturing'))
        looking = self._start(source, handle.request.question)
        goal_id = bytes(handle.goal_id.uuid)
        self._running[goal_id] = looking
        if handle.is_cancel_requested:  # before it began: both came at once, as after a freeze
            looking.cancel()
        await done_in_ros(self._node, looking)
        del self._running[goal_id]
        if looking.cancelled():
            handle.canceled()
            fault = LookFault(LookCode.CANCELLED, 'The look was cancelled.')
            return _result(LookAnswer(fault))
        error = looking.exception()
        if error is not None:
            fault = LookFault(LookCode.BAD_ANSWER, one_line(f'The look failed: {error}'))
            self._node.get_logger().error(fault.sentence)
            handle.abort()
            return _result(LookAnswer(fault))
        answer = looking.result()
        handle.succeed() if answer.fault is None else handle.abort()
        return _result(answer)

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        looking = self._running.get(bytes(handle.goal_id.uuid))
        if looking is not None:
            looking.cancel()
        return CancelResponse.ACCEPT


def _result(answer: LookAnswer) -> Look.Result:
    return sendable_message(
        Look.Result(
            error_code=answer.fault.code.value if answer.fault else '',
            message=answer.fault.sentence if answer.fault else '',
            answer=answer.answer,
            episode=answer.episode,
            stamp=answer.stamp_s,
            measured=answer.measured,
        )
    )


class SentGoal:
    """A goal with a look; only used by the thread that serves ROS.

    Args:
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
