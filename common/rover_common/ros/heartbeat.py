"""The heartbeat on the wire: conversions, and the publisher of the executive."""

from __future__ import annotations

import itertools
import time

from bt_executive_interfaces.msg import GatePermit, Heartbeat
from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import QoSProfile

from rover_common.permit import NO_PERMIT, Beat, Permit

HEARTBEAT = 'executive/heartbeat'
LATEST = QoSProfile(depth=1)  # an older beat is of no use beside a newer one
NANO = 1_000_000_000


def beat_to_ros(beat: Beat) -> Heartbeat:
    """The message of a beat."""
    seconds, nanoseconds = divmod(round(beat.sent_at * NANO), NANO)
    return Heartbeat(
        stamp=Time(sec=seconds, nanosec=nanoseconds),
        sender=beat.sender,
        sequence=beat.sequence,
        motion=beat.permit.motion,
        permit=beat.permit.number,
        gates=[
            GatePermit(gate=each.gate, motion=each.motion, permit=each.number, goal=each.goal)
            for each in beat.gates
        ],
    )


def beat_from_ros(message: Heartbeat) -> Beat:
    """The beat of a message; `sent_at` to the nanosecond as far as a float holds it."""
    return Beat(
        sender=message.sender,
        sequence=message.sequence,
        sent_at=message.stamp.sec + message.stamp.nanosec / NANO,
        permit=Permit(message.motion, message.permit),
        gates=tuple(
            Permit(each.motion, each.permit, each.gate, each.goal) for each in message.gates
        ),
    )


class HeartbeatPublisher:
    """Publishes the beats of one run. One thread calls it."""

    def __init__(self, node: Node, sender: str) -> None:
        self._publisher = node.create_publisher(Heartbeat, HEARTBEAT, LATEST)
        self._sender = sender
        self._numbers = itertools.count(1)
        self._given: dict[str, Permit] = {}  # gate → what may run there

    def beat(self) -> Beat:
        """Says that the executive is alive, and what may run."""
        permit = self._given.get('', NO_PERMIT)
        gates = tuple(each for gate, each in self._given.items() if gate and each.number)
        beat = Beat(self._sender, next(self._numbers), time.time(), permit, gates)
        self._publisher.publish(beat_to_ros(beat))
        return beat

    def permit(self, permit: Permit) -> Beat:
        """Changes what may run at the permit's gate, and says so at once."""
        self._given[permit.gate] = permit
        return self.beat()
