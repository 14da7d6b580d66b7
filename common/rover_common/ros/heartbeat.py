"""The heartbeat on the wire: conversions, and the publisher of the executive."""

from __future__ import annotations

import itertools
import time

from bt_executive_interfaces.msg import GatePermit
from bt_executive_interfaces.msg import Heartbeat as HeartbeatMessage
from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import QoSProfile

from rover_common.permit import NO_PERMIT, Heartbeat, Permit

HEARTBEAT = 'executive/heartbeat'
LATEST = QoSProfile(depth=1)  # an older heartbeat is of no use beside a newer one
NANO = 1_000_000_000


def heartbeat_to_ros(heartbeat: Heartbeat) -> HeartbeatMessage:
    """Return the message of a heartbeat."""
    seconds, nanoseconds = divmod(round(heartbeat.sent_at * NANO), NANO)
    return HeartbeatMessage(
        stamp=Time(sec=seconds, nanosec=nanoseconds),
        sender=heartbeat.sender,
        sequence=heartbeat.sequence,
        motion=heartbeat.permit.motion,
        permit=heartbeat.permit.number,
        gates=[
            GatePermit(
                gate=permit.gate, motion=permit.motion, permit=permit.number, goal=permit.goal
            )
            for permit in heartbeat.gates
        ],
    )


def heartbeat_from_ros(message: HeartbeatMessage) -> Heartbeat:
    """Return the heartbeat of a message; `sent_at` is as exact as a float of it can be."""
    return Heartbeat(
        sender=message.sender,
        sequence=message.sequence,
        sent_at=message.stamp.sec + message.stamp.nanosec / NANO,
        permit=Permit(message.motion, message.permit),
        gates=tuple(
            Permit(permit.motion, permit.permit, permit.gate, permit.goal)
            for permit in message.gates
        ),
    )


class HeartbeatPublisher:
    """Publishes the heartbeats of one run. Not thread-safe."""

    def __init__(self, node: Node, sender: str) -> None:
        self._publisher = node.create_publisher(HeartbeatMessage, HEARTBEAT, LATEST)
        self._sender = sender
        self._numbers = itertools.count(1)
        self._permits: dict[str, Permit] = {}  # by gate

    def publish(self) -> Heartbeat:
        """Publish the next heartbeat, with the current permits."""
        permit = self._permits.get('', NO_PERMIT)
        gates = tuple(each for gate, each in self._permits.items() if gate and each.number)
        heartbeat = Heartbeat(self._sender, next(self._numbers), time.time(), permit, gates)
        self._publisher.publish(heartbeat_to_ros(heartbeat))
        return heartbeat

    def permit(self, permit: Permit) -> Heartbeat:
        """Replace the permit of its gate, and publish it at once."""
        self._permits[permit.gate] = permit
        return self.publish()
