"""The pictures that are taken, as the simulator or camera publishes them."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CompressedImage

from bt_executive.client.events import ClientEvent, PictureSeen
from rover_common.ros.conversions import seconds_from_ros


def follow_pictures(node: Node, topic: str, put: Callable[[ClientEvent], None]) -> None:
    """Tells of each picture from now on. `topic`: relative to the node's namespace."""

    def came(message: CompressedImage) -> None:
        put(PictureSeen(seconds_from_ros(message.header.stamp), bytes(message.data)))

    node.create_subscription(CompressedImage, topic, came, qos_profile_sensor_data)
