"""Messages on one topic, each of them a call that has succeeded when it is published."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Json
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import SessionAnswer
from rover_common.config.settings import Endpoint
from rover_common.ros.conversions import fields_to_ros
from rover_common.ros.interfaces import interface_class

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
