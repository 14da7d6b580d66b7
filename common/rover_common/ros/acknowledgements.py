"""Acknowledgements: of a node's last messages by their readers, and of /clock by a node."""

from __future__ import annotations

import time

from rclpy.clock import JumpHandle, JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import ReliabilityPolicy
from std_msgs.msg import Header

LIMIT_S = 0.5  # for all publishers together, so that a hanging reader does not delay the end


def wait_until_acknowledged(node: Node) -> None:
    """Waits until every reader has acknowledged what this node has published reliably.

    A writer that leaves takes with it what a reader has not acknowledged. Measured with Fast DDS:
    of 60 messages that were sent just before a process ended, a reader that paused for 50 ms got
    none.
    """
    by = time.monotonic() + LIMIT_S
    for publisher in node.publishers:
        if publisher.qos_profile.reliability is ReliabilityPolicy.RELIABLE:
            left = max(by - time.monotonic(), 0.0)
            publisher.wait_for_all_acked(Duration(seconds=left))


ANY_STEP = JumpThreshold(
    min_forward=Duration(nanoseconds=1),
    min_backward=Duration(nanoseconds=-1),
    on_clock_change=True,
)
DEPTH = 10  # several nodes write to one topic: none overwrites another's message


class ClockAck:
    """Acknowledges for a node that everything due until now is done.

    Fast simulated time waits for it (docs/decisions/0019-the-simulation-keeps-pace.md).
    Publishes: the name of /clock with `_ack` (`std_msgs/msg/Header`: the time that was heard and
    acted on, and the node's name), only while a simulation listens.
    """

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
