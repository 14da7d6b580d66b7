"""Reads the ROS graph for the model: through rclpy's own calls, capped in size and time.

Names come from a model: a topic is read only if it is in the graph right now, under exactly that
name. What it says goes back as text and is quoted like every other result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
import json
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.subscription import Subscription

from bt_executive.core.executive_ports import PendingResult, ToolResult
from bt_executive.ros.robot_action_calls import ExecutorQueue
from rover_common.ros.message_conversions import fields_from_ros
from rover_common.ros.publishers_and_types_of_topic import published_types, subscribe_as
from rover_common.ros.qos import offered_qos

LONGEST_LIST = 60  # entries of a list; the rest is counted
LONGEST_MESSAGE = 1200  # characters of a message as text
NOISE = ('/rosout', '/parameter_events')
PARAMETER_SERVICES = (
    'describe_parameters',
    'get_parameter_types',
    'get_parameters',
    'get_type_description',
    'list_parameters',
    'set_parameters',
    'set_parameters_atomically',
)


class RosGraphReader:
    """Implements the port GraphReader. Everything is read in the executor's thread."""

    def __init__(self, node: Node, wake: Callable[[], None]) -> None:
        self._node = node
        self._wake = wake
        self._group = MutuallyExclusiveCallbackGroup()
        self._queue = ExecutorQueue(node, self._group)
        self._readers = {
            'list_nodes': self._nodes,
            'list_topics': self._topics,
            'list_services': self._services,
        }

    def read(self, what: str, topic: str) -> PendingResult[ToolResult]:
        """Begins a reading: `list_nodes`, `list_topics`, `list_services` or `read_topic`."""
        reading = PendingResult[ToolResult]()
        if what in self._readers:
            self._queue.submit(lambda: self._answer(reading, self._readers[what]()))
        else:
            self._queue.submit(lambda: self._listen(reading, topic))
        return reading

    def _answer(self, reading: PendingResult[ToolResult], data: dict[str, Any]) -> None:
        reading.result = ToolResult(ok=True, data=data)
        self._wake()

    def _nodes(self) -> dict[str, Any]:
        names = {
            f'{namespace.rstrip("/")}/{name}'
            for name, namespace in self._node.get_node_names_and_namespaces()
        }
        return _capped('nodes', sorted(name for name in names if '/_' not in name))

    def _topics(self) -> dict[str, Any]:
        found = self._node.get_topic_names_and_types()
        return _capped('topics', _typed(each for each in found if each[0] not in NOISE))

    def _services(self) -> dict[str, Any]:
        found = self._node.get_service_names_and_types()
        kept = (each for each in found if each[0].rsplit('/', 1)[-1] not in PARAMETER_SERVICES)
        return _capped('services', _typed(kept))

    def _listen(self, reading: PendingResult[ToolResult], topic: str) -> None:
        listed = dict(self._node.get_topic_names_and_types()).get(topic)
        if not listed or reading.cancelled:
            self._refuse(reading, f'No topic {topic!r:.100}; list_topics names those there are')
            return
        type_name = (published_types(self._node, topic) or listed)[0]
        subscription: list[Subscription] = []

        def end() -> None:
            while subscription:
                self._node.destroy_subscription(subscription.pop())

        def receive(message: Any) -> None:
            if subscription and reading.result is None:
                end()
                text = json.dumps(fields_from_ros(message), ensure_ascii=False, default=str)
                cut = {'cut': True} if len(text) > LONGEST_MESSAGE else {}
                received = {'type': type_name, 'message': text[:LONGEST_MESSAGE], **cut}
                self._answer(reading, {'topic': topic, **received})

        qos = offered_qos(self._node, topic, depth=1)
        try:
            subscription.append(
                subscribe_as(self._node, type_name, topic, receive, qos, self._group)
            )
        except LookupError as error:
            self._refuse(reading, f'{type_name} cannot be read here: {error}')
            return
        reading.on_cancel(lambda: self._queue.submit(end))

    def _refuse(self, reading: PendingResult[ToolResult], reason: str) -> None:
        reading.result = ToolResult(ok=False, error_reason=reason)
        self._wake()


def _typed(found: Iterable[tuple[str, list[str]]]) -> list[str]:
    return sorted(f'{name} ({", ".join(types)})' for name, types in found if '/_' not in name)


def _capped(title: str, entries: list[str]) -> dict[str, Any]:
    more = len(entries) - LONGEST_LIST
    return {title: entries[:LONGEST_LIST], **({'more': more} if more > 0 else {})}
