"""The executor serves everything; notices of foreign endpoints come a little later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
import gc
import math
from typing import Any
import weakref

from builtin_interfaces.msg import Time
import pytest
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.context import Context
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from spinning import spinning, turn_of
from std_msgs.msg import String
from waiting import wait_until

from rover_common.ros.low_latency_executor import LowLatencyExecutor, PersistentWaitSet

pytestmark = pytest.mark.ros
BOUND_S = 60.0
OFFERED = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
WANTED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


@pytest.fixture
def node() -> Iterator[Node]:
    context = Context()
    rclpy.init(context=context)
    node = Node('listener', context=context)
    yield node
    node.destroy_node()
    context.try_shutdown()


@pytest.fixture
def executor(node: Node) -> Iterator[LowLatencyExecutor]:
    executor = LowLatencyExecutor(context=node.context)
    executor.add_node(node)
    yield executor
    executor.shutdown()


def spin(executor: LowLatencyExecutor, done: Sequence[object]) -> None:
    wait_until(lambda: done, meanwhile=turn_of(executor))


def test_a_notice_of_an_incompatible_publisher_arrives_at_any_time(
    node: Node, executor: LowLatencyExecutor
) -> None:
    notices: list[object] = []
    node.create_subscription(
        String,
        'talk',
        lambda _: None,
        WANTED,
        event_callbacks=SubscriptionEventCallbacks(incompatible_qos=notices.append),
    )
    for _ in range(2):  # also after it was asked for once
        publisher = node.create_publisher(String, 'talk', OFFERED)
        spin(executor, notices)
        assert notices
        notices.clear()
        node.destroy_publisher(publisher)


def test_messages_come_without_asking_for_notices(node: Node) -> None:
    """The one that came before is there for whoever asks later."""
    deaf = LowLatencyExecutor(context=node.context, notices_period_s=math.inf)
    deaf.add_node(node)
    deaf.spin_once(timeout_sec=0.0)  # asks once
    heard: list[object] = []
    notices: list[object] = []
    node.create_subscription(
        String,
        'talk',
        heard.append,
        WANTED,
        event_callbacks=SubscriptionEventCallbacks(incompatible_qos=notices.append),
    )
    node.create_publisher(String, 'talk', OFFERED)
    publisher = node.create_publisher(String, 'talk', WANTED)
    publisher.publish(String())
    spin(deaf, heard)
    assert heard
    assert not notices
    deaf.remove_node(node)
    deaf.shutdown()
    asking = LowLatencyExecutor(context=node.context)
    asking.add_node(node)
    spin(asking, notices)
    asking.shutdown()


def test_tasks_are_done_in_the_order_in_which_they_are_given(executor: LowLatencyExecutor) -> None:
    """Else a pause that follows a resume would be sent first."""
    done: list[int] = []
    for number in range(4):
        executor.create_task(done.append, number)
    for _ in range(4):
        executor.spin_once(timeout_sec=0.0)
    assert done == [0, 1, 2, 3]


def test_what_a_node_has_given_up_is_not_kept(node: Node, executor: LowLatencyExecutor) -> None:
    before = len(list(node.waitables))
    publisher = node.create_publisher(String, 'talk', OFFERED)
    of_publisher = [weakref.ref(each) for each in list(node.waitables)[before:]]
    assert of_publisher
    executor.spin_once(timeout_sec=0.0)
    node.destroy_publisher(publisher)
    del publisher
    executor.create_task(lambda: None)
    executor.spin_once(timeout_sec=0.0)
    executor.spin_once(timeout_sec=0.0)
    gc.collect()
    assert not any(each() for each in of_publisher)


def test_what_a_node_gets_while_somebody_waits_is_served(
    node: Node, executor: LowLatencyExecutor
) -> None:
    heard: list[object] = []
    publisher = node.create_publisher(String, 'talk', WANTED)
    with spinning(executor):
        subscription = node.create_subscription(String, 'talk', heard.append, WANTED)
        publisher.publish(String())
        wait_until(lambda: heard, 'the first subscription is served')
        node.destroy_subscription(subscription)
        second: list[object] = []
        node.create_subscription(String, 'talk', second.append, WANTED)
        publisher.publish(String())
        wait_until(lambda: second, 'the second one is served')
    assert len(heard) == 1


def test_a_group_that_is_busy_is_left_alone_and_others_are_served(
    node: Node, executor: LowLatencyExecutor
) -> None:
    order: list[str] = []
    free = rclpy.Future()
    exclusive = MutuallyExclusiveCallbackGroup()

    async def begin_and_wait() -> None:
        begun.cancel()
        order.append('begins')
        await free
        order.append('ends')

    begun = node.create_timer(0.0, begin_and_wait, exclusive)
    guard = node.create_guard_condition(lambda: order.append('guard'), exclusive)
    other: list[object] = []

    def count() -> None:
        other.append(None)
        if len(other) == 3:
            free.set_result(None)

    spin(executor, order)
    guard.trigger()
    node.create_timer(0.01, count)
    wait_until(lambda: 'guard' in order, meanwhile=turn_of(executor))
    assert len(other) >= 3
    assert order == ['begins', 'ends', 'guard']


def test_a_task_goes_on_when_another_one_lets_it(node: Node, executor: LowLatencyExecutor) -> None:
    """Whichever of the two came first."""
    for first in (True, False):
        gate = rclpy.Future()
        done: list[str] = []

        async def wait(gate: rclpy.Future = gate, done: list[str] = done) -> None:
            await gate
            done.append('went on')

        def let(gate: rclpy.Future = gate) -> None:
            gate.set_result(None)

        for work in (wait, let) if first else (let, wait):
            executor.create_task(work)
        spin(executor, done)


def test_one_message_is_one_wait(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """rclpy wakes itself twice after each callback."""
    executor = LowLatencyExecutor(context=node.context, notices_period_s=math.inf)
    executor.add_node(node)
    heard: list[object] = []
    node.create_subscription(String, 'talk', heard.append, WANTED)
    publisher = node.create_publisher(String, 'talk', WANTED)
    publisher.publish(String())
    spin(executor, heard)
    for _ in range(3):  # what the new endpoints have left
        executor.spin_once(timeout_sec=0.0)
    waits: list[int] = []
    wait = PersistentWaitSet.wait

    def counted(standing: PersistentWaitSet, limit_ns: int) -> Any:
        waits.append(limit_ns)
        return wait(standing, limit_ns)

    monkeypatch.setattr(PersistentWaitSet, 'wait', counted)
    for number in range(2, 6):
        publisher.publish(String())
        while len(heard) < number:
            executor.spin_once()
    assert len(waits) == 4
    executor.shutdown()


NO_TYPE = [ParameterMessage(name='use_sim_time', value=ParameterValue(type=77))]


def test_what_rclpy_itself_cannot_take_ends_nothing(
    node: Node, executor: LowLatencyExecutor
) -> None:
    """A time before zero on /clock, and a parameter of no type, raise in callbacks of rclpy's."""
    node.set_parameters([Parameter('use_sim_time', value=True)])
    ticks = node.create_publisher(Clock, '/clock', 10)
    setters = {
        each: node.create_client(each, f'listener/{name}')
        for each, name in (
            (SetParameters, 'set_parameters'),
            (SetParametersAtomically, 'set_parameters_atomically'),
        )
    }

    def time_is(seconds: int) -> bool:
        executor.spin_once(timeout_sec=0.05)
        return bool(node.get_clock().now().nanoseconds == seconds * 10**9)

    for second in (3, 4):  # it goes on as before
        shown = Clock(clock=Time(sec=second))
        wait_until(partial(time_is, second), meanwhile=partial(ticks.publish, shown))
        for sec, nanosec in ((-5, 0), (-1, 999_999_999)):
            ticks.publish(Clock(clock=Time(sec=sec, nanosec=nanosec)))
        for kind, client in setters.items():
            wait_until(client.service_is_ready, meanwhile=turn_of(executor))
            client.call_async(kind.Request(parameters=NO_TYPE))
        for _ in range(20):
            executor.spin_once(timeout_sec=0.02)


def test_a_fault_of_ours_in_a_callback_is_none_of_rclpys(
    node: Node, executor: LowLatencyExecutor
) -> None:
    def fail(_message: String) -> None:
        raise ValueError('of ours')

    node.create_subscription(String, 'talk', fail, 10)
    publisher = node.create_publisher(String, 'talk', 10)

    def spin_until_it_fails() -> bool:
        publisher.publish(String())
        with pytest.raises(ValueError, match='of ours'):
            executor.spin_once(timeout_sec=1.0)
        return True

    wait_until(lambda: node.count_subscribers('talk') > 0, meanwhile=turn_of(executor))
    assert spin_until_it_fails()
