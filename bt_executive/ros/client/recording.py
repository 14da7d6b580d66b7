"""Tells the operator of a recording that has ended before its time, from /diagnostics."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from bt_executive.client.events import ClientEvent, Problem
from bt_executive.launching.nodes import RECORDER
from bt_executive.store.recorded_topics import RECORDING
from rover_common.ros.diagnostics import QOS, TOPIC, status_name


class RecordingWatch:
    """Listens to the recorder of the node's namespace.

    Args:
        node: Used in its thread alone.
        put: Takes one `Problem` for each fault.
    """

    def __init__(self, node: Node, put: Callable[[ClientEvent], None]) -> None:
        self._put = put
        self._name = status_name(f'{node.get_namespace()}/{RECORDER}', RECORDING)
        self._told: str | None = None
        node.create_subscription(DiagnosticArray, TOPIC, self._on_state, QOS)

    def _on_state(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == self._name:
                fault = status.message if status.level == DiagnosticStatus.ERROR else None
                if fault and fault != self._told:
                    self._put(Problem(fault))
                self._told = fault
