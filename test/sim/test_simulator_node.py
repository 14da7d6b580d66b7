"""The node `environment_simulator` over real DDS: every answer of a capture."""

from __future__ import annotations

from collections.abc import Callable
import json
from typing import Any

from bt_executive_interfaces.msg import AdapterStatus
from curiosity_rosa_demo.srv import CaptureAndScore
import cv2
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from known import known
from network import Network
import numpy as np
import pytest
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import CompressedImage, Image
from status_messages import message_of
from tf2_msgs.msg import TFMessage

from curiosity_sim.ros import newest_picture_for_capture
from curiosity_sim.simulator_node import SimulatorNode
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform
from rover_common.ros.run_node import NodeOptions
from rover_common.ros.tf_listener import pose_to_ros

pytestmark = pytest.mark.ros

PERIOD_S = 0.05


class Stage:
    """A camera, a TF source and an adapter, each of which can be changed or silenced."""

    def __init__(self, node: Node, picture: bytes) -> None:
        self.node = node
        self.picture: bytes | None = picture
        self.x: float | None = 0.0
        self.camera_late_s = 0.0
        self._images = node.create_publisher(CompressedImage, '/image_raw/compressed', 1)
        self._tf = node.create_publisher(TFMessage, '/tf', 10)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.status = node.create_publisher(AdapterStatus, '/adapter/status', latched)
        self.prints: list[CompressedImage] = []
        node.create_timer(PERIOD_S, self._play)

    def _play(self) -> None:
        now = self.node.get_clock().now()
        if self.x is not None:
            pose = Transform.planar(self.x, 0.5, 0.0, now.nanoseconds * 1e-9)
            transform = pose_to_ros('/odom', '/base_footprint', pose)
            self._tf.publish(TFMessage(transforms=[transform]))
        if self.picture is not None:
            message = CompressedImage(format='jpeg', data=self.picture)
            late = Duration(seconds=self.camera_late_s)
            message.header.stamp = (now - late).to_msg()
            message.header.frame_id = 'camera_link'
            self._images.publish(message)

    def say(self, **status: object) -> None:
        self.status.publish(message_of(status))

    def follow_prints(self) -> None:
        self.node.create_subscription(
            CompressedImage, '/capture/image_raw/compressed', self.prints.append, 10
        )


@pytest.fixture
def stage(tester: Node, jpeg: bytes) -> Stage:
    return Stage(tester, jpeg)


@pytest.fixture
def start(network: Network) -> Callable[..., None]:
    def starter(*overrides: str) -> None:
        quick = ('curiosity.simulator.image_max_age_s=0.3', 'curiosity.simulator.tf_max_age_s=0.3')
        network.start(SimulatorNode, *quick, *overrides)

    return starter


@pytest.fixture
def capture(network: Network, tester: Node) -> Callable[[], CaptureAndScore.Response]:
    client = tester.create_client(CaptureAndScore, '/capture_and_score')

    def call() -> CaptureAndScore.Response:
        network.wait_until(client.service_is_ready)
        future = client.call_async(CaptureAndScore.Request())
        network.wait_until(future.done)
        return future.result()

    return call


PAUSE_S = 0.05  # between two captures


@pytest.fixture
def until(
    network: Network, capture: Callable[[], CaptureAndScore.Response]
) -> Callable[[str], CaptureAndScore.Response]:
    """Captures again and again until the reason contains some words ('' for success)."""

    def wait(words: str) -> CaptureAndScore.Response:
        answers = []

        def matches() -> bool:
            answer = capture()
            answers.append(answer)
            matched = words in answer.error_reason and answer.ok == (not words)
            if not matched:
                network.wait(PAUSE_S)
            return matched

        try:
            network.wait_until(matches)
        except AssertionError:
            pytest.fail(f'last reason: {answers[-1].error_reason!r}, wanted {words!r}')
        return answers[-1]

    return wait


def stamp_of(message: CompressedImage) -> tuple[int, int]:
    return message.header.stamp.sec, message.header.stamp.nanosec


@pytest.mark.parametrize(
    ('x', 'score', 'good'), [(-1.0, 0.0, False), (2.5, 0.5, False), (4.2, 0.84, True)]
)
def test_a_capture_scores_by_the_place(
    start: Callable[..., None],
    stage: Stage,
    until: Callable[[str], CaptureAndScore.Response],
    x: float,
    score: float,
    good: bool,
) -> None:
    stage.x = x
    start()
    answer = until('')
    assert answer.score == pytest.approx(score)
    assert answer.is_good is good
    assert answer.image_topic == '/capture/image_raw/compressed'
    debug = json.loads(answer.debug)
    assert debug['rover_x'] == x
    assert debug['rover_y'] == 0.5


def test_thresholds_come_from_the_configuration(
    start: Callable[..., None], stage: Stage, until: Callable[[str], CaptureAndScore.Response]
) -> None:
    stage.x = 4.2
    start('thresholds.light_model.x_good=12.0', 'quality.score_threshold=0.95')
    answer = until('')
    assert answer.score == pytest.approx(0.35)
    assert not answer.is_good


def test_the_scored_picture_is_published_with_the_cameras_stamp(
    network: Network,
    start: Callable[..., None],
    stage: Stage,
    until: Callable[[str], CaptureAndScore.Response],
) -> None:
    start()
    stage.follow_prints()
    answer = until('')
    wanted = (answer.stamp.sec, answer.stamp.nanosec)
    network.wait_until(lambda: wanted in map(stamp_of, stage.prints))
    published = next(each for each in stage.prints if stamp_of(each) == wanted)
    assert published.header.frame_id == 'camera_link'
    picture = known(cv2.imdecode(np.frombuffer(published.data, np.uint8), cv2.IMREAD_COLOR))
    assert picture[60:].mean() == pytest.approx(0.15 * 130.0, abs=4.0)


def test_each_picture_is_published_darkened_without_a_capture(
    network: Network, start: Callable[..., None], stage: Stage
) -> None:
    start()
    stage.follow_prints()
    network.wait_until(lambda: len({stamp_of(each) for each in stage.prints}) >= 3)


@pytest.mark.usefixtures('stage')
def test_raw_pictures_are_published_while_somebody_listens(
    network: Network, tester: Node, start: Callable[..., None]
) -> None:
    start()
    heard: list[Image] = []
    subscription = tester.create_subscription(Image, '/capture/image_raw', heard.append, 1)
    network.wait_until(lambda: heard)
    assert (heard[0].width, heard[0].height, heard[0].encoding) == (160, 120, 'bgr8')
    tester.destroy_subscription(subscription)


def test_a_picture_of_a_place_that_the_rover_has_left_is_not_scored(
    start: Callable[..., None],
    stage: Stage,
    network: Network,
    capture: Callable[[], CaptureAndScore.Response],
    until: Callable[[str], CaptureAndScore.Response],
) -> None:
    start('curiosity.simulator.image_max_age_s=10.0', 'curiosity.simulator.tf_max_age_s=10.0')
    stage.camera_late_s = 0.2
    until('')
    stage.x = 3.0
    network.wait(2 * PERIOD_S)  # the new pose is known, and no picture of it yet
    answer = capture()
    # The picture may have been taken up to HERE_M before that place.
    assert (answer.ok, answer.score) == (True, pytest.approx(0.6, abs=0.01))


def test_of_pictures_that_came_too_fast_the_newest_is_shown(
    network: Network, tester: Node, start: Callable[..., None], jpeg: bytes
) -> None:
    cameras = tester.create_publisher(CompressedImage, '/image_raw/compressed', 1)
    stage = Stage(tester, jpeg)
    start()
    stage.follow_prints()
    network.wait_until(lambda: stage.prints)
    stage.picture = None
    network.wait(2.0 * PERIOD_S)
    stage.prints.clear()
    message = CompressedImage(format='jpeg', data=jpeg)
    for second in range(1, 31):  # nobody is spun meanwhile
        message.header.stamp.sec = second
        cameras.publish(message)

    def newest_is_shown() -> bool:
        cameras.publish(message)  # again: the subscription is best effort and may lose any one
        return bool(stage.prints) and stamp_of(stage.prints[-1]) == (30, 0)

    network.wait_until(newest_is_shown)
    assert len(stage.prints) <= 3


def test_the_camera_is_read_for_a_capture_or_a_viewer_and_not_at_rest(
    network: Network,
    tester: Node,
    start: Callable[..., None],
    stage: Stage,
    until: Callable[[str], CaptureAndScore.Response],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(newest_picture_for_capture, 'CAMERA_KEPT_S', 0.2)
    reports: list[DiagnosticArray] = []
    tester.create_subscription(DiagnosticArray, '/diagnostics', reports.append, 10)
    start()

    def capture_is(level: bytes) -> bool:
        parts = [part for report in reports for part in report.status]
        latest = [part for part in parts if part.name == 'environment_simulator: capture'][-1:]
        return bool(latest) and latest[0].level == level

    def is_read() -> bool:
        return bool(tester.count_subscribers('/image_raw/compressed'))

    network.wait_until(lambda: capture_is(DiagnosticStatus.OK))
    assert not is_read()
    until('')
    assert is_read()
    network.wait_until(lambda: not is_read())
    stage.follow_prints()
    network.wait_until(lambda: stage.prints)
    stage.x = None
    network.wait_until(lambda: capture_is(DiagnosticStatus.STALE))


def test_no_image_yet(
    start: Callable[..., None], stage: Stage, until: Callable[[str], CaptureAndScore.Response]
) -> None:
    stage.picture = None
    start()
    until('No image yet')


def test_a_stale_image_and_its_cure(
    start: Callable[..., None],
    stage: Stage,
    until: Callable[[str], CaptureAndScore.Response],
    jpeg: bytes,
) -> None:
    start()
    until('')
    stage.picture = None
    until('Stale image')
    stage.picture = jpeg
    until('')


def test_unknown_tf_names_the_frames(
    start: Callable[..., None], stage: Stage, until: Callable[[str], CaptureAndScore.Response]
) -> None:
    stage.x = None
    start()
    answer = until('TF unknown')
    assert "'odom'" in answer.error_reason
    assert "'base_footprint'" in answer.error_reason
    stage.x = 5.0
    assert until('').is_good


def test_stale_tf_and_its_cure(
    start: Callable[..., None], stage: Stage, until: Callable[[str], CaptureAndScore.Response]
) -> None:
    start()
    until('')
    stage.x = None
    until('Stale TF')
    stage.x = 1.0
    until('')


@pytest.mark.parametrize(
    'bad', [b'', b'\xff\xd8 no picture', b'\x00' * 5000], ids=['empty', 'cut', 'zeros']
)
def test_bad_pictures_and_their_cure(
    network: Network,
    start: Callable[..., None],
    stage: Stage,
    until: Callable[[str], CaptureAndScore.Response],
    jpeg: bytes,
    bad: Any,
) -> None:
    start()
    stage.follow_prints()
    until('')
    stage.picture = bad
    answer = until('Decode error')
    assert answer.score == 0.0
    stage.picture = jpeg
    until('')
    stage.prints.clear()
    network.wait_until(lambda: stage.prints)


def test_a_truncated_jpeg_does_no_harm(
    start: Callable[..., None],
    stage: Stage,
    until: Callable[[str], CaptureAndScore.Response],
    capture: Callable[[], CaptureAndScore.Response],
    jpeg: bytes,
) -> None:
    stage.picture = jpeg[: len(jpeg) // 3]
    start()
    capture()
    stage.picture = jpeg
    until('')


def test_what_the_adapter_says_is_heeded(
    start: Callable[..., None], stage: Stage, until: Callable[[str], CaptureAndScore.Response]
) -> None:
    start()
    until('')
    stage.say(moving=True, mast_is_open=True)
    assert until('Move in progress').error_reason == 'Move in progress'
    stage.say(moving=False, mast_is_open=False)
    assert until('Mast is closed').error_reason == 'Mast is closed'
    stage.say(moving=False, mast_is_open=True)
    until('')
    stage.status.publish(AdapterStatus(moving=AdapterStatus.YES, details='{garbled'))
    until('')


def test_a_silent_adapter_is_forgotten(
    start: Callable[..., None], stage: Stage, until: Callable[[str], CaptureAndScore.Response]
) -> None:
    start('executive.guards.adapter_status_max_age_s=1.0')
    stage.say(moving=True, mast_is_open=True)
    until('Move in progress')
    until('')


def test_in_variant_a_the_mast_does_not_count(
    start: Callable[..., None], stage: Stage, until: Callable[[str], CaptureAndScore.Response]
) -> None:
    start('variant=A')
    stage.say(moving=True, mast_is_open=None)
    until('Move in progress')
    stage.say(moving=False, mast_is_open=False)
    until('')


class InNamespace(NodeOptions):
    def node_arguments(self) -> dict[str, Any]:
        return {**super().node_arguments(), 'namespace': '/rover_1'}


def test_the_topic_is_named_in_full(network: Network, tester: Node) -> None:
    network.add(SimulatorNode(InNamespace(load_config(None), None)))
    client = tester.create_client(CaptureAndScore, '/rover_1/capture_and_score')
    network.wait_until(client.service_is_ready)
    future = client.call_async(CaptureAndScore.Request())
    network.wait_until(future.done)
    assert future.result().image_topic == '/rover_1/capture/image_raw/compressed'
