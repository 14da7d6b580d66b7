"""`/diagnostics` of the executive: how it ticks, what mode it is in, and why."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from bt_executive.kernel.tick_statistics import TickReport
from bt_executive.state import BrainState, Mode

LEVELS = {Mode.SAFE: DiagnosticStatus.ERROR, Mode.CHARGE: DiagnosticStatus.WARN}


class Diagnostics:
    """Publishes one status; called in the tick thread about once a second."""

    def __init__(self, node: Node, hardware_id: str) -> None:
        self._node = node
        self._hardware_id = hardware_id
        self._publisher = node.create_publisher(DiagnosticArray, 'diagnostics', 10)
        self._overruns = 0

    def publish(self, state: BrainState, ticks: TickReport, inbox: int, dropped: int) -> None:
        """Publishes the figures of now. `inbox`: events that wait."""
        level = LEVELS.get(state.tasks.mode, DiagnosticStatus.OK)
        late = ticks.overruns > self._overruns
        self._overruns = ticks.overruns
        if late:
            level = max(level, DiagnosticStatus.WARN)
        message = state.tasks.preempt_reason or ('a tick was late' if late else 'ok')
        figures = {
            'mode': state.tasks.mode.value,
            'goal': state.tasks.active.goal if state.tasks.active else '',
            'rate_hz': f'{ticks.rate_hz:.1f}',
            'tick_p50_ms': f'{ticks.median_s * 1e3:.2f}',
            'tick_p99_ms': f'{ticks.p99_s * 1e3:.2f}',
            'overruns': str(ticks.overruns),
            'inbox_depth': str(inbox),
            'inbox_dropped': str(dropped),
        }
        status = DiagnosticStatus(
            level=level,
            name=f'{self._node.get_name()}: tick',
            message=message,
            hardware_id=self._hardware_id,
            values=[KeyValue(key=key, value=value) for key, value in figures.items()],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)
