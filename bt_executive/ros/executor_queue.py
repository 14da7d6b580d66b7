"""ExecutorQueue: calls that other threads leave for the executor's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node


class ExecutorQueue:
    """Runs what it is given in the executor's thread, in order, one at a time.

    `group` must be mutually exclusive and hold whatever the calls touch.
    """

    def __init__(self, node: Node, group: CallbackGroup) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._bell = node.create_guard_condition(self._run, callback_group=group)

    def submit(self, errand: Callable[[], None]) -> None:
        """Takes an errand and returns at once; any thread may call it."""
        self._waiting.append(errand)
        self._bell.trigger()

    def _run(self) -> None:
        while self._waiting:
            self._waiting.popleft()()
