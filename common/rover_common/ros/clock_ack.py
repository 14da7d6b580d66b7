"""Tells a simulation how far a node has come, so that fast simulated time waits for it.

Publishes: the name of /clock with `_ack` (`std_msgs/msg/Header`: the time that was heard and
acted on, and the node's name), only while a simulation listens. Why:
docs/decisions/0019-the-simulation-keeps-pace.md.
"""

from __future__ import annotations

from rclpy.clock import JumpHandle, JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import Header

ANY_STEP = JumpThreshold(
    min_forward=Duration(nanoseconds=1),
    min_backward=Duration(nanoseconds=-1),
    on_clock_change=True,
)
DEPTH = 10  # several nodes write to one topic: none overwrites another's message


class ClockAck:
    """Acknowledges for a node that everything due until now is done."""

    def __init__(self, node: Node) -> None:
        self._clock = node.get_clock()
        self._name = node.get_fully_qualified_name()
        topic = f'{node.resolve_topic_name("/clock")}_ack'
        self._topic = node.create_publisher(Header, topic, DEPTH)

    def publish(self) -> None:
        """Acknowledges the time that the node's clock shows."""
        if self._clock.ros_time_is_active and self._topic.get_subscription_count():
            self._topic.publish(Header(stamp=self._clock.now().to_msg(), frame_id=self._name))


def acknowledge_every_step(node: Node) -> JumpHandle:
    """For a node that does everything in its callbacks: a step of /clock waits its turn there.

    The caller keeps the returned handle for as long as the node exists; rcl does not.
    """
    ack = ClockAck(node)
    return node.get_clock().create_jump_callback(ANY_STEP, post_callback=lambda _: ack.publish())
