"""Real nodes of the simulation, spun by the test's own thread until a condition holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import time
from typing import Any, TypeVar

import pytest
import rclpy
from rclpy.node import Node
from spinning import turn_of
from waiting import LIMIT_S, wait_until

from rover_common.config.load import load_config
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.run_node import NodeOptions

SMALL_WORLD = (
    'curiosity.rover.camera.width=160',
    'curiosity.rover.camera.height=120',
    'curiosity.rover.rocks=20',
)


Made = TypeVar('Made', bound=Node)


class Network:
    """Nodes that share one executor; nothing happens unless a test waits for something."""

    def __init__(self) -> None:
        self._executor = LowLatencyExecutor()
        self._nodes: list[Node] = []

    def add(self, node: Made) -> Made:
        self._executor.add_node(node)
        self._nodes.append(node)
        return node

    def start(self, make_node: Callable[[NodeOptions], Made], *overrides: str) -> Made:
        config = load_config(None, [*SMALL_WORLD, *overrides])
        return self.add(make_node(NodeOptions(config, None)))

    def remove(self, node: Node) -> None:
        self._executor.remove_node(node)
        self._nodes.remove(node)
        node.destroy_node()

    def wait_until(
        self,
        condition: Callable[[], Any],
        timeout_s: float = LIMIT_S,
        what: str | Callable[[], str] = 'it has come true',
    ) -> None:
        wait_until(condition, what, timeout_s, meanwhile=turn_of(self._executor))

    def wait(self, seconds: float) -> None:
        """Lets the nodes work for a while: for things that must not happen."""
        end = time.monotonic() + seconds
        self.wait_until(lambda: time.monotonic() >= end)

    def call(self, node: Node, type_: Any, name: str) -> Any:
        client = node.create_client(type_, name)
        self.wait_until(client.service_is_ready)
        future = client.call_async(type_.Request())
        self.wait_until(future.done)
        return future.result()

    def end(self) -> None:
        for node in list(self._nodes):
            self.remove(node)
        self._executor.shutdown()


@pytest.fixture
def network() -> Iterator[Network]:
    rclpy.init()
    made = Network()
    yield made
    made.end()
    rclpy.shutdown()
