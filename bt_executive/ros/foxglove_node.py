"""The node `foxglove`: our topics, live, for Foxglove. It reads, and nobody writes through it.

A process of its own. The server of `foxglove-sdk` listens on loopback and offers no capability:
viewers cannot publish, call services or set parameters. A topic is subscribed to only while a
viewer looks at it, and its messages are passed on as they came. A viewer that is too slow misses
messages: the server drops its oldest, and nothing here waits. If this process dies, viewers
connect again.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
import threading
import time
from typing import Any

import foxglove
from foxglove.websocket import ServerListener
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from rclpy.subscription import Subscription

from bt_executive.store.message_definitions import full_definition, share_folders
from bt_executive.store.topics_to_record import RecordedTopics
from rover_common.errors import UsageError
from rover_common.process.loopback import HOST
from rover_common.ros.interface_types import interface_class
from rover_common.ros.node_options import NodeOptions
from rover_common.ros.qos import offered_qos
from rover_common.ros.timers import STEADY

LOOK_PERIOD_S = 0.25  # a new topic, and a viewer's wish, is noticed after this at most
DEPTH = 50
BACKLOG = 256  # messages that wait for a slow viewer; then it misses the oldest


class Wishes(ServerListener):
    """How many viewers look at each topic. Told by the server's threads, read by the node's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._viewers: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()

    def on_subscribe(self, client: Any, channel: Any) -> None:
        """A viewer begins to look."""
        del client
        with self._lock:
            self._viewers[channel.topic] += 1
            self._asked[channel.topic] += 1

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        """A viewer looks no more, or has gone."""
        del client
        with self._lock:
            self._viewers[channel.topic] -= 1

    def of(self, topic: str) -> tuple[bool, int]:
        """Whether anybody looks at a topic, and how often somebody has begun to."""
        with self._lock:
            return self._viewers[topic] > 0, self._asked[topic]


class FoxgloveNode(Node):
    """Serves viewers until it is told to end. `port`: on loopback."""

    def __init__(self, options: NodeOptions, port: int) -> None:
        super().__init__('foxglove', **options.node_arguments())
        self._wanted = RecordedTopics(options.config.topics, self.get_namespace())
        self._sdk = foxglove.Context()
        self._wishes = Wishes()
        self._channels: dict[str, foxglove.Channel | None] = {}
        self._types: dict[str, type] = {}
        self._listening: dict[str, tuple[Subscription, int]] = {}
        try:
            self._server = foxglove.start_server(
                name='bt_executive',
                host=HOST,
                port=port,
                capabilities=[],
                server_listener=self._wishes,
                context=self._sdk,
                message_backlog_size=BACKLOG,
            )
        except RuntimeError as fault:
            self.destroy_node()
            raise UsageError(f'Port {port} cannot be served ({fault}).') from None
        self.create_timer(LOOK_PERIOD_S, self._update_channels, clock=STEADY)

    def shut_down(self, executor: Executor) -> None:
        """Lets the viewers go."""
        del executor
        self._server.stop()

    def _update_channels(self) -> None:
        """Offers what is new in the graph, and listens to what viewers look at."""
        for topic, types in self.get_topic_names_and_types():
            known = topic in self._channels
            if (
                not known
                and self._wanted.includes(topic, types[0])
                and self.count_publishers(topic)
            ):
                self._channels[topic] = self._offered(topic, types[0])
        for topic, channel in self._channels.items():
            if channel is not None:
                self._listen_as_wished(topic, channel)

    def _offered(self, topic: str, type_name: str) -> foxglove.Channel | None:
        try:
            self._types[topic] = interface_class(type_name)
            definition = full_definition(type_name, share_folders())
        except LookupError as fault:
            self.get_logger().warning(f'{topic} is not offered: {type_name}: {fault}')
            return None
        schema = foxglove.Schema(name=type_name, encoding='ros2msg', data=definition.encode())
        return foxglove.Channel(topic, schema=schema, message_encoding='cdr', context=self._sdk)

    def _listen_as_wished(self, topic: str, channel: foxglove.Channel) -> None:
        looked_at, asked = self._wishes.of(topic)
        subscription, heard = self._listening.get(topic, (None, 0))
        if subscription is not None and looked_at:
            latched = subscription.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
            if heard == asked or not latched:
                return  # else the new viewer needs the last message, which is sent again
        if subscription is not None:
            self.destroy_subscription(self._listening.pop(topic)[0])
        if looked_at:
            made = self.create_subscription(
                self._types[topic],
                topic,
                partial(_pass_on, channel),
                offered_qos(self, topic, DEPTH),
                raw=True,
            )
            self._listening[topic] = made, asked


def _pass_on(channel: foxglove.Channel, data: bytes) -> None:
    channel.log(data, log_time=time.time_ns())
