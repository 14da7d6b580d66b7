"""Velocities on the wire, with a stamp or without, as a robot's file says."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.node import Node

from rover_common.config.settings.gates import VelocityTopics

QUEUE = 10


def velocity_type(topics: VelocityTopics) -> Any:
    """Return the type of the messages on both topics."""
    return TwistStamped if topics.stamped else Twist


def velocity_from_ros(message: Any) -> Twist:
    """Return the velocity of a message of either type."""
    return message.twist if isinstance(message, TwistStamped) else message


def numbers_of(twist: Twist) -> tuple[float, ...]:
    """Return the six numbers of a velocity, m/s and rad/s."""
    line, turn = twist.linear, twist.angular
    return line.x, line.y, line.z, turn.x, turn.y, turn.z


class VelocityOut:
    """Publishes velocities to a base. Any thread may call it.

    Args:
        node: Publishes.
        topics: Of the gate before the base.
        frame: In which the velocities are, where they have a stamp.
    """

    def __init__(self, node: Node, topics: VelocityTopics, frame: str) -> None:
        self._clock, self._frame, self._stamped = node.get_clock(), frame, topics.stamped
        self._publisher = node.create_publisher(velocity_type(topics), topics.passed, QUEUE)

    def publish(self, twist: Twist) -> None:
        """Commands a velocity."""
        if not self._stamped:
            self._publisher.publish(twist)
            return
        message = TwistStamped(twist=twist)
        message.header.stamp = self._clock.now().to_msg()
        message.header.frame_id = self._frame
        self._publisher.publish(message)

    def halt(self) -> None:
        """Commands a standstill."""
        self.publish(Twist())
