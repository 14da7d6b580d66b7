"""The action over real DDS, against a rover that drives, in time of its own.

Its clock is also the steady and the system clock of adapter and navigator, so that a busy machine
makes everything slower, and nobody late.
"""

from __future__ import annotations

import json
import math
from typing import Any

from action_msgs.msg import GoalStatus
from action_servers import in_executor
from bt_executive_interfaces.action import NavigateToPose
from bt_executive_interfaces.msg import AdapterStatus, KeepOutZones
from builtin_interfaces.msg import Time
from nav_msgs.msg import Path
import numpy as np
import pytest
from rclpy.action import ActionClient
from rclpy.clock import Clock as RosClock
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, LaserScan
from status_messages import facts_of
from std_srvs.srv import Empty, SetBool
from tf2_msgs.msg import TFMessage

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import MOST_ZONES
from rover_common.geometry.transforms import Transform
from rover_common.ros.keep_out_messages import zones_to_ros
from rover_common.ros.qos import LATCHED
from rover_common.ros.tf_listener import TF_QOS, pose_to_ros

pytestmark = pytest.mark.ros

SPEEDS = {'move_forward': (0.485, 0.0), 'turn_left': (0.243, 7.5), 'turn_right': (0.243, -7.5)}
STEP_S = 0.1  # of the rover's time
FACTOR = 10.0
SCAN_MAX_AGE_S = 0.5  # steady time, in which ten scans come
RAYS = 180
CRATER = {'name': 'crater', 'polygon': [[12.0, 6.0], [18.0, 6.0], [18.0, 12.0], [12.0, 12.0]]}
CLIFF = KeepOutZone(name='cliff', polygon=((-9.0, 6.0), (-8.0, 6.0), (-8.0, 12.0)))


def stamp_of(time_s: float) -> Time:
    return Time(sec=int(time_s), nanosec=round(time_s % 1.0 * 1e9) % 10**9)


class DrivingRover(Node):
    """Latched motions on a plain; /clock, tf, joint states and scans of the rocks on it."""

    def __init__(self, rocks: list[tuple[float, float, float]]) -> None:
        super().__init__('driving_rover')
        self.rocks = rocks
        self.x = self.y = self.yaw = self.time_s = 0.0
        self.tilt = 1.57
        self.motion = ''
        self.asked: list[str] = []
        self.nearest = math.inf
        self.scan_age_s = 0.0
        self.scan_repeated = False
        self._steps = 0
        self._clock_topic = self.create_publisher(Clock, 'clock', 10)
        self._tf = self.create_publisher(TFMessage, 'tf', TF_QOS)
        self._joints = self.create_publisher(JointState, 'joint_states', 10)
        self._scans = self.create_publisher(LaserScan, 'scan', 1)
        for name in (*SPEEDS, 'move_stop', 'mast_open', 'mast_close', 'mast_rotate'):
            self.create_service(Empty, name, self._serve(name))
        steady = RosClock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(STEP_S / FACTOR, self._step, clock=steady)

    def steady(self) -> float:
        """Steady time in s: the rover's own time runs faster."""
        return self.time_s / FACTOR

    def _serve(self, name: str) -> Any:
        def serve(_request: Empty.Request, response: Empty.Response) -> Empty.Response:
            self.motion = name if name in SPEEDS else ''
            self.asked.append(name)
            return response

        return serve

    def _step(self) -> None:
        self._steps += 1
        self.time_s += STEP_S
        speed, radius = SPEEDS.get(self.motion, (0.0, 0.0))
        turned = speed * STEP_S / radius if radius else 0.0
        self.x += speed * STEP_S * math.cos(self.yaw + turned / 2.0)
        self.y += speed * STEP_S * math.sin(self.yaw + turned / 2.0)
        self.yaw += turned
        for x, y, radius in self.rocks:
            self.nearest = min(self.nearest, math.hypot(x - self.x, y - self.y) - radius)
        message = Clock()
        message.clock = stamp_of(self.time_s)
        self._clock_topic.publish(message)
        self._tell()

    def _tell(self) -> None:
        place = Transform.planar(self.x, self.y, self.yaw, stamp=self.time_s)
        head = Transform(z=1.0, stamp=self.time_s)
        self._tf.publish(
            TFMessage(
                transforms=[
                    pose_to_ros('/odom', '/base_footprint', place),
                    pose_to_ros('base_footprint', 'lidar', head),
                ]
            )
        )
        names = ['mast_p_joint', 'mast_02_joint']
        self._joints.publish(JointState(name=names, position=[self.tilt, -1.57]))
        if self._steps % 5 == 0:
            scan = LaserScan(angle_min=-math.pi, angle_max=math.pi, range_min=1.0, range_max=30.0)
            scan.header.stamp, scan.header.frame_id = self._scan_stamp(), 'lidar'
            scan.angle_increment = math.tau / (RAYS - 1)
            scan.ranges = self._ranges().tolist()
            self._scans.publish(scan)

    def _scan_stamp(self) -> Any:
        if not self.scan_repeated:
            self._scanned_at = stamp_of(self.time_s - self.scan_age_s)
        return self._scanned_at

    def _ranges(self) -> Any:
        angles = np.linspace(-math.pi, math.pi, RAYS) + self.yaw
        ranges = np.full(RAYS, np.inf)
        for x, y, radius in self.rocks:
            dx, dy = x - self.x, y - self.y
            along = dx * np.cos(angles) + dy * np.sin(angles)
            inside = radius**2 - (dx * dx + dy * dy - along * along)
            hit = along - np.sqrt(np.maximum(inside, 0.0))
            ranges = np.minimum(ranges, np.where((inside > 0.0) & (hit > 1.0), hit, np.inf))
        return ranges


class Traveller(Node):
    """Sends goals and follows the status."""

    def __init__(self) -> None:
        super().__init__('traveller')
        self.status: dict[str, Any] = {}
        self.feedback: list[Any] = []
        self.accepted: Any = None
        self.answer: Any = None
        self.paths: list[Path] = []
        self.zones: list[str] = []
        self.create_subscription(AdapterStatus, 'adapter/status', self._take, 1)
        every = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(Path, 'adapter/navigation_path', self.paths.append, every)
        self.create_subscription(KeepOutZones, 'adapter/keep_out', self._take_zones, LATCHED)
        self._told = self.create_publisher(KeepOutZones, 'keep_out_zones', LATCHED)
        self._client = ActionClient(self, NavigateToPose, 'adapter/navigate_to_pose')
        self._manual = self.create_client(SetBool, 'adapter/manual_mode')
        self._rover_forward = self.create_client(Empty, 'move_forward')

    def _take(self, message: AdapterStatus) -> None:
        self.status = facts_of(message)

    def _take_zones(self, message: KeepOutZones) -> None:
        self.zones = [zone.name for zone in message.zones]

    def tell_zones(self, *zones: KeepOutZone) -> None:
        self._told.publish(zones_to_ros(zones))

    def ready(self) -> bool:
        return bool(
            self._client.server_is_ready()
            and self._manual.service_is_ready()
            and self._rover_forward.service_is_ready()
            and self.status.get('mast') not in (None, 'unknown')
            and self.status['rover_x'] is not None
        )

    def send(self, x: float, y: float, **more: float) -> None:
        self.accepted = self.answer = None
        goal = NavigateToPose.Goal(x=x, y=y, **more)
        in_executor(
            self,
            lambda: self._client.send_goal_async(goal, self._note).add_done_callback(
                self._accepted
            ),
        )

    def cancel(self) -> None:
        in_executor(self, self.accepted.cancel_goal_async)

    def _note(self, message: Any) -> None:
        self.feedback.append(message.feedback)

    def _accepted(self, future: Any) -> None:
        self.accepted = future.result()
        assert self.accepted.accepted
        self.accepted.get_result_async().add_done_callback(self._ended)

    def _ended(self, future: Any) -> None:
        self.answer = future.result()

    def switch_manual(self, wanted: bool) -> Any:
        return self._manual.call_async(SetBool.Request(data=wanted))

    def drive_past_the_adapter(self) -> None:
        self._rover_forward.call_async(Empty.Request())


@pytest.fixture
def driving(world: Any) -> DrivingRover:
    rover = DrivingRover([(8.0, 2.0, 0.9)])
    world.add(rover)
    return rover


@pytest.fixture
def traveller(world: Any, driving: DrivingRover) -> Traveller:
    made: Traveller = world.add(Traveller())
    settings = (
        'executive.use_sim_time=true',
        f'executive.keep_out={json.dumps([CRATER])}',
        f'curiosity.navigation.scan.max_age_s={SCAN_MAX_AGE_S}',
    )
    clock = {'steady': driving.steady, 'system_time': driving.steady}
    world.adapter(*settings, **clock)
    world.navigator(*settings, **clock)
    world.wait_until(lambda: made.ready() and driving.time_s > 2.0)
    return made


def test_a_goal_behind_a_rock_is_reached_with_feedback(
    world: Any, driving: DrivingRover, traveller: Traveller
) -> None:
    traveller.send(15.0, 0.0)
    world.wait_until(lambda: traveller.status['motion'] == 'navigate_to_pose')
    world.wait_until(lambda: traveller.answer)
    result = traveller.answer.result
    assert (traveller.answer.status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, '')
    assert math.hypot(driving.x - 15.0, driving.y) <= 0.5
    assert result.distance <= 0.5
    assert driving.nearest >= 1.3
    assert driving.motion == ''
    planned, shown = [len(each.poses) for each in traveller.paths], traveller.paths[1]
    assert planned[0] == 0, 'a late listener learns that there is no path'
    assert all(planned[1:-1])
    world.wait_until(lambda: not traveller.paths[-1].poses)
    begin, end = shown.poses[0].pose, shown.poses[-1].pose.position
    assert shown.header.frame_id == 'odom'
    assert math.hypot(begin.position.x, begin.position.y) < 0.2
    assert begin.orientation.w == pytest.approx(1.0, abs=0.01)
    assert math.hypot(end.x - 15.0, end.y) <= 0.5
    left = [each.distance_left for each in traveller.feedback]
    assert left[0] > 12.0
    assert left[-1] < left[0]
    seconds = [each.time_left for each in traveller.feedback]
    assert seconds[0] > left[0] / 0.485
    assert seconds[-1] < seconds[0]
    world.wait_until(lambda: not traveller.status['moving'])


def test_a_cancelled_goal_stops_the_rover(
    world: Any, driving: DrivingRover, traveller: Traveller
) -> None:
    traveller.send(40.0, 20.0)
    world.wait_until(lambda: driving.motion and traveller.accepted)
    traveller.cancel()
    world.wait_until(lambda: not driving.motion)
    world.wait_until(lambda: traveller.answer)
    assert traveller.answer.status == GoalStatus.STATUS_CANCELED
    assert traveller.answer.result.error_code == 'NAV_CANCELLED'
    assert driving.motion == ''


def test_an_open_mast_and_a_second_goal_are_refused(
    world: Any, driving: DrivingRover, traveller: Traveller
) -> None:
    traveller.send(40.0, 20.0)
    world.wait_until(lambda: driving.motion)
    traveller.send(5.0, 5.0)
    world.wait_until(lambda: traveller.answer)
    assert traveller.answer.status == GoalStatus.STATUS_ABORTED
    assert traveller.answer.result.error_code == 'NAV_GOAL_REJECTED'
    assert traveller.answer.result.message == 'Move in progress'
    driving.tilt = 0.6
    world.wait_until(lambda: traveller.answer.result.error_code == 'NAV_STOPPED')
    assert driving.motion == ''
    assert 'Need to close mast' in traveller.answer.result.message
    traveller.send(5.0, 5.0)
    world.wait_until(lambda: traveller.answer)
    assert traveller.answer.result.message == 'Need to close mast'


def test_a_scan_that_is_repeated_or_old_is_none(
    world: Any, driving: DrivingRover, traveller: Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('curiosity_navigation.navigator.SETTLE_S', SCAN_MAX_AGE_S)
    world.wait_until(lambda: driving.time_s > 6.0)
    for repeated, age_s in ((True, 0.0), (False, 5.0)):
        driving.scan_repeated, driving.scan_age_s = repeated, age_s
        began = driving.steady()
        world.wait_until(lambda began=began: driving.steady() > began + 2.0 * SCAN_MAX_AGE_S)
        traveller.send(17.0, 1.0)
        world.wait_until(lambda: traveller.answer)
        assert traveller.answer.result.error_code == 'NAV_GOAL_REJECTED'
        assert 'no usable scan came' in traveller.answer.result.message
    driving.scan_repeated, driving.scan_age_s = False, 0.0
    traveller.send(17.0, 1.0)
    world.wait_until(lambda: driving.motion)


def test_zones_of_the_configuration_and_of_the_topic_are_kept_out_of_and_told(
    world: Any, driving: DrivingRover, traveller: Traveller
) -> None:
    world.wait_until(lambda: traveller.zones == ['crater'])
    published = [CLIFF] * MOST_ZONES  # as many as a topic may bring, beside the configured one
    traveller.tell_zones(*published)
    world.wait_until(lambda: traveller.zones == ['crater', *(each.name for each in published)])
    for name, x in (('crater', 15.0), ('cliff', -8.2)):
        traveller.send(x, 9.0)
        world.wait_until(lambda: traveller.answer)
        assert traveller.answer.result.error_code == 'NAV_GOAL_REJECTED'
        assert traveller.answer.result.message == f'The goal is too near to keep-out zone {name!r}'
    assert driving.x == 0.0


def test_a_motion_that_nobody_asked_for_is_stopped_unless_in_manual_mode(
    world: Any, driving: DrivingRover, traveller: Traveller
) -> None:
    traveller.drive_past_the_adapter()
    world.wait_until(lambda: traveller.status['motion'] == 'unasked motion')
    assert driving.motion == 'move_forward'
    off = traveller.switch_manual(False)
    world.wait_until(off.done)
    assert off.result().success
    world.wait_until(lambda: driving.motion == '')
    world.wait_until(lambda: not traveller.status['moving'])
    assert traveller.status['deadman'] in ('silent', 'fired')

    traveller.drive_past_the_adapter()
    world.wait_until(lambda: driving.asked.count('move_forward') == 2)
    world.wait_until(lambda: not driving.motion)
    assert 'nobody asked the adapter for it' in traveller.status['last_error_reason']
    on = traveller.switch_manual(True)
    world.wait_until(on.done)
    assert on.result().success
    world.wait_until(lambda: traveller.status['manual_mode'])
