"""A tree host whose faults stay its own: looking at the robot must never stop it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from py_trees.behaviour import Behaviour
from rclpy.node import Node

from bt_executive.ros.tree_stream.tree_host import TreeHost

REPORT_EVERY_S = 10.0


class ContainedHost:
    """Passes ticks on; what the host raises is logged, and the next tick is tried again."""

    def __init__(self, node: Node, host: TreeHost) -> None:
        self._node = node
        self._host = host

    def before_tick(self) -> None:
        """A tick begins."""
        self._try(self._host.before_tick)

    def after_tick(self, visited: Sequence[Behaviour]) -> None:
        """A tick has ended."""
        self._try(lambda: self._host.after_tick(visited))

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # whatever went wrong, the next tick must come
            self._node.get_logger().error(
                f'The tree is not shown: {type(error).__name__}: {error}',
                throttle_duration_sec=REPORT_EVERY_S,
            )
