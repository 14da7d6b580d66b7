"""Parts of this robot's nodes are ready or not as their diagnostics report."""

from __future__ import annotations

from collections.abc import Callable
import itertools
import os

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from own_executor import own_executor as own_executor
import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from waiting import wait_until

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ReadinessReceived
from bt_executive.core.node_readiness import NOT_REPORTED
from bt_executive.ros.readiness_from_diagnostics import ReadinessWatch
from rover_common.ros.diagnostics_publisher import QOS, TOPIC

pytestmark = pytest.mark.ros

PART = 'simulator: capture'
_numbers = itertools.count(os.getpid())


@pytest.mark.parametrize('namespaced', [True, False])
def test_the_parts_of_this_robot_are_heard(
    own_executor: Callable[[], Executor], namespaced: bool
) -> None:
    executor, inbox = own_executor(), Inbox()
    space = f'rover_{next(_numbers)}' if namespaced else ''
    node = Node('executive', namespace=space, context=executor.context)
    teller = node.create_publisher(DiagnosticArray, TOPIC, QOS)
    watch = ReadinessWatch(node, inbox, [PART])
    executor.add_node(node)
    name = f'{space}/{PART}' if space else PART

    def hear(level: bytes, words: str) -> dict[str, str]:
        """What is not ready after this was told, beside words of others."""
        others = [
            DiagnosticStatus(level=DiagnosticStatus.ERROR, name=each, message='not ours')
            for each in ('another/' + name, 'simulator: faults')
        ]
        status = DiagnosticStatus(level=level, name=name, message=words)

        def tell() -> None:
            teller.publish(DiagnosticArray(status=[*others, status]))
            executor.spin_once(timeout_sec=0.05)
            watch.update()

        (event,) = wait_until(inbox.drain, meanwhile=tell)
        assert isinstance(event, ReadinessReceived)
        return dict(event.not_ready)

    assert inbox.drain() == [ReadinessReceived({PART: NOT_REPORTED})]
    assert hear(DiagnosticStatus.STALE, 'No image yet') == {PART: 'No image yet'}
    assert hear(DiagnosticStatus.WARN, 'a little dark') == {}
    assert hear(DiagnosticStatus.ERROR, '') == {PART: 'not ready'}
