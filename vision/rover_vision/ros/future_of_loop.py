"""Waits in ROS for a future of the asyncio loop of another thread."""

from __future__ import annotations

from concurrent.futures import Future as Concurrent
from typing import Any

from rclpy.node import Node
from rclpy.task import Future


def done_in_ros(node: Node, work: Concurrent[Any]) -> Future:
    """Return a ROS future that is done when this one of the loop is done."""
    done = Future()

    def wake(_work: Concurrent[Any]) -> None:
        done.set_result(None)
        if node.executor is not None:
            node.executor.wake()

    work.add_done_callback(wake)
    return done
