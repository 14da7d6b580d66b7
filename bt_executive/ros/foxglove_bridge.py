"""The bridge `bt-executive foxglove`: a node that serves our topics, live and read-only.

A process of its own. The server of `foxglove-sdk` listens on loopback and offers no capability:
viewers cannot publish, call services or set parameters. A topic is subscribed to only while a
viewer shows it, and its messages are passed on serialized. A viewer that is too slow misses
messages: the server drops the oldest, and nothing here waits. If this process dies, viewers
reconnect. To import this module without that library raises UsageError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
import threading
import time
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from rclpy.subscription import Subscription

from bt_executive.store.recorded_topics_and_definitions import (
    RecordedTopics,
    full_definition,
    share_folders,
)
from rover_common.errors import UsageError
from rover_common.extras import needs_extra
from rover_common.process.loopback import HOST, listen_on_loopback
from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.publishers_and_types_of_topic import published_types
from rover_common.ros.qos import offered_qos
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.ros.timers import STEADY

try:
    import foxglove
    from foxglove.websocket import ServerListener
except ImportError as missing:  # who imports this module wants the bridge
    raise UsageError(needs_extra('The bridge', 'foxglove', error=missing)) from None

FIRST_PORT, LAST_PORT = 8765, 8784  # Foxglove tries the first one by itself
UPDATE_PERIOD_S = 0.25  # the longest delay until a new topic, or a new viewer of one, is noticed
DEPTH = 50
BACKLOG = 256  # messages that wait for a slow viewer; then it misses the oldest


class ViewerCounts(ServerListener):
    """Counts the viewers of each topic. Updated by the server's threads, read by the node's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._subscribed: Counter[str] = Counter()

    def on_subscribe(self, client: Any, channel: Any) -> None:
        """A viewer subscribes."""
        del client
        with self._lock:
            self._counts[channel.topic] += 1
            self._subscribed[channel.topic] += 1

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        """A viewer unsubscribes, or has disconnected."""
        del client
        with self._lock:
            self._counts[channel.topic] -= 1

    def of(self, topic: str) -> tuple[bool, int]:
        """Return whether a topic has viewers, and how often one has subscribed so far."""
        with self._lock:
            return self._counts[topic] > 0, self._subscribed[topic]


class FoxgloveNode(Node):
    """Serves viewers until it is shut down. `port`: on loopback."""

    def __init__(self, options: NodeOptions, port: int) -> None:
        super().__init__('foxglove', **options.node_arguments())
        self._topics = RecordedTopics(options.config, self.get_namespace())
        self._sdk = foxglove.Context()
        self._viewers = ViewerCounts()
        self._channels: dict[str, foxglove.Channel | None] = {}
        self._types: dict[str, type] = {}
        self._listening: dict[str, tuple[Subscription, int]] = {}
        try:
            self._server = foxglove.start_server(
                name='bt_executive',
                host=HOST,
                port=port,
                capabilities=[],
                server_listener=self._viewers,
                context=self._sdk,
                message_backlog_size=BACKLOG,
            )
        except RuntimeError as fault:
            self.destroy_node()
            raise UsageError(f'Port {port} cannot be served ({fault}).') from None
        self.create_timer(UPDATE_PERIOD_S, self._update_channels, clock=STEADY)

    def shut_down(self, executor: Executor) -> None:
        """Disconnects the viewers."""
        del executor
        self._server.stop()

    def _update_channels(self) -> None:
        """Offers new topics of the graph, and subscribes to those that have viewers."""
        for topic, listed in self.get_topic_names_and_types():
            if topic in self._channels or not self._topics.includes(topic, listed[0]):
                continue
            types = published_types(self, topic)
            if types:
                self._channels[topic] = self._offered(topic, types[0])
        for topic, channel in self._channels.items():
            if channel is not None:
                self._update_subscription(topic, channel)

    def _offered(self, topic: str, type_name: str) -> foxglove.Channel | None:
        try:
            self._types[topic] = interface_class(type_name)
            definition = full_definition(type_name, share_folders())
        except LookupError as fault:
            self.get_logger().warning(f'{topic} is not offered: {type_name}: {fault}')
            return None
        schema = foxglove.Schema(name=type_name, encoding='ros2msg', data=definition.encode())
        return foxglove.Channel(topic, schema=schema, message_encoding='cdr', context=self._sdk)

    def _update_subscription(self, topic: str, channel: foxglove.Channel) -> None:
        is_viewed, count = self._viewers.of(topic)
        subscription, seen_count = self._listening.get(topic, (None, 0))
        if subscription is not None and is_viewed:
            latched = subscription.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
            if seen_count == count or not latched:
                return  # otherwise a new subscription gets the latched message for the new viewer
        if subscription is not None:
            self.destroy_subscription(self._listening.pop(topic)[0])
        if is_viewed:
            made = self.create_subscription(
                self._types[topic],
                topic,
                partial(_pass_on, channel),
                offered_qos(self, topic, DEPTH),
                raw=True,
            )
            self._listening[topic] = made, count


def _pass_on(channel: foxglove.Channel, data: bytes) -> None:
    channel.log(data, log_time=time.time_ns())


def address(port: int) -> str:
    """What Foxglove has to open."""
    return f'ws://{HOST}:{port}'


def bridge_port(wanted: int) -> int:
    """A port that is free at this moment: the wanted one, or the first of ours.

    Raises:
        UsageError: None is.
    """
    with listen_on_loopback(wanted, FIRST_PORT, LAST_PORT) as listening:
        port: int = listening.getsockname()[1]
        return port


def run_bridge(arguments: Sequence[str], wanted: int) -> None:
    """Serves until it is asked to end, then ends the process. `arguments`: of the node.

    Raises:
        UsageError: No port is free.
    """
    port = bridge_port(wanted)

    def make(options: NodeOptions) -> Node:
        node = FoxgloveNode(options, port)
        print(f'Foxglove: open a connection to {address(port)}', flush=True)
        return node

    run_node(make, arguments)
