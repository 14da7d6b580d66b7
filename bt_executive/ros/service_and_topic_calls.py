"""Calls to one ROS service, and messages on one topic, with their answers into the inbox."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Json
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import SessionAnswer
from rover_common.config.settings import Endpoint
from rover_common.ros.bounded_calls import BoundedCalls
from rover_common.ros.interfaces import interface_class
from rover_common.ros.message_conversions import fields_from_ros, fields_to_ros

DEPTH = 10


class TopicCalls:
    """A publisher. That a message is published says nothing of who received it."""

    def __init__(self, node: Node, inbox: Inbox, endpoint: Endpoint) -> None:
        self._inbox = inbox
        self._name = endpoint.name
        self._type = interface_class(endpoint.type)
        self._publisher = node.create_publisher(self._type, endpoint.ros_name, DEPTH)

    def ready(self) -> bool:
        """Whether somebody subscribes to the topic now."""
        return bool(self._publisher.get_subscription_count())

    def request(self, arguments: Json) -> Any:
        """The message with these fields.

        Raises:
            ValueError: A field does not exist or has another type.
        """
        return fields_to_ros(self._type, arguments)

    def send(self, session_id: str, message: Any) -> None:
        """Publishes a message."""
        self._publisher.publish(message)
        answer = {'published_on': self._name}
        self._inbox.put(SessionAnswer(session_id, CallInput.SUCCEED, answer))


class ServiceCalls:
    """A client. A late answer still comes through; whoever keeps the call table drops it."""

    def __init__(self, node: Node, inbox: Inbox, endpoint: Endpoint) -> None:
        self._inbox = inbox
        self._client = node.create_client(
            interface_class(endpoint.type),
            endpoint.ros_name,
            callback_group=ReentrantCallbackGroup(),
        )
        self._calls = BoundedCalls(self._client)

    def ready(self) -> bool:
        """Whether the graph knows a server now."""
        return bool(self._client.service_is_ready())

    def request(self, arguments: Json) -> Any:
        """The request with these fields.

        Raises:
            ValueError: A field does not exist or has another type.
        """
        return fields_to_ros(self._client.srv_type.Request, arguments)

    @property
    def name(self) -> str:
        """Of the service in the graph."""
        return str(self._client.service_name)

    def send(self, session_id: str, request: Any) -> Future:
        """Sends a request; its answer goes into the inbox."""
        future = self.send_unheard(request)
        future.add_done_callback(lambda done: self._answered(session_id, done))
        return future

    def send_unheard(self, request: Any) -> Future:
        """Sends a request whose answer goes nowhere. Any thread may call it."""
        return self._calls.call(request)

    def _answered(self, session_id: str, future: Future) -> None:
        error = future.exception()
        if error is not None:
            answer = SessionAnswer(session_id, CallInput.FAIL, reason=str(error))
        else:
            fields = fields_from_ros(future.result())
            answer = SessionAnswer(session_id, CallInput.SUCCEED, fields)
        self._inbox.put(answer)
