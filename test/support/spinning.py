"""Executors that are spun: in a thread of their own, or turn by turn while a test waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
import threading

import rclpy
from rclpy.executors import Executor
from rclpy.node import Node

from rover_common.ros.low_latency_executor import LowLatencyExecutor

PERIOD_S = 0.05  # how soon the thread sees that it shall end
TURN_S = 0.02  # longest time for which one turn waits for work


def turn_of(executor: Executor) -> Callable[[], None]:
    """What `wait_until` does meanwhile, where the test's own thread spins."""
    return partial(executor.spin_once, timeout_sec=TURN_S)


@contextmanager
def spinning(executor: Executor) -> Iterator[None]:
    """Spins an executor until the end of the block."""
    ended = threading.Event()

    def spin() -> None:
        while not ended.is_set():
            executor.spin_once(timeout_sec=PERIOD_S)

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def spun_node(name: str, domain: int | None = None) -> Iterator[Node]:
    """A node in a context of its own; without a `domain`, in that of the environment."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    node = Node(name, context=context)
    executor = LowLatencyExecutor(context=context)
    executor.add_node(node)
    try:
        with spinning(executor):
            yield node
    finally:
        executor.shutdown()
        node.destroy_node()
        context.shutdown()
