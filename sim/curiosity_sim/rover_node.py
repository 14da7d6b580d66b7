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
the world's keep-out zones (`bt_executive_interfaces/msg/KeepOutZones`).
Parameters: faults, see rover_faults.py; and its configuration, read-only.
Names: topics.yaml, sections `rover`, `images` and `safety`.

Simulated time starts at zero and passes `rover.speed_factor` times as fast as steady time. It
is what /clock carries; stamps are of the node's own clock, as those of every other node. Fast
time waits for who follows it (followers_of_simulated_time.py).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from bt_executive_interfaces.msg import KeepOutZones
import cv2
from geometry_msgs.msg import Twist
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from curiosity_sim import rover_messages
from curiosity_sim.ros.camera_topics import CameraTopics
from curiosity_sim.ros.injected_service_faults import FaultSwitch
from curiosity_sim.ros.odometry_joints_scan_and_battery_topics import NEWEST, BodyTopics
from curiosity_sim.ros.simulated_time import SimulatedTime
from curiosity_sim.rover.detector import Detector
from curiosity_sim.rover.mast import TrajectoryError
from curiosity_sim.rover.real_time_factor import STEP_S
from curiosity_sim.rover.rover_body import Rover
from curiosity_sim.rover.schedule import Schedule
from curiosity_sim.rover.world import make_world
from curiosity_sim.rover_faults import apply_to_body, clock_offset, removals, removed
from rover_common.config.settings.injected_faults import BODY_FAULTS
from rover_common.diagnostic_status import Health, Part, error
from rover_common.ros.config_as_ros_parameters import ConfigParameters
from rover_common.ros.diagnostics_publisher import report_diagnostics
from rover_common.ros.keep_out_messages import zones_to_ros
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.text_sanitizing import one_line

if TYPE_CHECKING:
    from curiosity_sim.detection_topic import DetectionTopic

PARAMETERS = tuple(
    ('curiosity', 'rover', key)
    for key in ('seed', 'speed_factor', 'start', 'rocks', 'camera', 'detector', 'battery')
)
THREAD_TURN_S = 0.0005  # for at most this long the camera's thread may hold up the one that steps


class RoverNode(Node):
    """The rover and its world, in simulated time."""

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('rover', **options.node_arguments())
        config = ConfigParameters(self, options.config, PARAMETERS).config
        settings, topics = config.curiosity.rover, config.topics
        self._whole_world = self._world = world = make_world(settings)
        self._rover = rover = Rover(settings, world)
        self._detector = Detector(settings.detector, world)
        sim_stamps = config.executive.use_sim_time
        self._time = time = SimulatedTime(self, settings.speed_factor, sim_stamps, self._ahead_s)
        self._body = BodyTopics(self, topics, rover, world, time, self._active_faults)
        self._pictures = CameraTopics(
            self, topics, settings.camera, rover, world, time, self._active_faults
        )
        fault_names = (*BODY_FAULTS, *removals(world))
        self._faults = FaultSwitch(self, fault_names, settings, self._apply_faults)
        self._blocked_by: str | None = None
        report_diagnostics(
            self,
            [
                Part('motion', self._health, self._figures),
                time.part(),
                Part('other rovers', self._body.others_health),
                self._faults.part(),
            ],
        )
        self._advertise(options)
        self._schedule = Schedule()
        self._body.schedule(self._schedule)
        self._pictures.schedule(self._schedule, 1.0 / settings.camera.rate_hz)
        self._schedule.every(1.0 / settings.detector.rate_hz, self._publish_detections)
        time.call_every_tick(self._tick)
        self.get_logger().info(
            f'World {settings.world.name!r}, seed {world.seed}, {len(self._world.rocks)} rocks, '
            f'{settings.speed_factor:g} times real time'
        )

    def _advertise(self, options: NodeOptions) -> None:
        topics = options.config.topics
        names = topics.rover
        # The newest only: a stop does not wait behind the commands that it ends.
        self.create_subscription(Twist, relative_name(names.cmd_vel), self._drive, NEWEST)
        self.create_subscription(
            JointTrajectory, relative_name(names.mast_trajectory), self._move_mast, 10
        )
        zones = self.create_publisher(KeepOutZones, relative_name(topics.safety.keep_out), LATCHED)
        keep_out = options.config.curiosity.rover.world.keep_out
        if keep_out:
            zones.publish(zones_to_ros(keep_out))
        self._detections = self._detection_topic(relative_name(names.detections))

    def _detection_topic(self, name: str) -> DetectionTopic | None:
        """The detector's topic; None where its messages are not installed."""
        try:
            from curiosity_sim.detection_topic import DetectionTopic
        except ModuleNotFoundError:
            return None
        return DetectionTopic(self.create_publisher(DetectionTopic.MESSAGE, name, NEWEST))

    def _active_faults(self) -> frozenset[str]:
        return self._faults.active

    def _ahead_s(self) -> float:
        return clock_offset(self._faults.active)

    def _apply_faults(self, active: frozenset[str]) -> None:
        apply_to_body(self._rover, active)
        world = self._whole_world.without(removed(active))
        if world == self._world:
            return
        self._world = world
        for each in (self._rover, self._body, self._pictures, self._detector):
            each.replace_world(world)

    def _drive(self, message: Twist) -> None:
        self._tick()  # until now the last command held
        try:
            self._rover.command = rover_messages.command_from_ros(message)
        except ValueError as error:
            self.get_logger().warning(one_line(f'Drive command refused: {error}'))
        self._time.rest(self._rests)

    def _move_mast(self, message: JointTrajectory) -> None:
        self._tick()
        try:
            self._rover.mast.follow(rover_messages.waypoints_from_ros(message))
        except TrajectoryError as error:
            self.get_logger().warning(one_line(f'Mast trajectory refused: {error}'))
        self._time.rest(self._rests)

    @property
    def _rests(self) -> bool:
        """Whether nothing that is published changes, so that it may be published less often."""
        return self._rover.rests and not self._faults.active

    def _tick(self) -> None:
        due = self._time.steps_due()
        for index in range(due):
            self._step(last=index == due - 1)
        self._time.rest(self._rests)
        self._time.report_slow()

    def _step(self, last: bool) -> None:
        self._time.step()
        self._rover.step(STEP_S)
        if last:  # the steps before it took no noticeable time
            self._time.publish()
        self._schedule.run_due(self._time.now_s, self._rests)
        if self._rover.blocked_by and not self._blocked_by:
            self.get_logger().warning(f'The rover is stopped by {self._rover.blocked_by}')
        self._blocked_by = self._rover.blocked_by

    def _health(self) -> Health:
        blocked_by = self._rover.blocked_by
        return error(f'stopped by {blocked_by}') if blocked_by else Health(reason='free')

    def _figures(self) -> dict[str, Any]:
        rover = self._rover
        return {
            'battery_pct': 100.0 * rover.battery.charge,
            'camera': 'on' if rover.camera_on else 'off',
        }

    def _publish_detections(self) -> None:
        if self._detections is not None and self._detections.has_subscribers:
            seen = self._detector.detect(self._rover.pose, self._rover.attitude)
            self._detections.publish(self._time.stamp(), self._body.base_frame, seen)

    def destroy_node(self) -> None:
        """Ends with the picture that is being drawn."""
        self._pictures.close()
        super().destroy_node()


def main() -> None:
    """Runs the node as a process."""
    cv2.setNumThreads(1)
    sys.setswitchinterval(THREAD_TURN_S)
    run_node(RoverNode)


if __name__ == '__main__':
    main()
