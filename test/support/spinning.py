"""Nodes that are spun in a thread of their own, while the test's thread looks on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import threading

import rclpy
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node

PERIOD_S = 0.05  # how soon the thread sees that it shall end


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
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        with spinning(executor):
            yield node
    finally:
        executor.shutdown()
        node.destroy_node()
        context.shutdown()
