"""Calls to one ROS service."""

from __future__ import annotations

from collections import deque
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.core.calls import CallInput
from bt_executive.core.inbox import Inbox, SessionAnswer
from bt_executive.core.ports import Json
from rover_common.config.settings import Endpoint
from rover_common.ros.conversions import fields_from_ros, fields_to_ros
from rover_common.ros.interfaces import interface_class
from rover_common.ros.names import relative

MOST_OPEN = 32  # of requests before the latest one, an answer is still listened for


class ServiceCalls:
    """A client. A late answer still comes through; whoever keeps the call table drops it."""

    def __init__(self, node: Node, inbox: Inbox, endpoint: Endpoint) -> None:
        self._inbox = inbox
        self._open: deque[Future] = deque()
        self._client = node.create_client(
            interface_class(endpoint.type),
            relative(endpoint.name),
            callback_group=ReentrantCallbackGroup(),
        )

    def ready(self) -> bool:
        """Whether the graph knows a server now."""
        return bool(self._client.service_is_ready())

    def request(self, arguments: Json) -> Any:
        """The request with these fields.

        Raises:
            ValueError: A field does not exist or has another type.
        """
        return fields_to_ros(self._client.srv_type.Request, arguments)

    def send(self, session_id: str, request: Any) -> None:
        """Sends a request; its answer goes into the inbox."""
        future = self.send_unheard(request)
        future.add_done_callback(lambda done: self._answered(session_id, done))

    def send_unheard(self, request: Any) -> Future:
        """Sends a request whose answer goes nowhere. Any thread may call it."""
        future = self._client.call_async(request)
        self._open.append(future)
        if len(self._open) > MOST_OPEN:
            self._client.remove_pending_request(self._open.popleft())
        return future

    def _answered(self, session_id: str, future: Future) -> None:
        error = future.exception()
        if error is not None:
            answer = SessionAnswer(session_id, CallInput.FAIL, reason=str(error))
        else:
            fields = fields_from_ros(future.result())
            answer = SessionAnswer(session_id, CallInput.SUCCEED, fields)
        self._inbox.put(answer)
