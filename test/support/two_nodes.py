"""An executive's node and a console's, in a context of their own, turned by the test's thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import itertools
import os
from typing import TypeVar

import rclpy
from rclpy.node import Node
from waiting import wait_until

from rover_common.ros.low_latency_executor import LowLatencyExecutor

Seen = TypeVar('Seen')
_numbers = itertools.count(os.getpid())


class TwoNodes:
    """In a namespace of their own that begins with `name`."""

    def __init__(self, context: rclpy.Context, name: str) -> None:
        namespace = f'/{name}_{next(_numbers)}'
        self.served = Node('executive', namespace=namespace, context=context)
        self.console = Node('console', namespace=namespace, context=context)
        self._executor = LowLatencyExecutor(context=context)
        for node in (self.served, self.console):
            self._executor.add_node(node)

    def turn(self) -> None:
        """Serves them for a moment."""
        self._executor.spin_once(timeout_sec=0.02)

    def until(self, condition: Callable[[], Seen], what: str) -> Seen:
        """Turns until the condition is true and returns it."""
        return wait_until(condition, what, meanwhile=self.turn)


@contextmanager
def own_context() -> Iterator[rclpy.Context]:
    """A context that ends with the block."""
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        yield context
    finally:
        context.try_shutdown()
