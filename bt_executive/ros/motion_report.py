"""Says what stops the rover and which faults are on: in the log at once, on /diagnostics too."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node


class MotionReport:
    """Two statuses of a node: `motion` and `faults`."""

    def __init__(self, node: Node, faults: Callable[[], frozenset[str]]) -> None:
        self._node = node
        self._faults = faults
        self._blocked_by = ''
        self._publisher = node.create_publisher(DiagnosticArray, 'diagnostics', 10)

    def look(self, blocked_by: str) -> None:
        """Takes notice of what stops the rover; told when it changes."""
        if blocked_by == self._blocked_by:
            return
        if blocked_by and not self._blocked_by:
            self._node.get_logger().warning(f'The rover is stopped by {blocked_by}')
        self._blocked_by = blocked_by
        self.publish()

    def publish(self) -> None:
        """Publishes both statuses as they are now."""
        blocked, faults = self._blocked_by, ', '.join(sorted(self._faults()))
        error, warning, fine = DiagnosticStatus.ERROR, DiagnosticStatus.WARN, DiagnosticStatus.OK
        name = self._node.get_name()
        array = DiagnosticArray(
            status=[
                DiagnosticStatus(
                    level=error if blocked else fine,
                    name=f'{name}: motion',
                    message=f'stopped by {blocked}' if blocked else 'free',
                    hardware_id=name,
                ),
                DiagnosticStatus(
                    level=warning if faults else fine,
                    name=f'{name}: faults',
                    message=faults or 'none',
                    hardware_id=name,
                ),
            ]
        )
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)
