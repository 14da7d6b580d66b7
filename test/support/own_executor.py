"""Fixtures for tests with nodes in contexts of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import rclpy
from rclpy.executors import Executor

from rover_common.ros.low_latency_executor import LowLatencyExecutor


@pytest.fixture
def own_executor() -> Iterator[Callable[..., Executor]]:
    """Makes executors with a context each, from ROS arguments."""
    made: list[Executor] = []

    def make(*given: str) -> Executor:
        context = rclpy.Context()
        rclpy.init(context=context, args=['--ros-args', *given])
        made.append(LowLatencyExecutor(context=context))
        return made[-1]

    yield make
    for executor in made:
        for node in executor.get_nodes():
            node.destroy_node()
        executor.shutdown()
        executor.context.try_shutdown()
