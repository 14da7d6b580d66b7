"""The nodes `rover` and `curiosity_control` over real DDS."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import Any

from builtin_interfaces.msg import Duration
import cv2
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist
from known import known
from nav_msgs.msg import Odometry
from network import Network
import numpy as np
import pytest
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState, CompressedImage, Image, JointState, LaserScan
from std_msgs.msg import Header
from std_srvs.srv import Empty
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import LIMIT_S

from curiosity_sim import control_node
from curiosity_sim.camera.camera import Camera
from curiosity_sim.control_node import ControlNode
from curiosity_sim.rover.kinematics import DriveCommand
from curiosity_sim.rover_node import RoverNode
from rover_common.geometry.transforms import TransformError
from rover_common.ros.tf_listener import TfListener

pytestmark = pytest.mark.ros

ODOMETRY = '/model/curiosity_mars_rover/odometry'


class Ears:
    """The latest message of each topic, and how many came."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.latest: dict[str, Any] = {}
        self.count: dict[str, int] = {}

    def listen(self, type_: type, topic: str) -> None:
        self.count[topic] = 0

        def take(message: Any) -> None:
            self.latest[topic] = message
            self.count[topic] += 1

        self._node.create_subscription(type_, topic, take, 10)

    @property
    def x(self) -> float:
        return float(self.latest[ODOMETRY].pose.pose.position.x)

    @property
    def speed(self) -> float:
        return float(self.latest[ODOMETRY].twist.twist.linear.x)

    def joint(self, name: str) -> float:
        joints = self.latest['/joint_states']
        return float(joints.position[joints.name.index(name)])


@pytest.fixture
def ears(tester: Node) -> Ears:
    made = Ears(tester)
    made.listen(Odometry, ODOMETRY)
    made.listen(JointState, '/joint_states')
    return made


@pytest.fixture
def rover(network: Network, ears: Ears) -> RoverNode:
    made: RoverNode = network.start(RoverNode)
    network.wait_until(lambda: ODOMETRY in ears.latest and '/joint_states' in ears.latest)
    return made


@pytest.fixture
def control(network: Network, rover: RoverNode) -> ControlNode:
    """The control node, once the rover hears it."""
    made: ControlNode = network.start(ControlNode)
    network.wait_until(lambda: made.count_subscribers('/cmd_vel'))
    assert rover.count_publishers('/cmd_vel')
    return made


@pytest.mark.usefixtures('control')
def test_forward_drives_and_stop_stops(network: Network, tester: Node, ears: Ears) -> None:
    network.call(tester, Empty, '/move_forward')
    network.wait_until(lambda: ears.x > 0.2)
    assert ears.speed == pytest.approx(0.485, abs=0.001)
    network.call(tester, Empty, '/move_stop')
    network.wait_until(lambda: ears.speed == 0.0)
    stood = ears.x
    network.wait(0.5)
    assert ears.x == stood


@pytest.mark.usefixtures('control')
def test_a_turn_bends_to_its_side(network: Network, tester: Node, ears: Ears) -> None:
    network.call(tester, Empty, '/turn_right')
    network.wait_until(lambda: ears.x > 0.2)
    twist = ears.latest[ODOMETRY].twist.twist
    assert twist.angular.z == pytest.approx(-twist.linear.x / 7.5)
    assert ears.latest[ODOMETRY].pose.pose.position.y < 0.0


@pytest.mark.usefixtures('control')
def test_the_motion_goes_on_when_its_caller_is_gone(network: Network, ears: Ears) -> None:
    caller = network.add(Node('caller'))
    network.call(caller, Empty, '/move_forward')
    network.remove(caller)
    ears.listen(Twist, '/cmd_vel')
    network.wait_until(lambda: ears.count['/cmd_vel'] >= 3 and ears.x > 0.2)
    assert ears.latest['/cmd_vel'].linear.x == 2.0


def test_the_wheels_keep_their_command_even_without_the_control_node(
    network: Network, tester: Node, control: ControlNode, ears: Ears
) -> None:
    network.call(tester, Empty, '/move_forward')
    network.wait_until(lambda: ears.speed > 0.0)
    network.remove(control)
    here = ears.x
    network.wait_until(lambda: ears.x > here + 0.2)


@pytest.mark.usefixtures('control')
def test_stop_sends_one_zero_and_falls_silent(network: Network, tester: Node) -> None:
    heard: list[Twist] = []
    tester.create_subscription(Twist, '/cmd_vel', heard.append, 10)
    network.call(tester, Empty, '/turn_left')
    network.wait_until(lambda: len(heard) >= 2)
    assert (heard[-1].linear.x, heard[-1].angular.z) == (1.0, 0.4)
    network.call(tester, Empty, '/move_stop')
    network.wait_until(lambda: heard[-1].linear.x == 0.0)
    network.wait(0.35)
    assert [twist.linear.x for twist in heard].count(0.0) == 1


@pytest.mark.usefixtures('control')
def test_the_mast_closes_opens_and_sweeps(network: Network, tester: Node, ears: Ears) -> None:
    network.call(tester, Empty, '/mast_close')
    network.wait_until(lambda: ears.joint('mast_p_joint') == 1.57)
    assert ears.joint('mast_02_joint') == -1.57
    network.call(tester, Empty, '/mast_open')
    network.wait_until(lambda: ears.joint('mast_p_joint') == 0.0)
    assert ears.joint('mast_02_joint') == -0.5
    network.call(tester, Empty, '/mast_rotate')
    network.wait_until(lambda: ears.joint('mast_02_joint') == -6.28)


def test_a_trajectory_that_is_asked_for_before_the_rover_is_there_waits_for_it(
    network: Network, tester: Node, ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_node, 'LISTENER_WAIT_S', LIMIT_S)
    network.start(ControlNode)
    client = tester.create_client(Empty, '/mast_close')
    network.wait_until(client.service_is_ready)
    answer = client.call_async(Empty.Request())
    network.wait(0.2)
    assert not answer.done()
    network.start(RoverNode)
    network.wait_until(answer.done)
    network.wait_until(lambda: '/joint_states' in ears.latest and ears.joint('mast_p_joint') > 1.5)


def test_a_trajectory_without_a_rover_is_told_as_lost(
    network: Network,
    tester: Node,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(control_node, 'LISTENER_WAIT_S', 0.0)
    network.start(ControlNode)
    network.call(tester, Empty, '/mast_close')
    said = 'mast_close moves nothing: no subscriber of /mast_joint_trajectory_controller/'
    assert said in capfd.readouterr().err


@pytest.mark.usefixtures('rover')
def test_a_bad_trajectory_does_not_end_the_rover(
    network: Network, tester: Node, ears: Ears
) -> None:
    wheel = tester.create_publisher(
        JointTrajectory, '/mast_joint_trajectory_controller/joint_trajectory', 10
    )
    network.wait_until(wheel.get_subscription_count)
    point = JointTrajectoryPoint(positions=[1.0, 2.0], time_from_start=Duration(sec=1))
    wheel.publish(JointTrajectory(joint_names=['mast_p_joint'], points=[point]))
    point = JointTrajectoryPoint(positions=[0.5], time_from_start=Duration(nanosec=100_000_000))
    wheel.publish(JointTrajectory(joint_names=['mast_p_joint'], points=[point]))
    network.wait_until(lambda: ears.joint('mast_p_joint') == 0.5)


def test_frames_are_named_as_gazebo_and_tf2_name_them(
    network: Network, tester: Node, ears: Ears
) -> None:
    ears.listen(TFMessage, '/tf')
    tf = TfListener(tester)
    network.start(RoverNode, 'curiosity.rover.start={x: 1.5, y: -2.0, yaw_rad: 0.5}')

    def known() -> bool:
        with contextlib.suppress(TransformError):
            return bool(tf.lookup('odom', 'base_footprint')) and ears.count[ODOMETRY] > 0
        return False

    network.wait_until(lambda: known() and '/tf' in ears.latest)
    odometry = ears.latest[ODOMETRY]
    assert (odometry.header.frame_id, odometry.child_frame_id) == ('/odom', '/base_footprint')
    names = {
        name
        for transform in ears.latest['/tf'].transforms
        for name in (transform.header.frame_id, transform.child_frame_id)
    }
    assert names == {'odom', 'base_footprint', 'camera_link', 'lidar_link'}
    pose = tf.lookup('odom', 'base_footprint')
    assert (pose.x, pose.y, pose.yaw) == pytest.approx((1.5, -2.0, 0.5))
    camera = tf.lookup('base_footprint', 'camera_link')
    ahead = camera.rotated(1.0, 0.0, 0.0)
    assert ahead[2] < 0.0 < ahead[0]  # ahead and a little down


def counted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The views that are drawn from now on."""
    draw, drawn = Camera.picture, []

    def picture(camera: Camera, *view: Any) -> Any:
        drawn.append(view)
        return draw(camera, *view)

    monkeypatch.setattr(Camera, 'picture', picture)
    return drawn


def test_pictures_are_drawn_only_for_listeners(
    network: Network, rover: RoverNode, ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = counted(monkeypatch)
    network.wait(0.4)
    assert not drawn
    ears.listen(CompressedImage, '/image_raw/compressed')
    network.wait_until(lambda: ears.count['/image_raw/compressed'] >= 2)
    message = ears.latest['/image_raw/compressed']
    picture = known(cv2.imdecode(np.frombuffer(message.data, np.uint8), cv2.IMREAD_COLOR))
    assert picture.shape == (120, 160, 3)
    assert message.header.frame_id == 'camera_link'
    ears.listen(Image, '/image_raw')
    network.wait_until(lambda: ears.count['/image_raw'])
    raw = ears.latest['/image_raw']
    assert (raw.width, raw.height, raw.encoding, len(raw.data)) == (160, 120, 'bgr8', 57600)


def test_what_has_not_moved_is_not_drawn_again(
    network: Network, tester: Node, rover: RoverNode, ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = counted(monkeypatch)
    heard: list[CompressedImage] = []
    tester.create_subscription(CompressedImage, '/image_raw/compressed', heard.append, 10)
    network.wait_until(lambda: len(heard) >= 4)
    assert len(drawn) == 1
    stamps = [each.header.stamp.sec * 10**9 + each.header.stamp.nanosec for each in heard]
    assert stamps == sorted(set(stamps))
    rover._rover.command = DriveCommand(2.0, 0.0)
    network.wait_until(lambda: len(drawn) >= 3)
    network.wait_until(lambda: heard[-1].data != heard[0].data)


def test_a_slow_camera_loses_pictures_and_not_time(
    network: Network, rover: RoverNode, ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing, go_on = threading.Event(), threading.Event()
    draw, views = Camera.picture, []

    def slow(camera: Camera, *view: Any) -> Any:
        views.append(view)
        drawing.set()
        assert go_on.wait(60.0)
        return draw(camera, *view)

    monkeypatch.setattr(Camera, 'picture', slow)
    ears.listen(CompressedImage, '/image_raw/compressed')
    network.wait_until(drawing.is_set)
    rover._rover.command = DriveCommand(2.0, 0.0)
    here = ears.x
    network.wait_until(lambda: ears.x > here + 0.3)  # six pictures' time
    assert len(views) == 1
    go_on.set()
    network.wait_until(lambda: ears.count['/image_raw/compressed'] >= 2)
    # The next one shows where the rover is now, not where it was when the others were due.
    assert views[1][1].x > here + 0.2


@pytest.mark.usefixtures('rover')
def test_other_sensors(network: Network, ears: Ears) -> None:
    ears.listen(LaserScan, '/scan')
    ears.listen(BatteryState, '/battery_state')
    ears.listen(Clock, '/clock')
    network.wait_until(lambda: all(ears.count.values()))
    scan = ears.latest['/scan']
    assert len(scan.ranges) == 640
    assert scan.range_min == 1.0
    assert scan.angle_min + 639 * scan.angle_increment == pytest.approx(scan.angle_max, abs=1e-3)
    assert 0.0 < ears.latest['/battery_state'].percentage <= 1.0


def test_without_the_messages_of_a_detector_the_rover_has_none(
    network: Network, ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, 'curiosity_sim.detection_topic', raising=False)
    monkeypatch.setitem(sys.modules, 'vision_msgs.msg', None)  # as if not installed
    node = network.start(RoverNode)
    ears.listen(BatteryState, '/battery_state')
    network.wait_until(lambda: all(ears.count.values()))
    assert not any(each.topic.endswith('detections') for each in node.publishers)


def test_simulated_time_passes_no_faster_than_asked(
    network: Network, tester: Node, ears: Ears
) -> None:
    ears.listen(Clock, '/clock')
    network.start(RoverNode, 'curiosity.rover.speed_factor=8.0', 'use_sim_time=true')
    network.wait_until(lambda: '/clock' in ears.latest and ODOMETRY in ears.latest)

    def simulated() -> float:
        clock = ears.latest['/clock'].clock
        return float(clock.sec + clock.nanosec * 1e-9)

    begin, began = simulated(), time.monotonic()
    network.wait_until(lambda: simulated() > begin + 8.0)
    assert time.monotonic() - began > 0.9  # on a busy machine it may be slower, never faster

    def stamped() -> float:
        stamp = ears.latest[ODOMETRY].header.stamp
        return float(stamp.sec + stamp.nanosec * 1e-9)

    network.wait_until(lambda: stamped() == pytest.approx(simulated(), abs=1.0))


def test_while_time_waits_for_a_follower_it_is_told_again(network: Network, tester: Node) -> None:
    acks = tester.create_publisher(Header, '/clock_ack', 10)
    times: list[int] = []

    def hear(clock: Clock) -> None:
        times.append(clock.clock.sec * 10**9 + clock.clock.nanosec)
        acks.publish(Header(frame_id='tester'))  # alive, and still at the beginning

    tester.create_subscription(Clock, '/clock', hear, 10)
    network.start(RoverNode, 'curiosity.rover.speed_factor=8.0', 'use_sim_time=true')
    network.wait_until(lambda: len(times) >= 4 and times[-1] == times[-4])


def test_another_source_of_odometry_is_told_on_diagnostics(network: Network, tester: Node) -> None:
    statuses = {}

    def heard(array: DiagnosticArray) -> None:
        statuses.update({status.name: status for status in array.status})

    tester.create_subscription(DiagnosticArray, '/diagnostics', heard, 10)
    network.start(RoverNode)
    network.wait_until(lambda: 'rover: other rovers' in statuses)
    assert statuses['rover: other rovers'].level == DiagnosticStatus.OK
    tester.create_publisher(Odometry, ODOMETRY, 10)
    network.wait_until(lambda: statuses['rover: other rovers'].level == DiagnosticStatus.ERROR)
    assert f'{tester.get_name()} publishes odometry as well' in (
        statuses['rover: other rovers'].message
    )
