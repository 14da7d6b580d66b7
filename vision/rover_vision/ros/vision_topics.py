"""Topics of the node: pictures and the executive's state, subscribed on demand; the last look.

A state that is late is no news: what is older than `MAX_AGE_S` counts as not known.
"""

from __future__ import annotations

from collections.abc import Callable
import io
import time
from typing import Any

from bt_executive_interfaces.msg import ExecutiveState
from PIL import Image as Pillow
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription
from rclpy.time import Time
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import String

from rover_common.json_values import read_json_object
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.polled_and_on_demand_subscriptions import SubscriptionOnDemand
from rover_common.ros.qos import LATCHED
from rover_common.text_sanitizing import one_line
from rover_vision.capture.connected_clients import ROVER
from rover_vision.episodes.episode_store import NewEpisode, Origin
from rover_vision.look_request_and_result import Picture
from rover_vision.place_of_look import POSE_MAX_AGE_S, Place, Sight, place_of
from rover_vision.watch.watch_looks import Quiet

KEPT_S = 30.0  # subscription after a look
ONE_PICTURE = QoSProfile(depth=1)
Take = Callable[[bytes, float], None]
MAX_AGE_S = 5.0
WAIT_S = POSE_MAX_AGE_S  # a picture waits for the first state, for its place
Give = Callable[[Place | None], None]
MAX_EDGE = 640  # pixels of the published picture
LONGEST = 500  # characters


class CameraTopic:
    """Only used by the thread that serves ROS."""

    def __init__(self, node: Node, topic: str, group: CallbackGroup) -> None:
        self._awaiting: list[Take] = []
        self._images = SubscriptionOnDemand(
            node, CompressedImage, topic, self._on_image, ONE_PICTURE, KEPT_S, group
        )

    def next_picture(self, take: Take) -> None:
        """Call `take` with the next picture and its ROS time in s."""
        self._awaiting.append(take)
        self._images.subscribe()

    @property
    def in_use(self) -> bool:
        """Return whether somebody looks, or has done so recently."""
        return self._images.is_requested

    def rest(self) -> None:
        """Unsubscribe if it is not in use."""
        if self._awaiting:
            self._images.request()
        self._images.update()

    def _on_image(self, message: CompressedImage) -> None:
        awaiting, self._awaiting = self._awaiting, []
        if awaiting:
            data, stamp_s = bytes(message.data), seconds_from_ros(message.header.stamp)
            for take in awaiting:
                take(data, stamp_s)


class StateListener:
    """Used by the thread that serves ROS; `quiet` by any thread."""

    def __init__(self, node: Node, topic: str, group: CallbackGroup, sight: Sight) -> None:
        self._node, self._topic, self._group, self._sight = node, topic, group, sight
        self._subscription: Subscription | None = None
        self._latest: ExecutiveState | None = None
        self._arrived_at = 0.0  # steady s
        self._awaiting: list[tuple[float, float, Give]] = []  # until when (steady s), stamp

    def listen(self, wanted: bool) -> None:
        """Subscribe or unsubscribe."""
        if wanted and self._subscription is None:
            self._subscription = self._node.create_subscription(
                ExecutiveState, self._topic, self._on_state, LATCHED, callback_group=self._group
            )
        elif not wanted and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def quiet(self) -> Quiet | None:
        """Return why the watch must be silent; None: no reason."""
        state = self._young()
        if state is None:
            return Quiet.UNKNOWN
        if state.mode in (Quiet.SAFE.name, Quiet.CHARGE.name):
            return Quiet[state.mode]
        return Quiet.BUSY if state.queue_length else None

    def place_of(self, stamp_s: float, give: Give) -> None:
        """Pass the place of a picture with this ROS time in s to `give`; None: unknown.

        If there is no state, the next one is waited for, but not for long.
        """
        state = self._young()
        if state is not None:
            give(self._place_in(state, stamp_s))
        else:
            self._awaiting.append((time.monotonic() + WAIT_S, stamp_s, give))

    def give_up(self) -> None:
        """End waits after their timeout; to be called periodically."""
        now = time.monotonic()
        late = [each for each in self._awaiting if each[0] <= now]
        self._awaiting = [each for each in self._awaiting if each[0] > now]
        for _, _, give in late:
            give(None)

    def _place_in(self, state: ExecutiveState, stamp_s: float) -> Place | None:
        if state.stands != ExecutiveState.YES:
            return None
        try:
            whole = read_json_object(state.state_json)
        except ValueError:
            return None
        at, places = _part(whole, 'robot').get('pose_stamp'), _part(whole, 'world').get('places')
        return place_of((state.x, state.y, state.yaw), at, places, stamp_s, self._sight)

    def _young(self) -> ExecutiveState | None:
        return self._latest if time.monotonic() - self._arrived_at <= MAX_AGE_S else None

    def _on_state(self, message: ExecutiveState) -> None:
        self._latest, self._arrived_at = message, time.monotonic()
        awaiting, self._awaiting = self._awaiting, []
        for _, stamp_s, give in awaiting:
            self.place_of(stamp_s, give)


def _part(whole: dict[str, Any], name: str) -> dict[str, Any]:
    part = whole.get(name)
    return part if isinstance(part, dict) else {}


class LastLook:
    """Two latched topics. The screens of operators are private and never published."""

    def __init__(self, node: Node, picture_topic: str, text_topic: str) -> None:
        self._pictures = node.create_publisher(Image, picture_topic, LATCHED)
        self._texts = node.create_publisher(String, text_topic, LATCHED)

    @staticmethod
    def messages_for(episode: NewEpisode) -> tuple[Image, String] | None:
        """Return the messages for an episode, from any thread; None: it is not published."""
        if episode.seen.client_id != ROVER or episode.origin is Origin.LATE:
            return None
        picture = _image(episode.picture)
        picture.header.stamp = Time(nanoseconds=round(episode.seen.stamp_s * 1e9)).to_msg()
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
