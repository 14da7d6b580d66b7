"""What the rover's body publishes: odometry, tf, joint states, laser scan and battery."""

from __future__ import annotations

from collections.abc import Callable

from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import BatteryState, JointState, LaserScan
from tf2_msgs.msg import TFMessage

from curiosity_sim import rover_messages
from curiosity_sim.ros.simulated_time import SimulatedTime
from curiosity_sim.rover.lidar import Lidar
from curiosity_sim.rover.mast_geometry import head_pose, lidar_pose
from curiosity_sim.rover.rover_body import Rover
from curiosity_sim.rover.schedule import Schedule
from curiosity_sim.rover.world import World
from curiosity_sim.rover_faults import tf_offset
from rover_common.config.settings import Topics
from rover_common.diagnostic_status import Health, error
from rover_common.ros.node_topic_and_enclave_names import relative_name

# Periods in simulated s. In motion, odometry and scan come as in the demo.
ODOMETRY_S = SCAN_S = 0.1
JOINTS_S = 0.05
AT_REST_S = 0.2  # each of them; five fit into the shortest age at which one counts as old
SCAN_AT_REST_S = 0.4  # as many into that of a scan
BATTERY_S = 1.0
CAMERA_FRAME = 'camera_link'
LIDAR_FRAME = 'lidar_link'
NEWEST = QoSProfile(depth=1)


class BodyTopics:
    """The publishers of a rover.

    Args:
        node: Owns the topics.
        topics: Their names, and those of the frames.
        rover: What is published.
        time: Stamps it.
        active_faults: The faults that are on.
    """

    def __init__(
        self,
        node: Node,
        topics: Topics,
        rover: Rover,
        world: World,
        time: SimulatedTime,
        active_faults: Callable[[], frozenset[str]],
    ) -> None:
        self._node, self._rover, self._time, self._active = node, rover, time, active_faults
        self._frames = (topics.tf.world_frame, topics.tf.base_frame)
        self._lidar = Lidar(world)
        names = topics.rover
        self._odometry = node.create_publisher(Odometry, relative_name(names.odometry), 10)
        self._tf = node.create_publisher(TFMessage, 'tf', 100)
        self._joints = node.create_publisher(JointState, relative_name(names.joint_states), 10)
        self._scan = node.create_publisher(LaserScan, relative_name(names.scan), NEWEST)
        self._battery = node.create_publisher(BatteryState, relative_name(names.battery_state), 10)

    @property
    def base_frame(self) -> str:
        """The rover's own frame."""
        return self._frames[1]

    def schedule(self, schedule: Schedule) -> None:
        """Enters how often each topic is published."""
        schedule.every(ODOMETRY_S, self._publish_pose, AT_REST_S)
        schedule.every(JOINTS_S, self._publish_joints, AT_REST_S)
        schedule.every(SCAN_S, self._publish_scan, SCAN_AT_REST_S)
        schedule.every(BATTERY_S, self._publish_battery)

    def replace_world(self, world: World) -> None:
        """Scans another world from now on."""
        self._lidar = Lidar(world)

    def others_health(self) -> Health:
        """Whether this is the only source; one that was there before is refused at the start."""
        node = self._node
        publishers = node.get_publishers_info_by_topic(self._odometry.topic_name)
        others = sorted({each.node_name for each in publishers} - {node.get_name()})
        if not others:
            return Health()
        fault = f'{", ".join(others)} publishes odometry as well: end it or this rover'
        node.get_logger().error(f'Two rovers in one place: {fault}', throttle_duration_sec=30.0)
        return error(fault)

    def _publish_pose(self) -> None:
        rover, stamp = self._rover, self._time.stamp()
        pose, attitude = rover.pose, rover.attitude
        self._odometry.publish(rover_messages.odometry_to_ros(stamp, self._frames, rover))
        active = self._active()
        if 'tf_off' in active:
            return
        aside = tf_offset(active, self._time.now_s)
        head = head_pose(rover.mast)
        place = (head.x, head.y, head.z)
        tilted = rover_messages.rotation_to_ros(pose.yaw, attitude.pitch, attitude.roll)
        transforms = [
            rover_messages.transform_to_ros(
                stamp, self._frames, (pose.x, pose.y + aside, attitude.z), tilted
            ),
            rover_messages.transform_to_ros(
                stamp,
                (self.base_frame, CAMERA_FRAME),
                place,
                rover_messages.rotation_to_ros(head.yaw, head.down),
            ),
            rover_messages.transform_to_ros(
                stamp,
                (self.base_frame, LIDAR_FRAME),
                place,
                rover_messages.level_on_ros(tilted, lidar_pose(pose, rover.mast, attitude).yaw),
            ),
        ]
        self._tf.publish(TFMessage(transforms=transforms))

    def _publish_joints(self) -> None:
        self._joints.publish(rover_messages.joints_to_ros(self._time.stamp(), self._rover.mast))

    def _publish_scan(self) -> None:
        if self._scan.get_subscription_count():
            rover = self._rover
            ranges = self._lidar.scan(lidar_pose(rover.pose, rover.mast, rover.attitude))
            stamp = self._time.stamp()
            self._scan.publish(rover_messages.scan_to_ros(stamp, LIDAR_FRAME, self._lidar, ranges))

    def _publish_battery(self) -> None:
        if 'battery_lost' not in self._active():
            battery = rover_messages.battery_to_ros(self._time.stamp(), self._rover.battery)
            self._battery.publish(battery)
