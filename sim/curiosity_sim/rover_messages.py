"""What the rover stand-in says, as ROS messages. Lengths in m, angles in rad, times in s."""

from __future__ import annotations

from array import array
import math

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped, Twist
from nav_msgs.msg import Odometry
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import BatteryState, CompressedImage, Image, JointState, LaserScan
from trajectory_msgs.msg import JointTrajectory

from curiosity_sim.rover.battery import Battery
from curiosity_sim.rover.kinematics import DriveCommand
from curiosity_sim.rover.lidar import Lidar
from curiosity_sim.rover.mast import JOINTS, Mast, TrajectoryError, Waypoint
from curiosity_sim.rover.rover_body import Rover
from rover_common.geometry.transforms import Transform
from rover_common.ros.message_conversions import seconds_from_ros

FASTEST_WHEEL_RAD_S = 100.0


def rotation_to_ros(yaw: float, down: float = 0.0, roll: float = 0.0) -> Quaternion:
    """A turn about the vertical axis, then the nose so far down, then a roll about the nose."""
    cy, sy = math.cos(yaw / 2.0), math.sin(yaw / 2.0)
    cp, sp = math.cos(down / 2.0), math.sin(down / 2.0)
    cr, sr = math.cos(roll / 2.0), math.sin(roll / 2.0)
    return Quaternion(
        x=cy * cp * sr - sy * sp * cr,
        y=cy * sp * cr + sy * cp * sr,
        z=sy * cp * cr - cy * sp * sr,
        w=cy * cp * cr + sy * sp * sr,
    )


def level_on_ros(base: Quaternion, yaw: float) -> Quaternion:
    """The turn from a base that leans to a frame that is level and looks along `yaw`."""
    leaning = Transform(qx=base.x, qy=base.y, qz=base.z, qw=base.w)
    level = leaning.inverse().compose(Transform.planar(0.0, 0.0, yaw))
    return Quaternion(x=level.qx, y=level.qy, z=level.qz, w=level.qw)


def odometry_to_ros(stamp: Time, frames: tuple[str, str], rover: Rover) -> Odometry:
    """Odometry with frame names as Gazebo writes them: with leading slashes."""
    pose, attitude, motion = rover.pose, rover.attitude, rover.motion
    message = Odometry()
    message.header.stamp = stamp
    message.header.frame_id, message.child_frame_id = (f'/{name.lstrip("/")}' for name in frames)
    place = message.pose.pose.position
    place.x, place.y, place.z = pose.x, pose.y, attitude.z
    message.pose.pose.orientation = rotation_to_ros(pose.yaw, attitude.pitch, attitude.roll)
    message.twist.twist.linear.x = motion.speed
    message.twist.twist.angular.z = motion.yaw_rate
    return message


def transform_to_ros(
    stamp: Time, frames: tuple[str, str], position: tuple[float, float, float], turn: Quaternion
) -> TransformStamped:
    """A transform with frame names as tf2 wants them: without leading slashes."""
    message = TransformStamped()
    message.header.stamp = stamp
    message.header.frame_id, message.child_frame_id = (name.lstrip('/') for name in frames)
    moved = message.transform.translation
    moved.x, moved.y, moved.z = position
    message.transform.rotation = turn
    return message


def joints_to_ros(stamp: Time, mast: Mast) -> JointState:
    """Positions and velocities of the mast's joints."""
    message = JointState(name=list(JOINTS))
    message.header.stamp = stamp
    message.position = [mast.positions[name] for name in JOINTS]
    message.velocity = [mast.velocities[name] for name in JOINTS]
    return message


def command_from_ros(message: Twist) -> DriveCommand:
    """The commanded velocity of the wheels.

    Raises:
        ValueError: No wheel turns so fast, or it is no number.
    """
    linear, angular = message.linear.x, message.angular.z
    if not abs(linear) <= FASTEST_WHEEL_RAD_S or not math.isfinite(angular):
        raise ValueError(
            f'linear.x is {linear:g} rad/s, at most {FASTEST_WHEEL_RAD_S:g} are possible, and '
            f'angular.z is {angular:g}'
        )
    return DriveCommand(linear, angular)


def waypoints_from_ros(message: JointTrajectory) -> list[Waypoint]:
    """The points of a trajectory.

    Raises:
        TrajectoryError: A point has not as many positions as the trajectory has joints.
    """
    waypoints = []
    for index, point in enumerate(message.points):
        if len(point.positions) != len(message.joint_names):
            raise TrajectoryError(
                f'Point {index} has {len(point.positions)} positions for '
                f'{len(message.joint_names)} joints; give one position per joint.'
            )
        due = seconds_from_ros(point.time_from_start)
        waypoints.append(
            Waypoint(due, dict(zip(message.joint_names, point.positions, strict=True)))
        )
    return waypoints


def scan_to_ros(stamp: Time, frame: str, lidar: Lidar, ranges: NDArray[np.float32]) -> LaserScan:
    """One scan; no echo is infinity, as in REP 117."""
    message = LaserScan()
    message.header.stamp = stamp
    message.header.frame_id = frame
    message.angle_min, message.angle_max = -math.pi, math.pi
    message.angle_increment = math.tau / (lidar.rays - 1)
    message.range_min, message.range_max = lidar.range_min, lidar.range_max
    message.ranges = array('f', ranges.astype(np.float32).tobytes())
    return message


def battery_to_ros(stamp: Time, battery: Battery) -> BatteryState:
    """State of the battery; what it does not measure is NaN, as the message defines."""
    message = BatteryState(present=True, percentage=battery.charge, voltage=battery.voltage)
    message.header.stamp = stamp
    message.capacity = message.design_capacity = battery.CAPACITY_AH
    message.charge = battery.charge * battery.CAPACITY_AH
    message.current = message.temperature = math.nan
    message.power_supply_technology = BatteryState.POWER_SUPPLY_TECHNOLOGY_LION
    message.power_supply_health = BatteryState.POWER_SUPPLY_HEALTH_GOOD
    message.power_supply_status = (
        BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
        if battery.draining
        else BatteryState.POWER_SUPPLY_STATUS_CHARGING
    )
    return message


def image_to_ros(stamp: Time, frame: str, picture: NDArray[np.uint8]) -> Image:
    """An uncompressed picture with rows of blue, green, red bytes."""
    message = Image(height=picture.shape[0], width=picture.shape[1], encoding='bgr8')
    message.header.stamp = stamp
    message.header.frame_id = frame
    message.step = picture.shape[1] * 3
    message.data = picture.tobytes()
    return message


def jpeg_to_ros(stamp: Time, frame: str, jpeg: bytes) -> CompressedImage:
    """A JPEG picture."""
    message = CompressedImage(format='bgr8; jpeg compressed bgr8', data=jpeg)
    message.header.stamp = stamp
    message.header.frame_id = frame
    return message
