"""One executive after the other on one journal: real nodes, stopped in order and started again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
import json
import os
from pathlib import Path
from typing import Any

from action_servers import ask_for_result, send_goal
from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.msg import ExecutiveState, GoalEnd
from diagnostic_msgs.msg import DiagnosticArray
from diagnostic_msgs.msg import DiagnosticStatus as Status
from fakes.core import ScriptedPlanner
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from spinning import spinning
from std_msgs.msg import String
from std_srvs.srv import Trigger
from waiting import LIMIT_S, wait_until

from bt_executive.ros import tick_thread
from bt_executive.ros.executive_node import ExecutiveNode, read_journal_options
from bt_executive.ros.goal_validation_ends_and_keepalives import LATEST_ENDS
from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions

pytestmark = pytest.mark.ros
EVERY_EVENT = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
NOWHERE = '/proc/nothing/journal.sqlite'  # also root cannot make this folder


class Visitor:
    """What a client sees of one run."""

    def __init__(self, context: rclpy.Context) -> None:
        self.node = Node('visitor', context=context)
        self.state: dict[str, Any] = {}
        self.trace: list[str] = []
        self.ends: list[GoalEnd] = []
        self._goals = ActionClient(self.node, ExecuteGoal, 'executive/execute_goal')
        subscribe = self.node.create_subscription
        subscribe(ExecutiveState, 'executive/state', self._state_came, LATCHED)
        subscribe(GoalEnd, 'executive/goal_ends', self._end_came, LATEST_ENDS)
        subscribe(String, 'trace/events', self._event_came, EVERY_EVENT)
        self.health: Any = None
        subscribe(DiagnosticArray, '/diagnostics', self._diagnostics_came, 10)

    @property
    def mode(self) -> str:
        return str(self.state.get('tasks', {}).get('mode', ''))

    @property
    def goals(self) -> list[str]:
        return [task['goal'] for task in self.state['tasks']['queue']]

    def call(self, service: str) -> None:
        client = self.node.create_client(Trigger, f'executive/{service}')
        wait_until(client.service_is_ready, service)
        answered = client.call_async(Trigger.Request())
        wait_until(answered.done, f'an answer of {service}')

    def step(self, step: bool, break_at: list[str]) -> None:
        wanted = {'approval.step': step, 'approval.break_at': break_at}
        asked = [Parameter(name, value=value) for name, value in wanted.items()]
        parameters = AsyncParameterClient(self.node, 'executive')
        wait_until(parameters.services_are_ready, 'its parameters can be set')
        done = parameters.set_parameters(asked)
        wait_until(done.done, 'they were set')
        assert [each.reason for each in done.result().results] == ['', '']
        wait_until(partial(self.was_told, 'approval.break_at'), 'a tick')

    def was_told(self, words: str) -> bool:
        return any(words in each for each in self.trace)

    @property
    def steps(self) -> tuple[bool, list[str]]:
        parameters = AsyncParameterClient(self.node, 'executive')
        wait_until(parameters.services_are_ready, 'its parameters can be read')
        asked = parameters.get_parameters(['approval.step', 'approval.break_at'])
        wait_until(asked.done, 'they were read')
        step, break_at = asked.result().values
        return step.bool_value, list(break_at.string_array_value)

    def wait(self, seconds: float) -> Any:
        """Has the executive wait; returns the future of the result."""
        wait_until(self._goals.server_is_ready, 'the executive takes goals')
        goal = ExecuteGoal.Goal(tool='wait', arguments=json.dumps({'seconds': seconds}))
        handle = send_goal(self._goals, self.node, goal)
        wait_until(lambda: self.mode == 'EXEC', 'it is pursued')
        return ask_for_result(handle, self.node)

    def _diagnostics_came(self, message: DiagnosticArray) -> None:
        found = [each for each in message.status if each.name == 'executive: journal']
        self.health = found[0] if found else self.health

    def _state_came(self, message: ExecutiveState) -> None:
        self.state = json.loads(message.state_json)

    def _event_came(self, message: String) -> None:
        self.trace.append(json.loads(message.data)['message'])

    def _end_came(self, message: GoalEnd) -> None:
        self.ends.append(message)


StartRun = Callable[..., Any]


@pytest.fixture
def start_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartRun]:
    """Starts a run of the executive, which ends in order with the block."""
    # Else its process would end now; the robot is waited for no longer than there.
    monkeypatch.setattr(tick_thread, 'END_S', LIMIT_S)
    monkeypatch.setattr(tick_thread, 'KEPT_S', LIMIT_S - 1.5)
    rclpy.init()
    context = rclpy.get_default_context()

    @contextmanager
    def run(*settings: str, fresh: bool = False) -> Iterator[Visitor]:
        ages = [f'guards.adapter_status_{each}max_age_s=600' for each in ('', 'moving_')]
        config = load_config(None, [*ages, *settings])
        options = NodeOptions(config, tmp_path / 'run')
        executive = ExecutiveNode(options, lambda *_: ScriptedPlanner([]), fresh)
        visitor = Visitor(context)
        executor = LowLatencyExecutor()
        for node in (executive, visitor.node):
            executor.add_node(node)
        try:
            with spinning(executor):
                wait_until(lambda: visitor.state, 'the executive publishes')
                yield visitor
            executive.shut_down(executor)
        finally:
            executor.shutdown()
            for node in (executive, visitor.node):
                node.destroy_node()

    yield run
    rclpy.try_shutdown()


def test_what_was_left_open_goes_on_and_its_end_is_told_to_all(start_run: StartRun) -> None:
    with start_run() as first:
        first.wait(3.0)
    with start_run() as second:
        assert second.goals == ['wait']
        wait_until(lambda: second.ends, 'the end of the goal')
    assert not first.ends
    assert [end.task_id for end in second.ends] == [first.state['tasks']['active_task_id']]
    with start_run() as third:
        wait_until(lambda: third.ends, 'the end that was told before')
        assert (third.goals, third.ends) == ([], second.ends)


def test_safe_stays_safe(start_run: StartRun) -> None:
    with start_run() as first:
        first.call('safe_stop')
        wait_until(lambda: first.mode == 'SAFE', 'SAFE')
    with start_run() as second:
        assert second.mode == 'SAFE'
        assert second.state['world']['safety_reason'] == first.state['world']['safety_reason']


def test_a_fresh_start_takes_nothing_up(start_run: StartRun) -> None:
    with start_run() as first:
        first.wait(60.0)
    with start_run(fresh=True) as second:
        assert second.goals == []
    with start_run() as third:
        assert third.goals == []


def test_without_a_journal_the_executive_is_safe_and_says_what_to_do(start_run: StartRun) -> None:
    with start_run(f'journal.file={NOWHERE}') as visitor:
        wait_until(lambda: visitor.mode == 'SAFE', 'SAFE')
        reason = visitor.state['world']['safety_reason']
        wait_until(lambda: visitor.health, 'the diagnostics of the journal')
        assert visitor.health.level == Status.ERROR
        assert visitor.health.message.removesuffix('.') in reason
        assert [each.value for each in visitor.health.values if each.key == 'file'] == [NOWHERE]
        assert NOWHERE in reason
        assert 'name another file with --journal FILE' in reason


def test_by_configuration_it_goes_on_in_memory_only_and_says_so(start_run: StartRun) -> None:
    with start_run(f'journal.file={NOWHERE}', 'journal.on_fault=memory_only') as visitor:
        result = visitor.wait(0.1)
        wait_until(result.done, 'the goal ends')
        assert result.result().result.outcome == 'reached'
        assert len([words for words in visitor.trace if NOWHERE in words]) == 1


def test_a_second_executive_on_the_same_journal_is_refused(
    start_run: StartRun, tmp_path: Path
) -> None:
    journal = f'journal.file={tmp_path / "shared.sqlite"}'
    with start_run(journal):
        options = NodeOptions(load_config(None, [journal]), tmp_path / 'other')
        context = rclpy.get_default_context()
        assert context.ok()
        with pytest.raises(UsageError, match=f'belongs to an executive .*process {os.getpid()}'):
            ExecutiveNode(options, lambda *_: ScriptedPlanner([]))


@pytest.mark.parametrize(
    ('arguments', 'fresh', 'rest'),
    [
        ([], False, []),
        (['--fresh', '--run-dir', 'a'], True, ['--run-dir', 'a']),
        (
            ['--set', 'a=b', '--journal', 'my file', '--ros-args', '-r', '__ns:=/a'],
            False,
            ['--set', 'journal.file="my file"', '--set', 'a=b', '--ros-args', '-r', '__ns:=/a'],
        ),
    ],
)
def test_options_of_the_journal(arguments: list[str], fresh: bool, rest: list[str]) -> None:
    assert read_journal_options(arguments) == (fresh, rest)


def test_who_steps_through_a_goal_is_asked_by_the_next_executive_too(start_run: StartRun) -> None:
    with start_run() as first:
        first.wait(3.0)
        first.step(True, ['mast_closed'])
    with start_run('approval.break_at=[speak]') as second:  # it goes on with the goal
        assert second.steps == (True, ['speak', 'mast_closed'])
        for words in ('approval.step is now true', 'needs approval within'):
            wait_until(partial(second.was_told, words), words)
        second.call('stop')
        wait_until(lambda: second.ends and not second.goals, 'the goal is over')
    with start_run() as third:  # nothing is open: it is as configured
        assert third.steps == (False, [])
        assert third.goals == []
