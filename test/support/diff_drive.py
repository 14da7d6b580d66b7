"""A base with cmd_vel, odom and TF that drives on for ever with the last velocity it got."""

from __future__ import annotations

from collections.abc import Callable
import math
import time
from typing import Any

from geometry_msgs.msg import TransformStamped, Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from tf2_msgs.msg import TFMessage

PERIOD_S = 0.02


class DiffDrive(Node):
    """Integrates what is commanded, and reports each `period_s`.

    Attributes:
        x, y, yaw: Where it is, m and rad.
        moved_at: When it last moved, steady s.
        commands: How many velocities have come.
    """

    def __init__(
        self,
        context: Any = None,
        clock: Callable[[], float] = time.monotonic,
        period_s: float = PERIOD_S,
    ) -> None:
        super().__init__('diff_drive', context=context)
        self._steady = clock
        self.x = self.y = self.yaw = 0.0
        self.moved_at, self.commands = -math.inf, 0
        self._wanted, self._stepped_at = (0.0, 0.0), clock()
        self._odometry = self.create_publisher(Odometry, 'odom', qos_profile_sensor_data)
        self._tf = self.create_publisher(TFMessage, 'tf', 10)
        self.create_subscription(Twist, 'cmd_vel', self._command_came, 10)
        self.create_timer(period_s, self._step)

    @property
    def moves(self) -> bool:
        """Whether it has a velocity."""
        return any(self._wanted)

    def _command_came(self, message: Twist) -> None:
        self._move()  # without a report: each would be answered by the next command
        self.commands += 1
        self._wanted = message.linear.x, message.angular.z

    def _step(self) -> None:
        self._move()
        self._report()

    def _move(self) -> None:
        now = self._steady()
        passed, self._stepped_at = now - self._stepped_at, now
        ahead, turn = (each * passed for each in self._wanted)
        if self.moves:
            self.moved_at = now
        self.x += ahead * math.cos(self.yaw + turn / 2.0)
        self.y += ahead * math.sin(self.yaw + turn / 2.0)
        self.yaw = math.remainder(self.yaw + turn, math.tau)

    def _report(self) -> None:
        stamp = self.get_clock().now().to_msg()
        odometry, transform = Odometry(), TransformStamped()
        odometry.header.stamp = transform.header.stamp = stamp
        odometry.header.frame_id = transform.header.frame_id = 'odom'
        odometry.child_frame_id = transform.child_frame_id = 'base_footprint'
        pose, moved = odometry.pose.pose, transform.transform
        pose.position.x = moved.translation.x = self.x
        pose.position.y = moved.translation.y = self.y
        pose.orientation.z = moved.rotation.z = math.sin(self.yaw / 2.0)
        pose.orientation.w = moved.rotation.w = math.cos(self.yaw / 2.0)
        odometry.twist.twist.linear.x, odometry.twist.twist.angular.z = self._wanted
        self._odometry.publish(odometry)
        self._tf.publish(TFMessage(transforms=[transform]))


def main() -> None:
    """Runs the base until it is ended."""
    import rclpy

    rclpy.init()
    rclpy.spin(DiffDrive())


if __name__ == '__main__':
    main()
