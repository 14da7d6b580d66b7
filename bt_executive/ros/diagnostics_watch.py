"""Whether the nodes behind the tools can work, from their diagnostics, into the inbox."""

from __future__ import annotations

from collections.abc import Iterable

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ReadinessSeen
from bt_executive.core.node_readiness import NOT_HEARD
from rover_common.health import Level
from rover_common.ros.diagnostics import QOS, TOPIC

LONGEST_REASON = 200  # characters
READY = (Level.OK, Level.WARN)


class ReadinessWatch:
    """Follows some parts of the nodes in this node's namespace.

    `parts`: names of diagnostics without the namespace, such as `environment_simulator: capture`.
    """

    def __init__(self, node: Node, inbox: Inbox, parts: Iterable[str]) -> None:
        self._inbox = inbox
        self._not_ready = dict.fromkeys(parts, NOT_HEARD)
        space = node.get_namespace().strip('/')
        self._names = {f'{space}/{name}' if space else name: name for name in self._not_ready}
        if self._not_ready:
            node.create_subscription(DiagnosticArray, TOPIC, self._on_readiness, QOS)
            inbox.put(ReadinessSeen(dict(self._not_ready)))

    def _on_readiness(self, message: DiagnosticArray) -> None:
        before = dict(self._not_ready)
        for status in message.status:
            name = self._names.get(status.name)
            if name is None:
                continue
            if status.level[0] in READY:
                self._not_ready.pop(name, None)
            else:
                self._not_ready[name] = status.message[:LONGEST_REASON] or 'not ready'
        if self._not_ready != before:
            self._inbox.put(ReadinessSeen(dict(self._not_ready)))
