"""How the rover moves over flat ground: a point on a straight line or on a circle.

The numbers are those of the Space ROS demo's wheel node (`move_wheel`).
"""

from __future__ import annotations

from dataclasses import dataclass
import math

from rover_common.config.settings.world import WHEEL_RADIUS_M
from rover_common.geometry.planar_motion import Pose2D

CHASSIS_LENGTH_M = 2.08157
CHASSIS_WIDTH_M = 1.53774
STEERING_LIMIT_RAD = 0.6
ANGULAR_LIMIT = 0.6
STRAIGHT_BELOW = 1e-3
# The wheel node maps angular.z to a radius of 17.5 - 25 |angular.z| m ...
RADIUS_AT_ZERO_M = 17.5
RADIUS_PER_ANGULAR_M = 25.0
# ... and the inner wheels cannot steer further than to this one.
SMALLEST_RADIUS_M = CHASSIS_LENGTH_M / math.tan(STEERING_LIMIT_RAD) + CHASSIS_WIDTH_M / 2.0


@dataclass(frozen=True)
class DriveCommand:
    """What /cmd_vel carries: wheel speed in rad/s (not m/s) and a steering number without unit."""

    linear: float = 0.0
    angular: float = 0.0

    @property
    def speed(self) -> float:
        """Speed over ground in m/s, negative when driving backwards."""
        return self.linear * WHEEL_RADIUS_M

    @property
    def radius(self) -> float:
        """Radius of the driven circle in m, positive to the left; infinite straight ahead."""
        if abs(self.angular) < STRAIGHT_BELOW:
            return math.inf
        strength = min(abs(self.angular), ANGULAR_LIMIT)
        radius = max(RADIUS_AT_ZERO_M - RADIUS_PER_ANGULAR_M * strength, SMALLEST_RADIUS_M)
        return math.copysign(radius, self.angular)

    @property
    def yaw_rate(self) -> float:
        """Turning speed in rad/s, counterclockwise positive."""
        return self.speed / self.radius


def advance(pose: Pose2D, command: DriveCommand, seconds: float) -> Pose2D:
    """The pose after a constant command: exact for any length of time, in one step or many."""
    turned = command.yaw_rate * seconds
    travelled = command.speed * seconds
    # Chord of the arc: its length is travelled * sin(a)/a with a = turned/2, its heading yaw + a.
    half = turned / 2.0
    chord = travelled * (math.sin(half) / half if abs(half) > 1e-9 else 1.0)
    return Pose2D(
        pose.x + chord * math.cos(pose.yaw + half),
        pose.y + chord * math.sin(pose.yaw + half),
        math.remainder(pose.yaw + turned, math.tau),
    )
