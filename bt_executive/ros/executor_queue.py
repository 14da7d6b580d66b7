"""A queue of calls that other threads submit to the executor's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node


class ExecutorQueue:
    """Runs calls in the executor's thread, in order, one at a time.

    `group` must be mutually exclusive and contain everything that the calls use.
    """

    def __init__(self, node: Node, group: CallbackGroup) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._wake = node.create_guard_condition(self._run, callback_group=group)

    def submit(self, call: Callable[[], None]) -> None:
        """Queues a call and returns at once; any thread may use it."""
        self._waiting.append(call)
        self._wake.trigger()

    def _run(self) -> None:
        while self._waiting:
            self._waiting.popleft()()
