"""The newest picture of the camera, which a capture subscribes for a while and waits for."""

from __future__ import annotations

from collections.abc import Callable
import time

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from sensor_msgs.msg import CompressedImage

from curiosity_sim.capture_guard import Freshness
from rover_common.ros.polled_and_on_demand_subscriptions import SubscriptionOnDemand
from rover_common.ros.timers import STEADY

NEWEST_OR_NONE = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
CAMERA_KEPT_S = 10.0  # so long the camera is read after a capture, or a viewer
WAKING_PICTURES = 2.0  # the first picture of a camera may take so many times a picture's age
HERE_M = 0.05  # a picture from nearer than this shows the place where the rover is


class PictureFromHere:
    """Subscribes to the camera while it is requested. Times in steady s.

    Args:
        node: Owns subscription and timers.
        topic: Of the camera's compressed pictures.
        max_age_s: An older picture is stale.
        metres_since: How far the rover is from where a picture was taken, m.
        on_picture: Called with each picture, when it is the newest.

    Attributes:
        newest: None: none has come.
        age: Of the newest.
    """

    def __init__(
        self,
        node: Node,
        topic: str,
        max_age_s: float,
        metres_since: Callable[[CompressedImage], float],
        on_picture: Callable[[], None],
    ) -> None:
        self._node = node
        self._metres_since = metres_since
        self._on_picture = on_picture
        self._awaited: list[Future] = []  # done with the next picture
        self.newest: CompressedImage | None = None
        self.age = Freshness(max_age_s)
        self._camera = SubscriptionOnDemand(
            node, CompressedImage, topic, self._on_image, NEWEST_OR_NONE, CAMERA_KEPT_S
        )

    def want(self) -> None:
        """Request pictures for a viewer; to be called periodically."""
        self._camera.request()

    def update(self) -> None:
        """Subscribe to the camera, or unsubscribe, as requested."""
        self._camera.update()

    def begin(self) -> None:
        """A capture begins: the camera is read from now on."""
        self._camera.subscribe()

    @property
    def is_asleep(self) -> bool:
        """Whether the camera is published, and not subscribed to."""
        return self._camera.subscribed_at is None and self._camera.is_offered

    async def wait(self) -> None:
        """Waits for the next picture while the newest is of a place that the rover has left.

        In fast simulated time it drives a metre while a picture is drawn. No longer than a
        picture may be old; a camera that had no subscriber until now has longer.
        """
        now, longest_s = time.monotonic(), self.age.max_age
        deadlines = (
            now + longest_s,
            (self._camera.subscribed_at or now) + longest_s * WAKING_PICTURES,
        )
        while self._waits(*deadlines):
            deadline = deadlines[self._is_waking()]
            arrival = Future()
            self._awaited.append(arrival)
            left = max(deadline - time.monotonic(), 0.0)
            timer = self._node.create_timer(
                left, lambda arrival=arrival: arrival.set_result(None), clock=STEADY
            )
            await arrival
            self._node.destroy_timer(timer)

    def _waits(self, until: float, waking_until: float) -> bool:
        now = time.monotonic()
        if self._is_waking():
            return now < waking_until and self._camera.is_offered
        return now < until and self.newest is not None and self._metres_since(self.newest) > HERE_M

    def _is_waking(self) -> bool:
        """Whether the camera has shown nothing since it is read."""
        began_at, now = self._camera.subscribed_at, time.monotonic()
        return began_at is not None and self.age.age(now) > now - began_at

    def _on_image(self, message: CompressedImage) -> None:
        self.newest = message
        self.age.note(object(), time.monotonic())
        awaited, self._awaited = self._awaited, []
        for arrival in awaited:
            arrival.set_result(None)
        self._on_picture()
