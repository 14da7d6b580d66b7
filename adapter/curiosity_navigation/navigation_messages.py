"""ROS messages of the navigation, to and from its own values. Messages are all of ROS here."""

from __future__ import annotations

from collections.abc import Iterable
import math
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, PoseStamped
from nav_msgs.msg import Path
import numpy as np

from curiosity_navigation.costmap import Scan
from curiosity_navigation.navigator import Preview
from curiosity_navigation.path_planner import NavigationGoal
from rover_common.geometry.planar_motion import Pose2D
from rover_common.reason import Reason

# No rangefinder has rays nearer to each other, in rad.
SMALLEST_STEP_RAD = 1e-6


def scan_from_ros(message: Any) -> Scan:
    """From a sensor_msgs/msg/LaserScan, whichever way its sensor turns.

    Raises:
        ValueError: It has no rays, or tells no bearings or ranges for them.
    """
    first, step = message.angle_min, message.angle_increment
    ranges = np.asarray(message.ranges, dtype=np.float64)
    if not len(ranges):
        raise ValueError('it has no ranges')
    if not math.isfinite(first) or not SMALLEST_STEP_RAD <= abs(step) <= math.tau:
        raise ValueError(f'its angle_min is {first:g} and its angle_increment {step:g} rad')
    if not 0.0 <= message.range_min < message.range_max:
        raise ValueError(f'its ranges go from {message.range_min:g} to {message.range_max:g} m')
    if step < 0.0:
        first, step, ranges = first + step * (len(ranges) - 1), -step, ranges[::-1]
    return Scan(first, step, message.range_min, message.range_max, ranges)


def goal_from_ros(goal: Any) -> NavigationGoal:
    """From the goal of an action NavigateToPose, or the request of a service PlanPath."""
    free = math.isnan(goal.heading) or goal.heading == goal.ANY_HEADING
    return NavigationGoal(goal.x, goal.y, None if free else goal.heading)


def path_to_ros(places: Iterable[Pose2D], frame: str, stamp: Time) -> Path:
    """A path on the ground, with the rover's heading at each of its places."""
    path = Path()
    path.header.frame_id, path.header.stamp = frame, stamp
    for place in places:
        pose = PoseStamped(header=path.header)
        pose.pose.position.x, pose.pose.position.y = place.point
        pose.pose.orientation.z = math.sin(place.yaw / 2.0)
        pose.pose.orientation.w = math.cos(place.yaw / 2.0)
        path.poses.append(pose)
    return path


def preview_to_ros(found: Preview | Reason[Any], response: Any) -> Any:
    """To the response of a bt_executive_interfaces/srv/PlanPath."""
    if isinstance(found, Reason):
        response.reason = found.sentence
        return response
    response.ok = True
    response.path = [Point(x=place.x, y=place.y) for place in found.places]
    response.length_m, response.time_s = found.plan.length, found.plan.seconds
    return response
