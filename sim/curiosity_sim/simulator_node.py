"""Node `environment_simulator`: the light of the place, and observation as one operation.

Subscribes: tf, the adapter's status (`bt_executive_interfaces/msg/AdapterStatus`) and, for a
capture and while somebody listens, the camera's compressed pictures
(`sensor_msgs/msg/CompressedImage`, newest only).
Publishes: while somebody listens, and for a capture, each picture darkened by the score of the
rover's place, with the score written on it, compressed and raw; /diagnostics. The stamp stays the
camera's.
Serves: capture_and_score (`curiosity_rosa_demo/srv/CaptureAndScore`).
Names: topics.yaml, sections `images`, `services`, `adapter`, `tf`.

Every failure is an answer with `ok` false and a reason; no picture can end this node.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
import time

from bt_executive_interfaces.msg import AdapterStatus
from curiosity_rosa_demo.srv import CaptureAndScore
import cv2
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import Header

from curiosity_sim import rover_messages
from curiosity_sim.capture_guard import CaptureGuard, Freshness
from curiosity_sim.image_pipeline import PictureError
from curiosity_sim.image_score_and_ground_statistics import ImageScorer, ScoredImage
from curiosity_sim.ros.injected_service_faults import ServiceFaults
from curiosity_sim.ros.newest_picture_for_capture import PictureFromHere
from rover_common.diagnostic_status import Health, Level, Part, stale
from rover_common.geometry.transforms import Transform, TransformError
from rover_common.ros.config_as_ros_parameters import ConfigParameters
from rover_common.ros.diagnostics_publisher import POLL_S, Diagnostics
from rover_common.ros.heartbeat_setpoint_and_status import status_from_ros
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.polled_and_on_demand_subscriptions import PolledSubscription
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.ros.tf_listener import TfListener
from rover_common.ros.timers import STEADY
from rover_common.text_sanitizing import one_line

NEWEST = QoSProfile(depth=1)
COMPLAINT_PERIOD_S = 5.0
CAPTURE = 'capture_and_score'
PARAMETERS = (
    ('curiosity', 'simulator'),
    ('thresholds', 'light_model'),
    ('thresholds', 'quality'),
)


class CaptureError(Exception):
    """A capture that cannot be made; the text is the reason in the answer."""


@dataclass(frozen=True)
class Frame:
    """A developed picture with the camera's header and the pose at which it was scored."""

    header: Header
    pose: Transform
    print: ScoredImage


class SimulatorNode(Node):
    """Darkens what the camera sees and answers for it."""

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('environment_simulator', **options.node_arguments())
        config = ConfigParameters(self, options.config, PARAMETERS).config
        settings = config.curiosity.simulator
        self._images = config.topics.images
        self._frames = (config.topics.tf.world_frame, config.topics.tf.base_frame)
        self._scorer = ImageScorer(
            config.curiosity.rover.world.light or config.thresholds.light_model,
            config.thresholds.quality,
            settings,
        )
        self._shot: Frame | None = None
        self._scored: tuple[tuple[bytes, float, float], ScoredImage] | None = None
        self._pose_age = Freshness(settings.tf_max_age_s)
        self._guard = CaptureGuard(
            config.executive.variant, config.executive.guards.adapter_status_max_age_s
        )
        self._tf = TfListener(self, lambda: self._note_pose(self._now()))
        self._compressed = self.create_publisher(
            CompressedImage, relative_name(self._images.output_capture_compressed), NEWEST
        )
        self._raw = self.create_publisher(
            Image, relative_name(self._images.output_capture_raw), NEWEST
        )
        self._camera = PictureFromHere(
            self,
            relative_name(self._images.input_compressed),
            settings.image_max_age_s,
            self._metres_since,
            self._on_picture,
        )
        self._statuses = PolledSubscription(
            self, AdapterStatus, relative_name(config.topics.adapter.status.name), LATCHED
        )
        self.create_service(
            CaptureAndScore,
            relative_name(config.topics.services.capture_and_score.name),
            self._capture,
            callback_group=ReentrantCallbackGroup(),
        )
        self._faults = ServiceFaults(self, [CAPTURE], config.curiosity.rover)
        self._developed_in, self._unreadable = math.nan, ''
        parts = [Part('capture', self._health, self._figures), self._faults.part()]
        self._diagnostics = Diagnostics(self, parts)
        self.create_timer(POLL_S, self._on_timer, clock=STEADY)

    def _on_timer(self) -> None:
        if self._listeners():
            self._camera.want()
        self._camera.update()
        self._diagnostics.update()

    def _now(self) -> float:
        """Steady s: whether others have fallen silent does not depend on how fast time passes."""
        return time.monotonic()

    def _read_status(self) -> None:
        for message, age_s in self._statuses.aged_messages():
            try:
                self._guard.update(status_from_ros(message), self._now() - age_s)
            except ValueError as error:
                self._complain(f'Adapter status ignored: {error}')

    def _on_picture(self) -> None:
        if not self._listeners():
            return
        try:
            self._publish(self._develop(self._now()))
        except CaptureError as refusal:
            self._complain(f'Picture not published: {refusal}')

    async def _capture(
        self, _request: CaptureAndScore.Request, response: CaptureAndScore.Response
    ) -> CaptureAndScore.Response:
        self._camera.begin()
        works = await self._faults.works(CAPTURE)
        await self._camera.wait()
        self._answer(response, works)
        await self._faults.delay(CAPTURE)
        return response

    def _metres_since(self, picture: CompressedImage) -> float:
        """How far the rover is from where a picture was taken; 0: not known."""
        here = self._tf.find(*self._frames)
        if here is None:
            return 0.0
        there = self._pose_at(picture.header, here)
        return math.hypot(here.x - there.x, here.y - there.y)

    def _answer(self, response: CaptureAndScore.Response, works: bool) -> None:
        now = self._now()
        response.image_topic = self._compressed.topic_name  # in full, with the namespace
        try:
            if not works:
                raise CaptureError(f'A fault is switched on: fail:{CAPTURE}')
            self._read_status()
            reason = self._guard.refusal(now)
            if reason:
                raise CaptureError(reason.sentence)
            shot = self._develop(now)
        except CaptureError as refusal:
            response.ok, response.error_reason = False, str(refusal)
            response.stamp = self.get_clock().now().to_msg()
            return
        self._publish(shot)
        response.ok = True
        response.score, response.is_good = shot.print.score, shot.print.is_good
        response.stamp = shot.header.stamp
        response.debug = shot.print.debug(shot.pose)

    def _develop(self, now: float) -> Frame:
        """The newest picture, scored; decoded once for any number of requests.

        Raises:
            CaptureError: There is no picture or no pose, one of them is too old, or the picture
                cannot be read.
        """
        picture = self._fresh_picture(now)
        pose = self._pose_at(picture.header, self._fresh_pose(now))
        if self._shot is None or self._shot.header is not picture.header:
            began_at = self._now()
            try:
                developed = self._score(bytes(picture.data), pose.x, pose.y)
            except PictureError as error:
                self._unreadable = (
                    f'Decode error: the newest camera picture cannot be used: {error}.'
                )
                raise CaptureError(self._unreadable) from error
            self._developed_in, self._unreadable = self._now() - began_at, ''
            self._shot = Frame(picture.header, pose, developed)
        return self._shot

    def _score(self, jpeg: bytes, x: float, y: float) -> ScoredImage:
        """The picture, scored; while the rover stands, its camera sends the same one again."""
        shown = (jpeg, x, y)
        if self._scored is None or self._scored[0] != shown:
            self._scored = shown, self._scorer.develop(*shown)
        return self._scored[1]

    def _fresh_picture(self, now: float) -> CompressedImage:
        picture, age = self._camera.newest, self._camera.age
        if picture is None:
            raise CaptureError(
                f'No image yet: nothing has come on {self._images.input_compressed!r} so far.'
            )
        if age.is_stale(now):
            raise CaptureError(
                f'Stale image: the newest one on {self._images.input_compressed!r} came '
                f'{age.age(now):.1f} s ago, allowed are '
                f'{age.max_age:g} s.'
            )
        return picture

    def _fresh_pose(self, now: float) -> Transform:
        pose = self._note_pose(now)
        if isinstance(pose, TransformError):
            world, base = self._frames
            raise CaptureError(f'TF unknown: no transform {world!r} -> {base!r}: {pose}')
        if self._pose_age.is_stale(now):
            world, base = self._frames
            raise CaptureError(
                f'Stale TF: {world!r} -> {base!r} has not changed its stamp for '
                f'{self._pose_age.age(now):.1f} s, allowed are {self._pose_age.max_age:g} s.'
            )
        return pose

    def _pose_at(self, header: Header, latest: Transform) -> Transform:
        """The rover's pose when a picture was taken; the latest pose if that is not known."""
        taken = seconds_from_ros(header.stamp)
        # Not known: a camera on another clock, or a picture that overtook its transform.
        return self._tf.find(*self._frames, at=taken) or latest

    def _note_pose(self, now: float) -> Transform | TransformError:
        try:
            pose = self._tf.lookup(*self._frames)
        except TransformError as error:
            return error
        self._pose_age.note(pose.stamp, now)
        return pose

    def _health(self) -> Health:
        """Whether a picture could be taken now, as far as that is known without developing it."""
        now = self._now()
        try:
            if not self._camera.is_asleep:
                self._fresh_picture(now)
            self._fresh_pose(now)
        except CaptureError as missing:
            return stale(str(missing))
        return Health(Level.ERROR, self._unreadable) if self._unreadable else Health()

    def _figures(self) -> dict[str, float]:
        now = self._now()
        return {
            'picture_age_s': self._camera.age.age(now),
            'transform_age_s': self._pose_age.age(now),
            'develop_ms': self._developed_in * 1e3,
        }

    def _listeners(self) -> bool:
        return bool(
            self._compressed.get_subscription_count() or self._raw.get_subscription_count()
        )

    def _publish(self, shot: Frame) -> None:
        stamp, frame = shot.header.stamp, shot.header.frame_id
        self._compressed.publish(rover_messages.jpeg_to_ros(stamp, frame, shot.print.jpeg))
        if self._raw.get_subscription_count():
            self._raw.publish(rover_messages.image_to_ros(stamp, frame, shot.print.pixels))

    def _complain(self, text: str) -> None:
        self.get_logger().warning(one_line(text), throttle_duration_sec=COMPLAINT_PERIOD_S)


def main() -> None:
    """Runs the node as a process."""
    cv2.setNumThreads(1)
    run_node(SimulatorNode)


if __name__ == '__main__':
    main()
