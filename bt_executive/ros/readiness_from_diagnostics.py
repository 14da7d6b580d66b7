"""Which parts of the robot's nodes are not ready, by their diagnostics."""

from __future__ import annotations

from collections.abc import Iterable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from rclpy.qos import QoSProfile

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ReadinessReceived
from bt_executive.core.node_readiness import NOT_REPORTED
from rover_common.diagnostic_status import Level
from rover_common.ros.diagnostics_publisher import TOPIC
from rover_common.ros.polled_and_on_demand_subscriptions import PolledSubscription

LONGEST_NOT_READY = 200  # characters of the reason why a part is not ready
REPORTS_QOS = QoSProfile(depth=100)
READY = (Level.OK, Level.WARN)


class ReadinessWatch:
    """Follows some parts of the nodes in this node's namespace.

    Each node of each robot publishes once a second, and each message would wake this process up:
    so messages are read by `update`.

    `parts`: names of diagnostics without the namespace, such as `environment_simulator: capture`.
    """

    def __init__(self, node: Node, inbox: Inbox, parts: Iterable[str]) -> None:
        self._inbox = inbox
        self._not_ready = dict.fromkeys(parts, NOT_REPORTED)
        space = node.get_namespace().strip('/')
        self._names = {f'{space}/{name}' if space else name: name for name in self._not_ready}
        if self._not_ready:
            self._reports = PolledSubscription(node, DiagnosticArray, TOPIC, REPORTS_QOS)
            inbox.put(ReadinessReceived(dict(self._not_ready)))

    def update(self) -> None:
        """Reads the diagnostics that have arrived."""
        if not self._names:
            return
        before = dict(self._not_ready)
        for message in self._reports.messages():
            for status in message.status:
                self._note(status)
        if self._not_ready != before:
            self._inbox.put(ReadinessReceived(dict(self._not_ready)))

    def _note(self, status: DiagnosticStatus) -> None:
        name = self._names.get(status.name)
        if name is None:
            return
        if status.level[0] in READY:
            self._not_ready.pop(name, None)
        else:
            self._not_ready[name] = status.message[:LONGEST_NOT_READY] or 'not ready'
