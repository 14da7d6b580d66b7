"""The action server for one kind of look, which the executive's tree calls."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future as Concurrent

from bt_executive_interfaces.action import Look
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from rover_common.ros.qos import action_qos
from rover_common.text_sanitizing import one_line
from rover_vision.capture.connected_clients import Source
from rover_vision.capture.look_fault import LookCode, LookFault
from rover_vision.look_service import LookAnswer
from rover_vision.ros.future_of_loop import done_in_ros

StartLook = Callable[[Source, str], Concurrent[LookAnswer]]  # of a source, with a question


class LookAction:
    """Serves one action.

    Args:
        name: Of the action.
        source: Where it looks, unless a goal names another source.
        start: StartLooks a look in the loop.
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
    return Look.Result(
        error_code=answer.fault.code.value if answer.fault else '',
        message=answer.fault.sentence if answer.fault else '',
        answer=answer.answer,
        episode=answer.episode,
        stamp=answer.stamp_s,
        measured=answer.measured,
    )
