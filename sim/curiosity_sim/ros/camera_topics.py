"""The camera's pictures: drawn in a thread of their own, and only while somebody listens.

Drawing one takes longer than many steps of fast time, and the landscape that it shows takes a
second of computing: it is made for the first picture.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from builtin_interfaces.msg import Time
from rclpy.node import Node
from sensor_msgs.msg import CompressedImage, Image

from curiosity_sim import rover_messages
from curiosity_sim.array_types import Pixels
from curiosity_sim.camera.camera import Camera
from curiosity_sim.image_pipeline import encode
from curiosity_sim.ros.odometry_joints_scan_and_battery_topics import (
    AT_REST_S,
    CAMERA_FRAME,
    NEWEST,
)
from curiosity_sim.ros.simulated_time import SimulatedTime
from curiosity_sim.rover.attitude import Attitude
from curiosity_sim.rover.mast_geometry import CameraPose, camera_pose
from curiosity_sim.rover.rover_body import Rover
from curiosity_sim.rover.schedule import Schedule
from curiosity_sim.rover.world import World
from curiosity_sim.rover_faults import spoil_jpeg
from rover_common.config.settings import CameraSettings, Topics
from rover_common.geometry.planar_motion import Pose2D
from rover_common.ros.node_topic_and_enclave_names import relative_name

JPEG_QUALITY = 90

View = tuple[CameraPose, Pose2D, Attitude]


@dataclass(frozen=True)
class Still:
    """A picture and what was seen in it."""

    view: View
    pixels: Pixels

    @cached_property
    def jpeg(self) -> bytes:
        """The picture as it is published."""
        return encode(self.pixels, JPEG_QUALITY)


class CameraTopics:
    """Draws and publishes; `lens` is the camera's, see `BodyTopics` for the other arguments."""

    def __init__(
        self,
        node: Node,
        topics: Topics,
        lens: CameraSettings,
        rover: Rover,
        world: World,
        time: SimulatedTime,
        active_faults: Callable[[], frozenset[str]],
    ) -> None:
        self._lens = lens
        self._camera: Camera | None = None
        self._rover, self._time, self._active = rover, time, active_faults
        self._world = self._pictured = world
        self._studio = ThreadPoolExecutor(max_workers=1, thread_name_prefix='camera')
        self._drawing: Future[None] | None = None
        self._rests_until = 0.0  # steady
        self._still: Still | None = None
        self._jpeg = node.create_publisher(
            CompressedImage, relative_name(topics.images.input_compressed), NEWEST
        )
        self._image = node.create_publisher(Image, relative_name(topics.rover.image_raw), NEWEST)

    def replace_world(self, world: World) -> None:
        """Draws another world from the next picture on."""
        self._world = world

    def schedule(self, schedule: Schedule, period_s: float) -> None:
        """Enters how often there is a picture, in simulated s."""
        schedule.every(period_s, self._publish, max(period_s, AT_REST_S))

    def _publish(self) -> None:
        """Starts drawing what is seen now; left out while the picture before is being drawn."""
        wanted = (self._jpeg.get_subscription_count(), self._image.get_subscription_count())
        rover, active = self._rover, self._active()
        rover.camera_on = any(wanted)
        if not rover.camera_on or 'camera_off' in active:
            return
        if self._drawing is not None:
            if not self._drawing.done() or self._time.steady_s() < self._rests_until:
                return
            self._drawing.result()  # raises what drawing raised
        view = (camera_pose(rover.pose, rover.mast, rover.attitude), rover.pose, rover.attitude)
        self._drawing = self._studio.submit(
            self._draw, self._time.stamp(), self._world, view, active
        )

    def close(self) -> None:
        """Ends with the picture that is being drawn."""
        self._studio.shutdown()

    def _draw(self, stamp: Time, world: World, view: View, faults: frozenset[str]) -> None:
        """Draws and publishes one picture, in the thread of the studio.

        While nothing moves, the picture before is published again, with a new stamp.

        In fast time a picture is always due: then the studio rests for as long as it drew, and
        leaves the machine to the others.
        """
        began = self._time.steady_s()
        camera = self._camera_in(world)
        if self._still is None or not (self._still.view == view or 'camera_frozen' in faults):
            self._still = Still(view, camera.picture(*view))
        if self._jpeg.get_subscription_count():
            jpeg = spoil_jpeg(faults, self._still.jpeg)
            self._jpeg.publish(rover_messages.jpeg_to_ros(stamp, CAMERA_FRAME, jpeg))
        if self._image.get_subscription_count():
            self._image.publish(
                rover_messages.image_to_ros(stamp, CAMERA_FRAME, self._still.pixels)
            )
        ended = self._time.steady_s()
        rest = 1.0 - 1.0 / max(self._time.wanted_factor, 1.0)
        self._rests_until = ended + (ended - began) * rest

    def _camera_in(self, world: World) -> Camera:
        if self._camera is None:
            self._camera = Camera(self._lens, world)
        elif world is not self._pictured:
            self._camera.replace_rocks(world)
            self._still = None
        self._pictured = world
        return self._camera
