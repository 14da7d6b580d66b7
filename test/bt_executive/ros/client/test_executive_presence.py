"""What the operator is told of a recording, from /diagnostics of a node that stands in for it."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray
import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from spinning import turn_of
from waiting import wait_until

from bt_executive.client.front_end_events import ClientEvent, Problem
from bt_executive.ros.client.executive_presence import LOOK_S, RecordingWatch
from rover_common.part_health import Health, Part, error
from rover_common.ros.diagnostics import PERIOD_S, QOS, TOPIC, Diagnostics

pytestmark = pytest.mark.ros
LIMIT_S = 60.0


class Bench:
    """Recorders by name, and the watch of one robot's console."""

    def __init__(self, executor: Executor) -> None:
        self.executor, self.now, self.health = executor, 0.0, Health()
        self.told: list[ClientEvent] = []
        console = Node('console', namespace='/rover_1', context=executor.context)
        watch = RecordingWatch(console, self.told.append)
        self.heard: list[DiagnosticArray] = []  # by the console, too
        console.create_subscription(DiagnosticArray, TOPIC, self.heard.append, QOS)
        executor.add_node(console)
        self.reporters = [
            self.reporter('/rover_2', 'recorder', 'recording', lambda: error("another robot's")),
            self.reporter('/rover_1', 'executive', 'mode', lambda: error('another node')),
        ]
        watch.update(0.0)
        assert console.count_subscribers(TOPIC) == 1  # of this bench: nothing is recorded
        recorder = self.reporter('/rover_1', 'recorder', 'recording', lambda: self.health)
        self.reporters.insert(0, recorder)
        wait_until(lambda: self._is_read_by(watch, console), 'the recorder is found')

    def _is_read_by(self, watch: RecordingWatch, console: Node) -> bool:
        self.now += LOOK_S
        watch.update(self.now)
        turn_of(self.executor)()
        return bool(console.count_subscribers(TOPIC) == 2)

    def reporter(
        self, namespace: str, name: str, part: str, health: Callable[[], Health]
    ) -> Diagnostics:
        node = Node(name, namespace=namespace, context=self.executor.context)
        diagnostics = Diagnostics(node, [Part(part, health)], lambda: self.now)
        wait_until(lambda: node.count_subscribers(TOPIC), meanwhile=turn_of(self.executor))
        return diagnostics

    def period(self, health: Health, *told: str) -> None:
        """All report once; the operator was told this by then, and no more."""
        self.health = health
        self.now += PERIOD_S
        self.heard.clear()
        for each in reversed(self.reporters):
            each.update()
        wait_until(
            lambda: len(self.heard) >= len(self.reporters) and len(self.told) >= len(told),
            lambda: f'heard {self.heard}, told {self.told}',
            meanwhile=turn_of(self.executor),
        )
        assert self.told == [Problem(each) for each in told]


def test_each_fault_of_the_own_recorder_is_told_once(
    own_executor: Callable[..., Executor],
) -> None:
    bench = Bench(own_executor())
    bench.period(Health())
    bench.period(error('full'), 'full')
    bench.period(error('full'), 'full')
    bench.period(Health(), 'full')
    bench.period(error('full'), 'full', 'full')
