"""What the operator is told of a recording, from /diagnostics of a node that stands in for it."""

import pytest
from rclpy.node import Node

from bt_executive.health import Health, Part, error
from bt_executive.ros.console_recording import RecordingWatch
from bt_executive.ros.diagnostics import PERIOD_S, TOPIC, Diagnostics

pytestmark = pytest.mark.ros


class Bench:
    """Recorders by name, and the watch of one robot's console."""

    def __init__(self, executor):
        self.executor, self.now, self.told, self.health = executor, 0.0, [], Health()
        console = Node('console', namespace='/rover_1', context=executor.context)
        RecordingWatch(console, self.told.append)
        executor.add_node(console)
        self.reporters = [
            self.reporter('/rover_1', 'recorder', 'recording', lambda: self.health),
            self.reporter('/rover_2', 'recorder', 'recording', lambda: error("another robot's")),
            self.reporter('/rover_1', 'executive', 'mode', lambda: error('another node')),
        ]

    def reporter(self, namespace, name, part, health):
        node = Node(name, namespace=namespace, context=self.executor.context)
        diagnostics = Diagnostics(node, [Part(part, health)], lambda: self.now)
        while not node.count_subscribers(TOPIC):
            self.executor.spin_once(timeout_sec=0.05)
        return diagnostics

    def period(self, health):
        """All report once; returns what was told by then."""
        self.health = health
        self.now += PERIOD_S
        for each in reversed(self.reporters):
            each.look()
        for _ in self.reporters:
            self.executor.spin_once(timeout_sec=0.5)
        return [each.reason for each in self.told]


def test_each_fault_of_the_own_recorder_is_told_once(own_executor):
    bench = Bench(own_executor())
    assert bench.period(Health()) == []
    assert bench.period(error('full')) == ['full']
    assert bench.period(error('full')) == ['full']
    assert bench.period(Health()) == ['full']
    assert bench.period(error('full')) == ['full', 'full']
