"""Node `rover`: stands in for Gazebo with its wheel and mast controllers, at their own border.

Subscribes: cmd_vel (`geometry_msgs/msg/Twist`), the mast controller's trajectories
(`trajectory_msgs/msg/JointTrajectory`), and, if simulated time is faster than real time, how far
the nodes that follow it have come (clock_ack, `std_msgs/msg/Header`).
Publishes: odometry (`nav_msgs/msg/Odometry`), tf (`tf2_msgs/msg/TFMessage`), joint_states
(`sensor_msgs/msg/JointState`), scan (`sensor_msgs/msg/LaserScan`), battery_state
(`sensor_msgs/msg/BatteryState`), clock (`rosgraph_msgs/msg/Clock`), and, only while somebody
listens, the camera's pictures (`sensor_msgs/msg/CompressedImage`, `sensor_msgs/msg/Image`) and
what of the world's named things is in view (`vision_msgs/msg/Detection3DArray`);
what stops the rover and which faults are on (diagnostics, `diagnostic_msgs/msg/DiagnosticArray`);
the world's keep-out zones (`std_msgs/msg/String`, JSON).
Parameters: faults, see fault_injection.py; and its configuration, read-only.
Names: topics.yaml, sections `rover`, `images` and `safety`.

Simulated time starts at zero and passes `rover.speed_factor` times as fast as steady time. It
is what /clock carries; stamps are of the node's own clock, as those of every other node. Fast
time waits for who follows it (followers.py).
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
import sys
from typing import TYPE_CHECKING, Any

from builtin_interfaces.msg import Time
import cv2
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.clock import Clock as RosClock
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState, CompressedImage, Image, JointState, LaserScan
from std_msgs.msg import Header, String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory

from curiosity_sim import messages
from curiosity_sim.camera.camera import Camera
from curiosity_sim.fault_injection import (
    ROVER_FAULTS,
    apply_to_body,
    clock_offset,
    removals,
    removed,
    spoil_jpeg,
    tf_offset,
)
from curiosity_sim.image_pipeline import Pixels, encode
from curiosity_sim.rover.attitude import Attitude
from curiosity_sim.rover.detector import Detector
from curiosity_sim.rover.followers import Followers
from curiosity_sim.rover.lidar import Lidar
from curiosity_sim.rover.mast import TrajectoryError
from curiosity_sim.rover.mast_geometry import CameraPose, camera_pose, head_pose, lidar_pose
from curiosity_sim.rover.real_time_factor import STEP_S, RealTimeFactor
from curiosity_sim.rover.rover import Rover
from curiosity_sim.rover.schedule import Schedule
from curiosity_sim.rover.world import World, make_world
from rover_common.geometry.pose2d import Pose2D
from rover_common.geometry.zones import zones_to_json
from rover_common.health import Health, Part, error, warning
from rover_common.printable import one_line
from rover_common.ros.conversions import seconds_from_ros, seconds_to_ros
from rover_common.ros.diagnostics import report_diagnostics
from rover_common.ros.fault_injection import FaultSwitch
from rover_common.ros.latched import LATCHED
from rover_common.ros.names import relative
from rover_common.ros.parameters import ConfigParameters
from rover_common.ros.run_node import NodeOptions, run_node

if TYPE_CHECKING:
    from curiosity_sim.detection_topic import DetectionTopic

# Steady; how often the simulation catches up with the clock: two steps at most, or 4 ms. Every
# node takes each /clock. A command makes up for what is due before it holds.
LONGEST_TICK_S, SHORTEST_TICK_S = 2 * STEP_S, 0.004
# Steady; to its followers time is told again so often: /clock is best effort, and who missed the
# latest while time waits for it would neither acknowledge it nor get another.
TELL_AGAIN_S = 0.05
# Periods in simulated s. Odometry and scan as in the demo.
ODOMETRY_S = SCAN_S = 0.1
JOINTS_S = 0.05
BATTERY_S = 1.0
PARAMETERS = tuple(
    ('curiosity', 'rover', key)
    for key in ('seed', 'speed_factor', 'start', 'rocks', 'camera', 'detector', 'battery')
)
CAMERA_FRAME = 'camera_link'
LIDAR_FRAME = 'lidar_link'
JPEG_QUALITY = 90
THREAD_TURN_S = 0.0005  # so long the camera's thread may hold up the one that steps
NEWEST = QoSProfile(depth=1)
ACKS = QoSProfile(depth=10)

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


class RoverNode(Node):
    """The rover and its world, in simulated time."""

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('rover', **options.node_arguments())
        config = ConfigParameters(self, options.config, PARAMETERS).config
        settings = config.curiosity.rover
        self._sim_stamps = config.executive.use_sim_time
        self._frames = (config.topics.tf.world_frame, config.topics.tf.base_frame)
        self._whole_world = self._world = make_world(settings)
        self._rover = Rover(settings, self._world)
        self._camera = Camera(settings.camera, self._world)
        self._pictured = self._world  # by the camera
        self._lidar = Lidar(self._world)
        self._detector = Detector(settings.detector, self._world)
        known = (*ROVER_FAULTS, *removals(self._world))
        self._faults = FaultSwitch(self, known, settings, self._take_faults)
        self._blocked_by: str | None = None
        report_diagnostics(
            self,
            [
                Part('motion', self._health, self._figures),
                Part('time', self._time_health, self._time_figures),
                Part('other rovers', self._others_health),
                self._faults.part(),
            ],
        )
        self._steps = 0
        # Drawing has a thread of its own: a picture takes longer than many steps of fast time.
        self._studio = ThreadPoolExecutor(max_workers=1, thread_name_prefix='camera')
        self._drawing: Future[None] | None = None
        self._rests_until = 0.0  # steady
        self._still: Still | None = None
        self._advertise(options)
        self._schedule = Schedule()
        self._schedule.every(ODOMETRY_S, self._publish_pose)
        self._schedule.every(JOINTS_S, self._publish_joints)
        self._schedule.every(SCAN_S, self._publish_scan)
        self._schedule.every(BATTERY_S, self._publish_battery)
        self._schedule.every(1.0 / settings.camera.rate_hz, self._publish_picture)
        self._schedule.every(1.0 / settings.detector.rate_hz, self._publish_detections)
        # The steady clock: on simulated time, the node's own would wait for this very node.
        self._steady = RosClock(clock_type=ClockType.STEADY_TIME)
        self._pace = RealTimeFactor(settings.speed_factor, self._steady_s())
        self._told_slow = False
        self._followers = Followers()
        if settings.speed_factor > 1.0:
            self.create_subscription(Header, 'clock_ack', self._hear_follower, ACKS)
            self.create_timer(TELL_AGAIN_S, self._tell_time, clock=self._steady)
        tick = min(max(LONGEST_TICK_S / settings.speed_factor, SHORTEST_TICK_S), LONGEST_TICK_S)
        self.create_timer(tick, self._tick, clock=self._steady)
        self.get_logger().info(
            f'World {settings.world.name!r}, seed {self._world.seed}, '
            f'{len(self._world.rocks)} rocks, '
            f'{settings.speed_factor:g} times real time'
        )

    def _advertise(self, options: NodeOptions) -> None:
        topics = options.config.topics
        names = topics.rover
        # The newest only: a stop does not wait behind the commands that it ends.
        self.create_subscription(Twist, relative(names.cmd_vel), self._drive, NEWEST)
        self.create_subscription(
            JointTrajectory, relative(names.mast_trajectory), self._move_mast, 10
        )
        self._odometry = self.create_publisher(Odometry, relative(names.odometry), 10)
        self._tf = self.create_publisher(TFMessage, 'tf', 100)
        self._joints = self.create_publisher(JointState, relative(names.joint_states), 10)
        self._scan = self.create_publisher(LaserScan, relative(names.scan), NEWEST)
        self._battery = self.create_publisher(BatteryState, relative(names.battery_state), 10)
        zones = self.create_publisher(String, relative(topics.safety.keep_out), LATCHED)
        keep_out = options.config.curiosity.rover.world.keep_out
        if keep_out:
            zones.publish(String(data=zones_to_json(keep_out)))
        self._clock_topic = self.create_publisher(Clock, 'clock', 10)
        self._jpeg = self.create_publisher(
            CompressedImage, relative(topics.images.input_compressed), NEWEST
        )
        self._image = self.create_publisher(Image, relative(names.image_raw), NEWEST)
        self._detections = self._detection_topic(relative(names.detections))

    def _detection_topic(self, name: str) -> DetectionTopic | None:
        """The detector's topic; None where its messages are not installed."""
        try:
            from curiosity_sim.detection_topic import DetectionTopic
        except ModuleNotFoundError:
            return None
        return DetectionTopic(self.create_publisher(DetectionTopic.MESSAGE, name, NEWEST))

    def _take_faults(self, active: frozenset[str]) -> None:
        apply_to_body(self._rover, active)
        world = self._whole_world.without(removed(active))
        if world == self._world:
            return
        self._world = world
        self._rover.take_world(world)
        self._lidar = Lidar(world)
        self._detector.take_world(world)

    def _drive(self, message: Twist) -> None:
        self._tick()  # until now the last command held
        try:
            self._rover.command = messages.command_from_ros(message)
        except ValueError as error:
            self.get_logger().warning(one_line(f'Drive command refused: {error}'))

    def _move_mast(self, message: JointTrajectory) -> None:
        self._tick()
        try:
            self._rover.mast.follow(messages.waypoints_from_ros(message))
        except TrajectoryError as error:
            self.get_logger().warning(one_line(f'Mast trajectory refused: {error}'))

    def _hear_follower(self, message: Header) -> None:
        self._followers.acknowledge(message.frame_id, seconds_from_ros(message.stamp))

    def _tick(self) -> None:
        now = self._steady_s()
        told = seconds_from_ros(self._simulated())
        due = self._pace.steps_due(now, self._followers.room(told, now))
        for index in range(due):
            self._step(last=index == due - 1)
        too_slow = self._pace.too_slow
        if too_slow and not self._told_slow:
            self._told_slow = True
            self.get_logger().warning(f'{too_slow}. /diagnostics goes on telling it')

    def _steady_s(self) -> float:
        return float(self._steady.now().nanoseconds) * 1e-9

    def _step(self, last: bool) -> None:
        self._steps += 1
        self._rover.step(STEP_S)
        if last:  # the steps before it took no time that anybody could have seen
            self._tell_time()
        self._schedule.run_due(self._steps * STEP_S)
        if self._rover.blocked_by and not self._blocked_by:
            self.get_logger().warning(f'The rover is stopped by {self._rover.blocked_by}')
        self._blocked_by = self._rover.blocked_by

    def _tell_time(self) -> None:
        self._clock_topic.publish(Clock(clock=self._simulated()))

    def _health(self) -> Health:
        blocked_by = self._rover.blocked_by
        return error(f'stopped by {blocked_by}') if blocked_by else Health(reason='free')

    def _figures(self) -> dict[str, Any]:
        rover = self._rover
        return {
            'battery_pct': 100.0 * rover.battery.charge,
            'camera': 'on' if rover.camera_on else 'off',
        }

    def _time_health(self) -> Health:
        too_slow = self._pace.too_slow
        return warning(too_slow) if too_slow else Health()

    def _others_health(self) -> Health:
        """Whether this is the only source; one that was there before is refused at the start."""
        told = self.get_publishers_info_by_topic(self._odometry.topic_name)
        others = sorted({each.node_name for each in told} - {self.get_name()})
        if not others:
            return Health()
        words = f'{", ".join(others)} publishes odometry as well: end it or this rover'
        self.get_logger().error(f'Two rovers in one place: {words}', throttle_duration_sec=30.0)
        return error(words)

    def _time_figures(self) -> dict[str, Any]:
        return {'speed_factor': self._pace.reached, 'speed_factor_wanted': self._pace.wanted}

    def _simulated(self) -> Time:
        ahead = clock_offset(self._faults.active)
        return seconds_to_ros(self._steps * STEP_S + ahead)

    def _stamp(self) -> Time:
        return self._simulated() if self._sim_stamps else self.get_clock().now().to_msg()

    def _publish_pose(self) -> None:
        stamp, pose, attitude = self._stamp(), self._rover.pose, self._rover.attitude
        self._odometry.publish(messages.odometry_to_ros(stamp, self._frames, self._rover))
        if 'tf_off' in self._faults:
            return
        aside = tf_offset(self._faults.active, self._steps * STEP_S)
        head = head_pose(self._rover.mast)
        place = (head.x, head.y, head.z)
        base = self._frames[1]
        transforms = [
            messages.transform_to_ros(
                stamp,
                self._frames,
                (pose.x, pose.y + aside, attitude.z),
                messages.rotation_to_ros(pose.yaw, attitude.pitch, attitude.roll),
            ),
            messages.transform_to_ros(
                stamp,
                (base, CAMERA_FRAME),
                place,
                messages.rotation_to_ros(head.yaw, head.down),
            ),
            messages.transform_to_ros(
                stamp,
                (base, LIDAR_FRAME),
                place,
                messages.level_on_ros(
                    messages.rotation_to_ros(pose.yaw, attitude.pitch, attitude.roll),
                    lidar_pose(pose, self._rover.mast, attitude).yaw,
                ),
            ),
        ]
        self._tf.publish(TFMessage(transforms=transforms))

    def _publish_joints(self) -> None:
        self._joints.publish(messages.joints_to_ros(self._stamp(), self._rover.mast))

    def _publish_scan(self) -> None:
        if self._scan.get_subscription_count():
            rover = self._rover
            ranges = self._lidar.scan(lidar_pose(rover.pose, rover.mast, rover.attitude))
            self._scan.publish(
                messages.scan_to_ros(self._stamp(), LIDAR_FRAME, self._lidar, ranges)
            )

    def _publish_battery(self) -> None:
        if 'battery_lost' in self._faults:
            return
        self._battery.publish(messages.battery_to_ros(self._stamp(), self._rover.battery))

    def _publish_detections(self) -> None:
        if self._detections is not None and self._detections.is_heard:
            rover, base = self._rover, self._frames[1]
            seen = self._detector.look(rover.pose, rover.attitude)
            self._detections.publish(self._stamp(), base, seen)

    def _publish_picture(self) -> None:
        """Starts drawing what is seen now; left out while the picture before is being drawn."""
        wanted = (self._jpeg.get_subscription_count(), self._image.get_subscription_count())
        self._rover.camera_on = any(wanted)
        if not self._rover.camera_on or 'camera_off' in self._faults:
            return
        if self._drawing is not None:
            if not self._drawing.done() or self._steady_s() < self._rests_until:
                return
            self._drawing.result()  # raises what drawing raised
        rover, active = self._rover, self._faults.active
        pose = camera_pose(rover.pose, rover.mast, rover.attitude)
        self._drawing = self._studio.submit(
            self._draw, self._stamp(), self._world, (pose, rover.pose, rover.attitude), active
        )

    def _draw(self, stamp: Time, world: World, view: View, faults: frozenset[str]) -> None:
        """Draws and publishes one picture, in the thread of the studio.

        While nothing moves, the picture before is published again, with a new stamp.

        In fast time a picture is always due: then the studio rests for as long as it drew, and
        leaves the machine to the others.
        """
        began = self._steady_s()
        if world is not self._pictured:
            self._camera.take_rocks(world)
            self._pictured, self._still = world, None
        if self._still is None or not (self._still.view == view or 'camera_frozen' in faults):
            self._still = Still(view, self._camera.picture(*view))
        if self._jpeg.get_subscription_count():
            jpeg = spoil_jpeg(faults, self._still.jpeg)
            self._jpeg.publish(messages.jpeg_to_ros(stamp, CAMERA_FRAME, jpeg))
        if self._image.get_subscription_count():
            self._image.publish(messages.image_to_ros(stamp, CAMERA_FRAME, self._still.pixels))
        ended = self._steady_s()
        self._rests_until = ended + (ended - began) * (1.0 - 1.0 / max(self._pace.wanted, 1.0))

    def destroy_node(self) -> None:
        """Ends with the picture that is being drawn."""
        self._studio.shutdown()
        super().destroy_node()


def main() -> None:
    """Runs the node as a process."""
    cv2.setNumThreads(1)
    sys.setswitchinterval(THREAD_TURN_S)
    run_node(RoverNode)


if __name__ == '__main__':
    main()
