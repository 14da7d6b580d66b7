"""Subscribes to a topic as its one publisher offers it; why nothing can be read of it now."""

from __future__ import annotations

from collections.abc import Callable, Collection
import time
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from rover_common.message_order import UNSTAMPED, LatestStamp
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.publishers_and_types_of_topic import (
    published_types,
    several_publishers,
    subscribe_as,
)
from rover_common.ros.qos import offered_qos
from rover_common.text_sanitizing import one_line

LONGEST_REASON = 300  # characters of why there is nothing to read; names are others' text
SEARCH_PERIOD_S = 0.5  # how often a publisher is searched that was not there, or has changed


class FollowedTopic:
    """Subscribes as the one publisher offers it, and anew when it offers something else.

    Args:
        node: Whose subscription it is.
        topic: Its name, as the robot's file has it.
        types: Those that the file names for it; none: the type is the graph's.
        receive: Is called with each new message, and the steady time in s at which it was so.
    """

    def __init__(
        self,
        node: Node,
        topic: str,
        types: Collection[str],
        receive: Callable[[Any, float], None],
    ) -> None:
        self._node, self._topic, self._named = node, topic, {*types}
        self._name, self._receive = node.resolve_topic_name(topic), receive
        self._subscription: Subscription | None = None
        self._as: tuple[str, QoSProfile] | None = None
        self._stamps = LatestStamp()

    def search(self) -> str:
        """Subscribes if there is one to subscribe to; return why nothing can be read now."""
        types = published_types(self._node, self._name)
        if not types:
            return f'nothing publishes {self._name}'[:LONGEST_REASON]
        try:
            wanted = self._the_one(types), offered_qos(self._node, self._name, depth=1)
            if wanted != self._as:
                self._subscribe(*wanted)
        except LookupError as error:
            # What was read is not what is offered; a latched message is to come again later.
            self._unsubscribe()
            return one_line(str(error.args[0]))[:LONGEST_REASON]
        return ''

    @property
    def can_still_come(self) -> bool:
        """Whether messages arrive, although the graph has not shown their publisher."""
        return self._subscription is not None and self._node.count_publishers(self._name) > 0

    def _the_one(self, types: list[str]) -> str:
        """The type under which it is published.

        Raises:
            LookupError: Several publish it, or one under another type.
        """
        if len(self._named) > 1 or len(types) > 1:
            several = ', '.join(sorted({*self._named, *types}))
            raise LookupError(f'{self._name} has several types: {several}')
        if self._named and self._named != {*types}:
            raise LookupError(f'{self._name} is {types[0]}, not {min(self._named)}')
        if several := several_publishers(self._node, self._topic):
            raise LookupError(several)
        return types[0]

    def _subscribe(self, type_name: str, qos: QoSProfile) -> None:
        self._unsubscribe()
        self._subscription = subscribe_as(self._node, type_name, self._name, self._on_message, qos)
        self._as = type_name, qos

    def _unsubscribe(self) -> None:
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
        self._subscription = self._as = None
        self._stamps = LatestStamp()

    def _on_message(self, message: Any) -> None:
        arrived, stamp = time.monotonic(), _stamp_of(message)
        if several_publishers(self._node, self._topic):  # the next search reports it
            return
        if not self._stamps.advance(stamp):
            return  # the same measurement again
        if stamp != UNSTAMPED:
            now = float(self._node.get_clock().now().nanoseconds) * 1e-9
            arrived -= max(now - stamp, 0.0)
        self._receive(message, arrived)


def _stamp_of(message: Any) -> float:
    """Time of a message's content in ROS seconds, if it has a stamp."""
    stamp = getattr(getattr(message, 'header', None), 'stamp', None)
    return seconds_from_ros(stamp) if hasattr(stamp, 'nanosec') else UNSTAMPED
