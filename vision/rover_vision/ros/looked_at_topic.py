"""Topics with the last look of the rover's camera and its answer, for RViz and others."""

from __future__ import annotations

import io

from PIL import Image as Pillow
from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import Image
from std_msgs.msg import String

from rover_common.ros.qos import LATCHED
from rover_common.text_sanitizing import one_line
from rover_vision.capture.captured_picture import Picture
from rover_vision.capture.connected_clients import ROVER
from rover_vision.episodes.episode import NewEpisode, Origin

MAX_EDGE = 640  # pixels of the published picture
LONGEST = 500  # characters


class LastLook:
    """Two latched topics. The screens of operators are private and never published."""

    def __init__(self, node: Node, picture_topic: str, text_topic: str) -> None:
        self._pictures = node.create_publisher(Image, picture_topic, LATCHED)
        self._texts = node.create_publisher(String, text_topic, LATCHED)

    @staticmethod
    def messages_for(episode: NewEpisode) -> tuple[Image, String] | None:
        """Return the messages for an episode, from any thread; None: it is not published."""
        if episode.client_id != ROVER or episode.origin is Origin.LATE:
            return None
        picture = _image(episode.picture)
        picture.header.stamp = Time(nanoseconds=round(episode.stamp_s * 1e9)).to_msg()
        return picture, String(data=one_line(episode.answer)[:LONGEST])

    def publish(self, picture: Image, text: String) -> None:
        """Publish them, in the thread that serves ROS."""
        self._pictures.publish(picture)
        self._texts.publish(text)


def _image(picture: Picture) -> Image:
    with Pillow.open(io.BytesIO(picture.data)) as encoded:
        encoded.draft('RGB', (MAX_EDGE, MAX_EDGE))  # a large JPEG is decoded at a fraction
        pixels = encoded.convert('RGB')
    pixels.thumbnail((MAX_EDGE, MAX_EDGE))
    width, height = pixels.size
    return Image(
        width=width, height=height, encoding='rgb8', step=3 * width, data=pixels.tobytes()
    )
