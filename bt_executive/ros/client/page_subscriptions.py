"""The subscriptions of the page besides state and tree: pictures, paths, adapter status."""

from __future__ import annotations

from collections.abc import Callable
import math
import time

from bt_executive_interfaces.msg import AdapterStatus
from nav_msgs.msg import Path
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CompressedImage

from bt_executive.client.front_end_events import ClientEvent, PathReceived, PictureReceived
from bt_executive.ros.client.manual_mode_and_faults import ManualControl
from bt_executive.ros.client.memory_and_path_questions import MOST_POINTS
from bt_executive.ros.client.received_messages import TopicReader, adapter_from_ros
from bt_executive.ros.client.service_and_parameter_calls import NodeParameters
from bt_executive.ros.client.state_and_tree_subscriptions import StateAndTreeSubscriptions
from rover_common.config.settings import Config, Topics
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.qos import LATCHED
from rover_common.ros.subscription_on_demand import SubscriptionOnDemand
from rover_common.ros.topic_names import relative_name

LARGEST_PICTURE = 8_000_000  # bytes; larger ones are dropped
CAPTURES = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)


def follow_captures(node: Node, topics: Topics, emit: Callable[[ClientEvent], None]) -> None:
    """Emits each capture from now on."""

    def receive(message: CompressedImage) -> None:
        emit_picture(message, emit)

    captures = relative_name(topics.images.output_capture_compressed)
    node.create_subscription(CompressedImage, captures, receive, CAPTURES)


def emit_picture(
    message: CompressedImage, emit: Callable[[ClientEvent], None], live: bool = False
) -> None:
    """Emits a picture, unless it is too large."""
    data = bytes(message.data)
    if len(data) <= LARGEST_PICTURE:
        emit(PictureReceived(seconds_from_ros(message.header.stamp), data, live))


NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LIVE_S = 3.0  # how long the camera stays subscribed after the last `want_camera`
LIVE_PERIOD_S = 0.15


class PageSubscriptions(StateAndTreeSubscriptions):
    """Used in the client's thread alone, but for `request_camera`.

    Args:
        reader: The client's.
        emit: Takes `PictureReceived`, `PathReceived` and `AdapterStatusReceived`, too.
        parameters: Of the executive.
        config: Names of topics.
        hand: Drives by hand, where the adapter is in manual mode.
    """

    def __init__(
        self,
        reader: TopicReader,
        emit: Callable[[ClientEvent], None],
        parameters: NodeParameters,
        config: Config,
        hand: ManualControl,
    ) -> None:
        super().__init__(reader, emit, parameters)
        self._hand = hand
        self._next_live = -math.inf
        self._has_picture = False
        node, topics = reader.node, config.topics
        camera = relative_name(topics.images.input_compressed)
        self._camera = SubscriptionOnDemand(
            node, CompressedImage, camera, self._on_camera, NEWEST, LIVE_S
        )
        follow_captures(node, topics, emit)
        path = topics.adapter.navigation_path
        node.create_subscription(Path, relative_name(path.name), self._on_path, LATCHED)
        reader.subscribe(
            AdapterStatus, relative_name(topics.adapter.status.name), self._on_status, LATCHED
        )

    def request_camera(self) -> bool:
        """Keeps the camera subscribed; to be called repeatedly.

        Returns:
            Whether it is subscribed; otherwise the next `update` subscribes.
        """
        self._camera.request()
        return self._camera.subscribed_at is not None

    def on_executive_ready(self) -> None:
        """Requests the faults of the embedded rover, too."""
        super().on_executive_ready()
        self._hand.read_faults()

    def update(self) -> None:
        """Subscribes to the camera or unsubscribes; it renders only while it has subscribers.

        The first picture is requested in advance: a camera may need a second to start.
        """
        self._hand.update()
        if not self._has_picture:
            self._camera.request()
        self._camera.update()

    def _on_camera(self, message: CompressedImage) -> None:
        now, self._has_picture = time.monotonic(), True
        if now >= self._next_live:
            self._next_live = now + LIVE_PERIOD_S
            emit_picture(message, self._emit, live=True)

    def _on_path(self, message: Path) -> None:
        places = (each.pose.position for each in message.poses[:MOST_POINTS])
        points = tuple((place.x, place.y) for place in places)
        if all(math.isfinite(x) and math.isfinite(y) for x, y in points):
            self._emit(PathReceived(points))

    def _on_status(self, message: AdapterStatus) -> None:
        seen = adapter_from_ros(message, self._hand.sender)
        self._hand.adapter(seen)
        self._emit(seen)
