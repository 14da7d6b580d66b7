"""Kinds of subscriptions: to all publishers, to what is offered, one that is polled, on demand."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
import math
import time
from typing import Any

from rclpy._rclpy_pybind11 import RCLError
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

from rover_common.message_order import UNSTAMPED, LatestStamp
from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.qos import offered_qos
from rover_common.text_sanitizing import one_line

LONGEST_NAMES = 120  # characters; names are others' text
MOST_NAMES = 4


def several_publishers(node: Node, topic: str) -> str:
    """Return why a topic is not known for having several publishers; empty: it has one, or none.

    A message can only come from a publisher that the graph shows. One whose process was killed
    counts until the middleware's lease is over (docs/decisions/0009).
    """
    name = node.resolve_topic_name(topic)
    if node.count_publishers(name) < 2:
        return ''
    found = sorted(
        f'{each.node_namespace.rstrip("/")}/{each.node_name}'
        for each in node.get_publishers_info_by_topic(name)
    )
    more = f' and {len(found) - MOST_NAMES} more' if len(found) > MOST_NAMES else ''
    names = one_line(', '.join(found[:MOST_NAMES]))[:LONGEST_NAMES]
    return (
        f'{len(found)} publishers on {name} ({names}{more}): let only one publish there; one that '
        'was killed counts for up to 20 s'
    )


def published_types(node: Node, topic: str) -> list[str]:
    """Return the types under which a topic is published; who subscribes may want another."""
    publishers = node.get_publishers_info_by_topic(node.resolve_topic_name(topic))
    return sorted({each.topic_type for each in publishers})


def subscribe_as(
    node: Node,
    type_name: str,
    topic: str,
    receive: Callable[[Any], object],
    qos: QoSProfile,
    group: CallbackGroup | None = None,
) -> Subscription:
    """Subscribe to a topic under a type that the graph shows.

    Raises:
        LookupError: The type is not installed, or this process has the topic under another type;
            the middleware allows one in each process.
    """
    kind, name = interface_class(type_name), node.resolve_topic_name(topic)
    own = sorted(_own_types(node, name) - {type_name})
    if not own:
        try:
            return node.create_subscription(kind, name, receive, qos, callback_group=group)
        except RCLError:  # of an endpoint that has just been destroyed, or of another node
            own = ['another type']
    raise LookupError(
        f'{name} is {type_name}, and this process has it as {", ".join(own)}: let one type be '
        'published there'
    )


def _own_types(node: Node, name: str) -> set[str]:
    """The types of a topic's endpoints in this node."""
    publishers = node.get_publishers_info_by_topic(name)
    return {
        each.topic_type
        for each in (*publishers, *node.get_subscriptions_info_by_topic(name))
        if (each.node_name, each.node_namespace) == (node.get_name(), node.get_namespace())
    }


def subscribe_to_all(
    node: Node, kind: type, topic: str, receive: Callable[[Any], object], depth: int
) -> None:
    """Subscribe to publishers that are reliable and to those that are not, as two subscriptions.

    A reliable subscription gets nothing of a publisher with best effort, and one with best effort
    may lose a message of any publisher. A message that comes by both is received once. rclpy warns
    of the publishers of which the reliable one gets nothing.
    """
    received = deque[tuple[int, Any]](maxlen=2 * depth)

    def receive_once(message: Any, about: Mapping[str, int]) -> None:
        sent = about['source_timestamp'], message
        if sent[0] and sent in received:
            return
        received.append(sent)
        receive(message)

    for reliability in (ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT):
        node.create_subscription(
            kind, topic, receive_once, QoSProfile(depth=depth, reliability=reliability)
        )


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


class _Unserved(CallbackGroup):
    """No executor calls what is in it, nor waits for it."""

    def can_execute(self, _entity: Any) -> bool:
        """Never."""
        return False

    def beginning_execution(self, _entity: Any) -> bool:
        """Never."""
        return False

    def ending_execution(self, _entity: Any) -> None:
        """There is nothing to end."""


class PolledSubscription:
    """For what is seldom of interest and comes often. Used in one thread alone.

    `qos`: with a depth for all messages between two polls.
    """

    def __init__(self, node: Node, message: type, topic: str, qos: QoSProfile) -> None:
        self._group = _Unserved()
        self._subscription = node.create_subscription(
            message, topic, lambda _message: None, qos, callback_group=self._group
        )

    def messages(self) -> Iterator[Any]:
        """Yields what has come since the last time."""
        yield from (message for message, _age_s in self.aged_messages())

    def aged_messages(self) -> Iterator[tuple[Any, float]]:
        """Yield the same, each with its time since reception, in s."""
        kind, handle = self._subscription.msg_type, self._subscription.handle
        now = time.time_ns()
        with handle:
            while (taken := handle.take_message(kind, False)) is not None:
                message, about = taken
                yield message, max(now - about['received_timestamp'], 0) * 1e-9


class SubscriptionOnDemand:
    """Exists while its messages are requested, and for a while after.

    A camera without subscribers renders nothing; that of the embedded rover takes 100 MB to
    render. Used by the thread that spins the node, except for `request`.

    Args: as of `Node.create_subscription`; `kept_s`: for how long it is kept after the latest
    request, in s of steady time.

    Attributes:
        subscribed_at: Steady s at which the current subscription was made; None: there is none.
    """

    def __init__(
        self,
        node: Node,
        message: type,
        topic: str,
        receive: Callable[[Any], object],
        qos: QoSProfile,
        kept_s: float,
        group: CallbackGroup | None = None,
    ) -> None:
        self._node, self._topic, self._kept_s = node, topic, kept_s
        self._make = lambda: node.create_subscription(
            message, topic, receive, qos, callback_group=group
        )
        self._subscription: Subscription | None = None
        self._requested_until = -math.inf
        self.subscribed_at: float | None = None

    def request(self) -> None:
        """Request the messages; the next `update` subscribes."""
        self._requested_until = time.monotonic() + self._kept_s

    def subscribe(self) -> None:
        """Request the messages, and subscribe at once."""
        self.request()
        self.update()

    def update(self) -> None:
        """Make or destroy the subscription as requested; to be called periodically."""
        requested = self.is_requested
        if requested and self._subscription is None:
            self._subscription, self.subscribed_at = self._make(), time.monotonic()
        elif not requested and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = self.subscribed_at = None

    @property
    def is_requested(self) -> bool:
        """Whether the messages were requested within the last `kept_s`."""
        return time.monotonic() < self._requested_until

    @property
    def is_offered(self) -> bool:
        """Whether the topic has a publisher."""
        return bool(self._node.count_publishers(self._topic))
