"""Reports that the recording of a run has ended early."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from bt_executive.client.front_end_events import ClientEvent, Problem
from bt_executive.store.recorded_topics_and_definitions import RECORDING
from rover_common.ros.diagnostics_publisher import QOS, TOPIC, status_name
from rover_common.ros.node_topic_and_enclave_names import RECORDER

POLL_PERIOD_S = 1.0  # as the recorder's diagnostics


class RecordingWatch:
    """Follows the diagnostics of the recorder in the node's namespace, once it is in the graph.

    All nodes publish on that topic: without a recorder it is not subscribed to.

    Args:
        node: Used in its thread alone.
        emit: Takes one `Problem` for each fault.
    """

    def __init__(self, node: Node, emit: Callable[[ClientEvent], None]) -> None:
        self._node, self._emit = node, emit
        self._poll_at = 0.0  # steady s
        self._listens = False
        self._name = status_name(f'{node.get_namespace()}/{RECORDER}', RECORDING)
        self._reported: str | None = None

    def update(self, now: float) -> None:
        """Looks for the recorder; to be called repeatedly. `now`: steady time in s."""
        if self._listens or now < self._poll_at:
            return
        self._poll_at = now + POLL_PERIOD_S
        recorder = RECORDER, self._node.get_namespace()
        if recorder in self._node.get_node_names_and_namespaces():
            self._listens = True
            self._node.create_subscription(DiagnosticArray, TOPIC, self._on_state, QOS)

    def _on_state(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == self._name:
                fault = status.message if status.level == DiagnosticStatus.ERROR else None
                if fault and fault != self._reported:
                    self._emit(Problem(fault))
                self._reported = fault
