"""The pictures that are taken, as the simulator or the camera's driver publishes them."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CompressedImage

from bt_executive.client.front_end_events import ClientEvent, PictureSeen
from rover_common.config.settings import Topics
from rover_common.ros.conversions import seconds_from_ros
from rover_common.ros.names import relative

LARGEST_PICTURE = 8_000_000  # bytes; a larger one is not told
CAPTURES = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)


def follow_captures(node: Node, topics: Topics, put: Callable[[ClientEvent], None]) -> None:
    """Tells of each capture from now on."""

    def came(message: CompressedImage) -> None:
        put_picture(message, put)

    captures = relative(topics.images.output_capture_compressed)
    node.create_subscription(CompressedImage, captures, came, CAPTURES)


def put_picture(
    message: CompressedImage, put: Callable[[ClientEvent], None], live: bool = False
) -> None:
    """Tells of one picture, unless it is too large."""
    data = bytes(message.data)
    if len(data) <= LARGEST_PICTURE:
        put(PictureSeen(seconds_from_ros(message.header.stamp), data, live))
