"""Subscribes to the topics from which the robot's state is known, under the types of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import time
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import TopicSeen
from bt_executive.core.parts import judge
from bt_executive.core.topic_state import value_of
from bt_executive.plugins.contained import contained_reducer
from bt_executive.plugins.installed import load
from bt_executive.plugins.ports import REDUCERS
from bt_executive.ros.offered_qos import offered_qos
from rover_common.config.settings import PartValue, Robot
from rover_common.config.settings.state import BUILT_IN_REDUCERS, TopicField
from rover_common.printable import one_line
from rover_common.ros.conversions import seconds_from_ros
from rover_common.ros.interfaces import interface_class
from rover_common.ros.names import relative
from rover_common.stamps import UNSTAMPED, LatestStamp

LONGEST_REASON = 300  # characters of why there is nothing to read; names are others' text
SEARCH_PERIOD_S = 0.5  # how often a publisher is searched that was not there, or has changed


class TopicState:
    """One subscription for each topic; `stop_now` is called when `safe_when` begins to hold."""

    def __init__(
        self, node: Node, inbox: Inbox, robot: Robot, stop_now: Callable[[], None]
    ) -> None:
        topics = dict.fromkeys(each.topic for each in robot.from_topics.values())
        self._topics = [_Topic(node, inbox, robot, topic, stop_now) for topic in topics]
        if topics:
            node.create_timer(SEARCH_PERIOD_S, self.search)

    def search(self) -> None:
        """Subscribes where a publisher has come, or offers something else than before."""
        for topic in self._topics:
            topic.search()


class _Topic:
    """The fields of the state that one topic has."""

    def __init__(
        self, node: Node, inbox: Inbox, robot: Robot, topic: str, stop_now: Callable[[], None]
    ) -> None:
        self._node, self._inbox, self._robot, self._stop_now = node, inbox, robot, stop_now
        self._topic, self._name = topic, node.resolve_topic_name(relative(topic))
        fields = robot.from_topics.items()
        self._fields: Mapping[str, TopicField] = {
            name: each for name, each in fields if each.topic == topic
        }
        self._reducers = {
            each.reduce: contained_reducer(each.reduce, load(REDUCERS, each.reduce))
            for each in self._fields.values()
            if each.reduce and each.reduce not in BUILT_IN_REDUCERS
        }
        self._subscription: Subscription | None = None
        self._as: tuple[str, QoSProfile] | None = None  # how it is subscribed to
        self._why, self._stamps, self._unsafe = '', LatestStamp(), False

    def search(self) -> None:
        """Subscribes as the publishers offer it; says why there is nothing to subscribe to."""
        try:
            wanted = self._type(), offered_qos(self._node, self._name, depth=1)
            if wanted != self._as:
                self._subscribe(*wanted)
        except LookupError as error:
            self._report(one_line(str(error.args[0]))[:LONGEST_REASON])

    def _type(self) -> str:
        """The type under which it is published.

        Raises:
            LookupError: Nothing publishes it, or not one type, or another one than configured.
        """
        offered = self._node.get_publishers_info_by_topic(self._name)
        types = sorted({each.topic_type for each in offered})
        named = {each.type for each in self._fields.values() if each.type}
        if not types:
            raise LookupError(f'nothing publishes {self._name}')
        if len(named) > 1 or len(types) > 1:
            raise LookupError(f'{self._name} has several types: {", ".join({*named, *types})}')
        if named and named != {*types}:
            raise LookupError(f'{self._name} is {types[0]}, not {named.pop()}')
        return types[0]

    def _subscribe(self, type_name: str, qos: QoSProfile) -> None:
        message_type = interface_class(type_name)
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
        self._subscription = self._node.create_subscription(
            message_type, self._name, self._receive, qos
        )
        self._as = type_name, qos

    def _report(self, why: str) -> None:
        if why != self._why:
            self._why = why
            if self._subscription is None or not self._node.count_publishers(self._name):
                reasons = dict.fromkeys(self._fields, why)
                self._inbox.put(TopicSeen(time.monotonic(), self._topic, {}, reasons))
                if self._subscription is not None:  # it was known, perhaps for a long max_age_s
                    self._stop_if_unsafe({})

    def _receive(self, message: Any) -> None:
        arrived, self._why = time.monotonic(), ''
        stamp = _stamp_of(message)
        if not self._stamps.advance(stamp):
            return  # the same measurement again
        if stamp != UNSTAMPED:
            now = float(self._node.get_clock().now().nanoseconds) * 1e-9
            arrived -= max(now - stamp, 0.0)
        values: dict[str, PartValue | None] = {}
        unknown: dict[str, str] = {}
        for name, entry in self._fields.items():
            try:
                values[name] = value_of(message, entry, self._reducers)
            except ValueError as error:
                unknown[name] = str(error)
        self._stop_if_unsafe(values)
        self._inbox.put(TopicSeen(arrived, self._topic, values, unknown))

    def _stop_if_unsafe(self, values: Mapping[str, PartValue | None]) -> None:
        robot = self._robot
        asked = {name: each for name, each in robot.safe_when.items() if name in self._fields}
        unsafe = any(
            judge(values.get(name), robot.types[name], wanted) is not False
            for name, wanted in asked.items()
        )
        if unsafe and not self._unsafe:
            self._stop_now()
        self._unsafe = unsafe


def _stamp_of(message: Any) -> float:
    """ROS seconds at which a message was so, if it says it."""
    stamp = getattr(getattr(message, 'header', None), 'stamp', None)
    return seconds_from_ros(stamp) if hasattr(stamp, 'nanosec') else UNSTAMPED
