"""`/diagnostics` of a node: how each of its parts is, why, and the figures behind it.

As diagnostic_updater does it, of which there is no wheel: one absolute topic for all robots, every
part once a second. Unlike there, a part that gets better or worse is told soon. A status is
named `<node>: <part>`, with the namespace in front if there is one; the hardware is the robot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from rclpy.qos import QoSProfile

from rover_common.diagnostic_status import Health, Level, Part
from rover_common.ros.timers import STEADY, set_period

TOPIC = '/diagnostics'
PERIOD_S = 1.0
POLL_S = 0.5  # how often a node's parts are evaluated for a change
SETTLED_S = 5.0  # without a change of level for this long, they are evaluated once a period
EARLY_S = 0.1  # an update that comes a little before the period still reports
LONE_ROBOT = 'robot'  # its name where there is no namespace
QOS = QoSProfile(depth=10)


class Diagnostics:
    """Reports the parts of a node.

    `update` has to be called periodically, in the thread that owns the parts; see
    `report_diagnostics` for nodes of one thread.
    """

    def __init__(
        self, node: Node, parts: Iterable[Part], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._node = node
        self._parts = tuple(parts)
        self._clock = clock
        self._full_name = node.get_fully_qualified_name()
        self._robot = node.get_namespace().strip('/') or LONE_ROBOT
        self._published_levels: list[Level] = []
        self._due_at = self._changed_at = clock()
        self._publisher = node.create_publisher(DiagnosticArray, TOPIC, QOS)

    def update(self) -> None:
        """Publish every part once a period, and at once when one has changed its level."""
        now = self._clock()
        healths = [part.health() for part in self._parts]
        levels = [health.level for health in healths]
        if levels != self._published_levels:
            self._changed_at = now
        elif now + EARLY_S < self._due_at:
            return
        self._published_levels, self._due_at = levels, now + PERIOD_S
        array = DiagnosticArray(status=list(map(self._status, self._parts, healths)))
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)

    @property
    def is_settled(self) -> bool:
        """Whether no part has changed its level for a while."""
        return self._clock() - self._changed_at > SETTLED_S

    def _status(self, part: Part, health: Health) -> DiagnosticStatus:
        return DiagnosticStatus(
            level=bytes([health.level]),
            name=status_name(self._full_name, part.name),
            message=health.reason,
            hardware_id=self._robot,
            values=[
                KeyValue(key=key, value=_text(value)) for key, value in part.figures().items()
            ],
        )


def report_diagnostics(
    node: Node, parts: Iterable[Part], clock: Callable[[], float] = time.monotonic
) -> Diagnostics:
    """Reports the parts of a node that is spun by one thread, by a timer of steady time."""
    diagnostics = Diagnostics(node, parts, clock)

    def on_timer() -> None:
        diagnostics.update()
        set_period(timer, PERIOD_S if diagnostics.is_settled else POLL_S)

    timer = node.create_timer(POLL_S, on_timer, clock=STEADY)
    return diagnostics


def status_name(node: str, part: str) -> str:
    """How a part of a node with this full name is called."""
    return f'{node.lstrip("/")}: {part}'


def _text(value: Any) -> str:
    if value is None:
        return 'unknown'
    return f'{value:.4g}' if isinstance(value, float) else str(value)
