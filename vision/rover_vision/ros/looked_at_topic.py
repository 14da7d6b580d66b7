"""What the rover's camera looked at last and what was said of it, for RViz and whoever listens."""

from __future__ import annotations

import io

from PIL import Image as Pillow
from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import Image
from std_msgs.msg import String

from rover_common.printable import one_line
from rover_common.ros.qos import LATCHED
from rover_vision.capture.captured_picture import Picture
from rover_vision.capture.connected_clients import ROVER
from rover_vision.episodes.episode import NewEpisode, Origin

MAX_EDGE = 640  # pixels of what is published
LONGEST = 500  # characters


class LastLook:
    """Two latched topics. The screens of operators are not for everybody, and are never shown."""

    def __init__(self, node: Node, picture_topic: str, words_topic: str) -> None:
        self._pictures = node.create_publisher(Image, picture_topic, LATCHED)
        self._words = node.create_publisher(String, words_topic, LATCHED)

    @staticmethod
    def shown(episode: NewEpisode) -> tuple[Image, String] | None:
        """The messages about an episode, from any thread; None: it is not for everybody."""
        if episode.client_id != ROVER or episode.origin is Origin.LATE:
            return None
        picture = _image(episode.picture)
        picture.header.stamp = Time(nanoseconds=round(episode.stamp_s * 1e9)).to_msg()
        return picture, String(data=one_line(episode.answer)[:LONGEST])

    def publish(self, picture: Image, words: String) -> None:
        """By the thread that serves ROS."""
        self._pictures.publish(picture)
        self._words.publish(words)


def _image(picture: Picture) -> Image:
    with Pillow.open(io.BytesIO(picture.data)) as encoded:
        encoded.draft('RGB', (MAX_EDGE, MAX_EDGE))  # a large JPEG is decoded at a fraction
        pixels = encoded.convert('RGB')
    pixels.thumbnail((MAX_EDGE, MAX_EDGE))
    width, height = pixels.size
    return Image(
        width=width, height=height, encoding='rgb8', step=3 * width, data=pixels.tobytes()
    )
