"""The stop that does not wait for a tick (docs/decisions/0022)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import math

from rclpy.node import Node

from bt_executive.core.inbox import Inbox
from bt_executive.ros.robot_calls import ServiceCalls, no_base
from rover_common.config.settings import Config, Endpoint, VelocityGateSettings
from rover_common.ros.odometry_and_velocities import VelocityOut


class BaseHalt:
    """Commands velocities of zero behind each velocity gate of the robot, if it has gates.

    Any thread may call it.
    """

    def __init__(self, node: Node, config: Config) -> None:
        frame = config.topics.tf.base_frame
        self._outs = [
            VelocityOut(node, gate.velocity, frame)
            for gate in config.robot.gates.values()
            if isinstance(gate, VelocityGateSettings)
        ]

    def __call__(self) -> None:
        """Publishes once on each."""
        for out in self._outs:
            out.halt()


PERIOD_S = 0.02  # steady; many reasons in a short time must not flood the adapter


class ImmediateStop:
    """Requests the stop of the base in the callback that receives a reason to stop.

    It calls the robot itself as well as the adapter: the first is faster, and the second ends the
    motion for the adapter, too. The tree still withdraws the permission in its next tick, sends
    the stop again and waits for its confirmation. Called in the executor's thread.
    """

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        stops: Iterable[Endpoint],
        clock: Callable[[], float],
        halt: Callable[[], None] = no_base,
    ) -> None:
        """`stops` are the services to call, the fastest first; `clock`: steady time in s.

        `halt` commands a base that has a gate to stand, bypassing the gate.
        """
        calls = [ServiceCalls(node, inbox, stop) for stop in dict.fromkeys(stops)]
        self._requests = [(each, each.request({})) for each in calls]
        self._clock, self._halt = clock, halt
        self._sent_at = -math.inf

    def __call__(self) -> None:
        """Sends the requests, unless they have just been sent."""
        now = self._clock()
        if now >= self._sent_at + PERIOD_S:
            self._sent_at = now
            self._halt()
            for calls, request in self._requests:
                calls.send_unheard(request)
