"""Faults on demand, over real DDS: each does what docs/faults.md says, and ends when asked."""

from __future__ import annotations

from typing import Any

from bt_executive_interfaces.msg import KeepOutZones
from curiosity_rosa_demo.srv import CaptureAndScore
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from network import Network
import numpy as np
import pytest
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState, CompressedImage, JointState
from std_srvs.srv import Empty
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection3DArray

from curiosity_sim.control_node import TRAJECTORIES, ControlNode
from curiosity_sim.image_pipeline import PictureError, decode
from curiosity_sim.rover_faults import CLOCK_JUMP_S
from curiosity_sim.rover_node import RoverNode
from curiosity_sim.simulator_node import CAPTURE, SimulatorNode
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings.injected_faults import BODY_FAULTS, SERVICE_FAULTS
from rover_common.errors import ConfigError
from rover_common.ros.qos import LATCHED

pytestmark = pytest.mark.ros

QUICK = 'rover.speed_factor=4.0'
ODOMETRY = '/model/curiosity_mars_rover/odometry'


class Bench:
    """Starts nodes with faults, switches faults, keeps what was heard."""

    def __init__(self, network: Network, tester: Node) -> None:
        self.network = network
        self.tester = tester

    def hear(self, type_: type, topic: str, qos: Any = 10) -> list[Any]:
        heard: list[Any] = []
        self.tester.create_subscription(type_, topic, heard.append, qos)
        return heard

    def set(self, node: str, *faults: str) -> tuple[bool, str]:
        kind = ParameterType.PARAMETER_STRING_ARRAY
        return self._set(node, ParameterValue(type=kind, string_array_value=list(faults)))

    def delete(self, node: str) -> tuple[bool, str]:
        """As `ros2 param delete` does it."""
        return self._set(node, ParameterValue(type=ParameterType.PARAMETER_NOT_SET))

    def _set(self, node: str, value: ParameterValue) -> tuple[bool, str]:
        request = SetParameters.Request(parameters=[ParameterMessage(name='faults', value=value)])
        client = self.tester.create_client(SetParameters, f'/{node}/set_parameters')
        self.network.wait_until(client.service_is_ready)
        future = client.call_async(request)
        self.network.wait_until(future.done)
        result = future.result().results[0]
        return result.successful, result.reason

    def control(self, *overrides: str) -> None:
        """Starts the control node; what it sends goes to a rover that hears it."""
        made = self.network.start(ControlNode, *overrides)
        self.network.wait_until(lambda: made.count_subscribers('/cmd_vel'))

    def next(self, heard: list[Any], count: int = 3) -> list[Any]:
        """The next few messages."""
        begin = len(heard)
        self.network.wait_until(lambda: len(heard) >= begin + count)
        return heard[begin:]


@pytest.fixture
def bench(network: Network, tester: Node) -> Bench:
    return Bench(network, tester)


def test_an_unknown_fault_is_refused_everywhere(bench: Bench) -> None:
    with pytest.raises(ConfigError, match='faults'):
        load_config(None, ['rover.faults=[camera_stolen]'])
    bench.network.start(RoverNode)
    done, reason = bench.set('rover', 'camera_stolen')
    assert not done
    assert "rover has no fault 'camera_stolen'; the nearest: camera_frozen" in reason
    assert bench.delete('rover') == (
        False,
        'faults cannot be deleted: set it to [] to end every fault.',
    )
    assert bench.set('rover', *BODY_FAULTS) == (True, '')
    assert bench.set('rover') == (True, '')


def test_the_page_lists_every_fault() -> None:
    page = (default_folder().parent / 'docs' / 'faults.md').read_text(encoding='utf-8')
    for name in (*BODY_FAULTS, *(f'{how}:SERVICE' for how in SERVICE_FAULTS)):
        assert f'| `{name}` |' in page
    # What becomes of a goal with each; the demo does not turn.
    for how in SERVICE_FAULTS:
        for service in ('move_forward', 'move_stop', *TRAJECTORIES, CAPTURE):
            assert f'`{how}:{service}`' in page


def lacks_its_end(picture: CompressedImage) -> bool:
    """Whether it cannot be decoded, or what is missing is one grey."""
    try:
        lower = decode(bytes(picture.data))[-20:]
    except PictureError:
        return True
    return bool(np.ptp(lower) < 8)


def test_camera_faults(bench: Bench) -> None:
    pictures = bench.hear(CompressedImage, '/image_raw/compressed')
    bench.network.start(RoverNode, QUICK, 'rover.faults=[camera_off]')
    bench.network.wait(0.6)
    assert not pictures
    assert bench.set('rover')[0]
    assert len(bench.next(pictures)[0].data) > 500
    bench.set('rover', 'camera_frozen')
    bench.next(pictures, 1)
    bench.control()
    bench.network.call(bench.tester, Empty, '/move_forward')
    frozen = bench.next(pictures, 6)
    assert len({bytes(picture.data) for picture in frozen[1:]}) == 1
    assert frozen[-1].header.stamp != frozen[1].header.stamp
    bench.set('rover', 'camera_corrupt')
    bench.network.wait_until(lambda: lacks_its_end(pictures[-1]))  # those of before may be late


def test_tf_faults(bench: Bench) -> None:
    transforms = bench.hear(TFMessage, '/tf', 100)
    odometry = bench.hear(Odometry, ODOMETRY)
    bench.network.start(RoverNode, QUICK, 'rover.faults=[tf_off]')
    bench.next(odometry, 5)
    assert not transforms
    bench.set('rover', 'tf_jumping')
    seen = [
        message.transforms[0].transform.translation.y for message in bench.next(transforms, 24)
    ]
    assert {round(y) for y in seen} == {0, 5}
    assert odometry[-1].pose.pose.position.y == 0.0


def test_wheels_that_slip_lose_most_of_the_way(bench: Bench) -> None:
    odometry = bench.hear(Odometry, ODOMETRY)
    bench.network.start(RoverNode, QUICK, 'rover.faults=[wheel_slip]')
    bench.control()
    bench.network.call(bench.tester, Empty, '/move_forward')
    bench.network.wait_until(lambda: odometry and odometry[-1].twist.twist.linear.x > 0.0)
    assert odometry[-1].twist.twist.linear.x == pytest.approx(0.2 * 0.485, abs=0.005)


def test_a_jammed_mast_stays_half_way(bench: Bench) -> None:
    joints = bench.hear(JointState, '/joint_states')
    bench.network.start(RoverNode, QUICK, 'rover.faults=[mast_jammed]')
    bench.control()
    bench.network.call(bench.tester, Empty, '/mast_close')
    bench.network.wait_until(lambda: joints and joints[-1].position[1] == -1.57)
    assert joints[-1].position[0] == pytest.approx(0.785)
    bench.set('rover')
    bench.network.call(bench.tester, Empty, '/mast_close')
    bench.network.wait_until(lambda: joints[-1].position[0] == 1.57)


def test_battery_faults(bench: Bench) -> None:
    battery = bench.hear(BatteryState, '/battery_state')
    bench.network.start(RoverNode, QUICK)
    assert bench.next(battery, 1)[0].percentage == pytest.approx(0.9, abs=0.01)
    bench.set('rover', 'battery_low')
    assert bench.next(battery, 2)[-1].percentage == pytest.approx(0.05)
    bench.set('rover', 'battery_lost')
    count = len(battery)
    bench.network.wait(0.7)
    assert len(battery) <= count + 1
    bench.set('rover')
    assert bench.next(battery, 2)[-1].percentage > 0.8


def test_the_clock_jumps_ahead_and_back(bench: Bench) -> None:
    clock = bench.hear(Clock, '/clock')
    bench.network.start(RoverNode, QUICK)
    before = bench.next(clock, 1)[0].clock.sec
    bench.set('rover', 'clock_jump')
    bench.network.wait_until(lambda: clock[-1].clock.sec >= before + CLOCK_JUMP_S)
    jumped = clock[-1].clock.sec
    bench.set('rover')
    bench.network.wait_until(lambda: clock[-1].clock.sec < jumped)


def test_a_service_hangs_until_its_fault_ends_while_others_answer(bench: Bench) -> None:
    bench.network.start(ControlNode, 'rover.faults=["hang:mast_close"]')
    client = bench.tester.create_client(Empty, '/mast_close')
    bench.network.wait_until(client.service_is_ready)
    hung = client.call_async(Empty.Request())
    bench.network.call(bench.tester, Empty, '/mast_open')
    bench.network.wait(0.3)
    assert not hung.done()
    bench.set('curiosity_control')
    bench.network.wait_until(hung.done)


def test_a_service_that_fails_does_nothing_and_a_late_one_is_late(bench: Bench) -> None:
    odometry = bench.hear(Odometry, ODOMETRY)
    bench.network.start(RoverNode)
    bench.control('rover.faults=["fail:move_forward", "late:turn_left", "hang:turn_right"]')
    bench.network.call(bench.tester, Empty, '/move_forward')
    bench.next(odometry, 4)
    assert odometry[-1].twist.twist.linear.x == 0.0
    client = bench.tester.create_client(Empty, '/turn_left')
    bench.network.wait_until(client.service_is_ready)
    late = client.call_async(Empty.Request())
    bench.network.wait_until(lambda: odometry[-1].twist.twist.linear.x > 0.0)
    assert not late.done()
    bench.network.wait_until(late.done)


def test_a_capture_that_fails_says_so(bench: Bench) -> None:
    bench.network.start(SimulatorNode, 'rover.faults=["fail:capture_and_score"]')
    answer = bench.network.call(bench.tester, CaptureAndScore, '/capture_and_score')
    assert (answer.ok, answer.error_reason) == (
        False,
        'A fault is switched on: fail:capture_and_score',
    )


def test_a_collision_and_the_faults_are_on_diagnostics(bench: Bench) -> None:
    reports = bench.hear(DiagnosticArray, '/diagnostics')
    bench.network.start(
        RoverNode,
        'rover.speed_factor=10.0',
        'rover.world=crater',
        'rover.start.x=5.0',
        'rover.faults=[camera_off]',
    )
    bench.control()
    bench.network.call(bench.tester, Empty, '/move_forward')

    def statuses() -> dict[str, DiagnosticStatus]:
        return {status.name: status for report in reports for status in report.status}

    bench.network.wait_until(
        lambda: (
            'rover: motion' in statuses() and 'Gatekeeper' in statuses()['rover: motion'].message
        )
    )
    assert statuses()['rover: motion'].level == DiagnosticStatus.ERROR
    assert statuses()['rover: faults'].message == 'camera_off'


def test_a_rock_that_is_removed_is_no_longer_detected_and_comes_back(bench: Bench) -> None:
    looks = bench.hear(Detection3DArray, '/detections')
    bench.network.start(RoverNode, QUICK, 'rover.world=crater', 'rover.detector.missed=0.0')

    def sees(name: str) -> bool:
        words = [each.results[0].hypothesis.class_id for each in looks[-1].detections]
        return any(each.startswith(f'rock/{name}: ') for each in words)

    bench.network.wait_until(lambda: looks and sees('Gatekeeper'))
    assert looks[-1].header.frame_id == 'base_footprint'
    assert bench.set('rover', 'removed:Gatekeeper') == (True, '')
    bench.network.wait_until(lambda: not sees('Gatekeeper') and sees('White Tooth'))
    assert bench.set('rover') == (True, '')
    bench.network.wait_until(lambda: sees('Gatekeeper'))
    done, reason = bench.set('rover', 'removed:Nobody')
    assert not done
    assert "rover has no fault 'removed:Nobody'" in reason


def test_the_keep_out_zones_of_the_world_are_told_to_late_listeners(bench: Bench) -> None:
    rover = bench.network.start(RoverNode, 'rover.world=crater')
    zones = bench.hear(KeepOutZones, '/keep_out_zones', LATCHED)
    bench.network.wait_until(lambda: zones)
    assert "Wanaka's slope" in [each.name for each in zones[-1].zones]
    assert rover.count_publishers('/keep_out_zones') == 1
