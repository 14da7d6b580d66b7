"""Presence of executive and recorder, and the begin of a run, from nodes in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import time
from typing import Any

from bt_executive_interfaces.msg import Heartbeat
from diagnostic_msgs.msg import DiagnosticArray
import pytest
import rclpy
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.parameter import Parameter
from spinning import turn_of
from std_srvs.srv import Trigger
from two_nodes import TwoNodes, own_context
from waiting import wait_until

from bt_executive.client.front_end_events import ClientEvent, Problem, RunStarted
from bt_executive.ros.client.executive_presence import (
    LOST_S,
    PARAMETER,
    QUIET_S,
    ExecutivePresence,
    RunBeganQuestion,
)
from bt_executive.ros.client.received_messages import POLL_PERIOD_S, RecordingWatch
from bt_executive.ros.client.service_and_parameter_calls import NodeParameters
from rover_common.diagnostic_status import Health, Part, error
from rover_common.ros.diagnostics_publisher import PERIOD_S, QOS, TOPIC, Diagnostics
from rover_common.ros.heartbeat_setpoint_and_status import HEARTBEAT, LATEST

pytestmark = pytest.mark.ros
LIMIT_S = 60.0
STEP_S = 0.4  # shorter than what counts as a sleep of this process


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
        self.now += POLL_PERIOD_S
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


class Beside:
    """A front end whose clock is the test's, beside an executive that answers."""

    def __init__(self, executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
        self._turn = turn_of(executor)
        self.told: list[str] = []
        node = Node('console', context=executor.context)
        executor.add_node(node)
        self.presence = ExecutivePresence(
            node,
            node.create_client(Trigger, 'executive/show_tree'),
            is_served=lambda: True,
            on_ready=lambda: None,
            on_quiet=lambda quiet: self.told.append(f'quiet: {quiet}'),
            on_lost=self.told.append,
        )
        self.now = time.monotonic()  # after the moment from which its silence counts
        monkeypatch.setattr(self.presence._liveliness._clocks, 'steady', lambda: self.now)
        self.presence.ready = True
        self._heartbeats = node.create_publisher(Heartbeat, HEARTBEAT, LATEST)
        wait_until(self._heartbeats.get_subscription_count, meanwhile=self._turn)

        self._read: list[str] = []
        apply = self.presence._apply_heartbeat

        def read(heartbeat: Heartbeat, age_s: float) -> None:
            self._read.append(heartbeat.sender)
            apply(heartbeat, age_s)

        monkeypatch.setattr(self.presence, '_apply_heartbeat', read)

    def send_heartbeat(self, sender: str) -> None:
        """Looks until it has read this heartbeat."""
        self._read.clear()
        self._heartbeats.publish(Heartbeat(sender=sender))
        wait_until(lambda: self.looks() and self._read == [sender], meanwhile=self._turn)

    def looks(self, after_s: float = 0.0) -> bool:
        self.now += after_s
        self.presence.update(self.now)
        return True


@pytest.fixture
def beside(own_executor: Callable[..., Executor], monkeypatch: pytest.MonkeyPatch) -> Beside:
    return Beside(own_executor(), monkeypatch)


def test_an_executive_in_anothers_place_ends_what_the_other_one_had(beside: Beside) -> None:
    beside.send_heartbeat('first')
    beside.send_heartbeat('first')
    assert not beside.told
    beside.send_heartbeat('second')
    assert beside.told == ['The executive was restarted.']


def test_a_late_heartbeat_of_one_that_has_ended_does_not_replace_the_next(beside: Beside) -> None:
    beside.send_heartbeat('first')
    beside.presence.forget(ended=True)
    beside.presence.ready = True  # the next one has answered
    beside.send_heartbeat('first')
    beside.send_heartbeat('second')
    beside.send_heartbeat('first')
    beside.send_heartbeat('second')
    assert not beside.told


def test_one_that_was_only_silent_comes_back_and_is_replaced_once(beside: Beside) -> None:
    beside.send_heartbeat('first')
    beside.presence.forget()
    beside.presence.ready = True
    beside.send_heartbeat('first')
    beside.send_heartbeat('second')
    beside.send_heartbeat('first')
    beside.send_heartbeat('second')
    assert beside.told == ['The executive was restarted.']


def test_one_that_was_replaced_is_back_when_the_other_has_gone(beside: Beside) -> None:
    """A second executive came and went: the first one counted as ended for ever."""
    beside.send_heartbeat('first')
    beside.send_heartbeat('second')
    beside.told.clear()
    for _ in range(2):  # at the latest when the other one counts as lost
        beside.presence.forget()
        beside.presence.ready = True  # it answers
        beside.told.clear()
        for _ in range(int(LOST_S / STEP_S) + 1):
            beside.looks(after_s=STEP_S)
            beside.send_heartbeat('first')
    assert beside.told == []


def test_a_heartbeat_is_no_older_than_the_look_before_it(
    beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the system's clock was set to."""
    beside.send_heartbeat('first')
    monkeypatch.setattr(time, 'time_ns', lambda: 4 * 10**18)
    beside.looks(after_s=QUIET_S * 0.9)
    beside.send_heartbeat('second')
    beside.told.clear()
    beside.looks(after_s=QUIET_S * 0.9)
    assert not beside.told
    beside.looks(after_s=QUIET_S * 0.2)
    assert beside.told == ['quiet: True']


class Stage(TwoNodes):
    """An executive without the parameter, and who asks for it."""

    def __init__(self, context: rclpy.Context) -> None:
        super().__init__(context, 'run_began')
        self.seen: list[Any] = []
        parameters = NodeParameters(self.console, 'executive')
        self.question = RunBeganQuestion(parameters, self.seen.append)

    def turn(self) -> None:
        self.question.update(time.monotonic())
        super().turn()


@pytest.fixture
def stage() -> Iterator[Stage]:
    with own_context() as context:
        yield Stage(context)


def test_it_is_asked_once_of_each_executive(stage: Stage) -> None:
    stage.served.declare_parameter(PARAMETER, 90.0)
    stage.until(lambda: stage.seen, 'the begin of the run')
    for _ in range(10):
        stage.turn()
    assert stage.seen == [RunStarted(90.0)]
    stage.question.forget()
    stage.until(lambda: len(stage.seen) == 2, 'it is asked again')
    assert stage.seen[1] == RunStarted(90.0)


@pytest.mark.parametrize('value', [None, 'yesterday'])
def test_an_executive_that_does_not_know_it_says_nothing(stage: Stage, value: Any) -> None:
    if value is not None:
        stage.served.declare_parameter(PARAMETER, value)
    stage.until(lambda: stage.question._is_answered, 'an answer')
    assert stage.seen == []


def test_a_late_answer_of_the_executive_before_is_none_of_the_next(stage: Stage) -> None:
    stage.served.declare_parameter(PARAMETER, 90.0)
    stage.until(lambda: stage.question._asked is not None, 'it is asked')
    late = stage.question._asked
    stage.question.forget()
    stage.served.set_parameters([Parameter(PARAMETER, value=120.0)])
    stage.until(lambda: stage.seen, 'the begin of the next run')
    assert late is not None
    assert not late.done()
    assert stage.seen == [RunStarted(120.0)]
