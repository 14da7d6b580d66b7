"""`/diagnostics`: what is told, as whom, and when."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from spinning import turn_of
from waiting import wait_until

from rover_common.diagnostic_status import Health, Level, Part, error, stale
from rover_common.ros.diagnostics_publisher import (
    PERIOD_S,
    POLL_S,
    SETTLED_S,
    Diagnostics,
    report_diagnostics,
)

pytestmark = pytest.mark.ros


class Bench:
    """A node that reports one part by a clock that the test moves, and who listens."""

    def __init__(self, executor: Executor, namespace: str) -> None:
        context = executor.context
        self.now = 0.0
        self.health = Health()
        self.heard: list[DiagnosticArray] = []
        self.node = Node('subject', namespace=namespace, context=context)
        listener = Node('listener', context=context)
        listener.create_subscription(DiagnosticArray, '/diagnostics', self.heard.append, 100)
        part = Part('part', lambda: self.health, lambda: {'age_s': 1.5, 'limit': None})
        self.diagnostics = Diagnostics(self.node, [part], lambda: self.now)
        self.executor = executor
        self.executor.add_node(listener)
        wait_until(
            lambda: self.node.count_subscribers('/diagnostics'), meanwhile=turn_of(executor)
        )

    def look(self, expected: int) -> list[DiagnosticStatus]:
        """Looks once; returns what was heard since, once `expected` arrays have come."""
        self.heard.clear()
        self.diagnostics.update()
        wait_until(lambda: len(self.heard) >= expected, meanwhile=turn_of(self.executor))
        if not expected:
            self.executor.spin_once(timeout_sec=0.3)
        assert len(self.heard) == expected
        return [status for array in self.heard for status in array.status]


@pytest.fixture
def make(own_executor: Callable[..., Executor]) -> Callable[..., Bench]:
    return lambda namespace='': Bench(own_executor(), namespace)


def test_a_part_is_told_once_a_period_and_at_once_when_it_gets_better_or_worse(
    make: Callable[..., Bench],
) -> None:
    bench = make()
    (first,) = bench.look(1)
    assert (first.level, first.message, first.name) == (b'\0', 'ok', 'subject: part')
    assert {value.key: value.value for value in first.values} == {
        'age_s': '1.5',
        'limit': 'unknown',
    }
    bench.look(0)
    bench.health = stale('nothing came')
    (worse,) = bench.look(1)
    assert (worse.level, worse.message) == (b'\3', 'nothing came')
    bench.health = stale('nothing came for longer')
    bench.look(0)  # the same level
    bench.now += PERIOD_S
    assert bench.look(1)[0].message == 'nothing came for longer'
    bench.health = error('broken')
    assert bench.look(1)[0].level == bytes([Level.ERROR])


def test_robots_share_the_topic_and_tell_who_they_are(make: Callable[..., Bench]) -> None:
    (status,) = make('/rover_1').look(1)
    assert (status.name, status.hardware_id) == ('rover_1/subject: part', 'rover_1')
    (alone,) = make().look(1)
    assert alone.hardware_id == 'robot'


def test_a_node_looks_less_often_at_parts_that_stay_as_they_are(
    own_executor: Callable[..., Executor],
) -> None:
    now, health = [0.0], [Health()]
    node = Node('subject', context=own_executor().context)
    part = Part('part', lambda: health[0], dict)
    report_diagnostics(node, [part], lambda: now[0])
    (timer,) = node.timers

    def looks_every_s(passed_s: float) -> float:
        now[0] += passed_s
        timer.callback()
        return float(timer.timer_period_ns) * 1e-9

    assert looks_every_s(0.0) == POLL_S
    assert looks_every_s(SETTLED_S) == POLL_S
    assert looks_every_s(POLL_S) == PERIOD_S
    health[0] = error('broken')
    assert looks_every_s(PERIOD_S) == POLL_S
