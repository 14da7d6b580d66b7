"""Which goals the action takes, and what is said of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math
from pathlib import Path
from typing import Any, TypeAlias
import uuid

from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from action_servers import wait_for_action
from bt_executive_interfaces.action import ExecuteGoal
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.executors import Executor
from rclpy.node import Node
from two_nodes import own_context
from unique_identifier_msgs.msg import UUID
from waiting import LIMIT_S

from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled, GoalReceived, Input
from bt_executive.core.stop_and_question_phrases import recognise
from bt_executive.ros.cancel_goal_service import CancelGoals
from bt_executive.ros.execute_goal_action import CANCELLED, GoalServer
from bt_executive.ros.run_store import RunStore
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.ros.low_latency_executor import LowLatencyExecutor

pytestmark = pytest.mark.ros
GOALS = '/subject/execute_goal'


class Subject:
    """An action server, and a client of it, in one executor."""

    def __init__(self, context: rclpy.Context, folder: Path) -> None:
        self.inbox = Inbox()
        self._executor = LowLatencyExecutor(context=context)
        node = Node('subject', context=context)
        self._executor.add_node(node)
        config = load_config(None, [f'journal.file="{folder}/journal"'])
        began = {'run_id': 'r', 'run_dir': 'runs/r', 'version': '0', 'fresh': False}
        store = RunStore(node, config, began, Now.at(0.0), lambda: None)
        self._server = GoalServer(node, self.inbox, config, store)
        self._client = ActionClient(node, ExecuteGoal, GOALS)
        wait_for_action(self._client, node, GOALS)

    def accepts(self, **fields: Any) -> bool:
        future = self._client.send_goal_async(ExecuteGoal.Goal(**fields))
        self._executor.spin_until_future_complete(future, LIMIT_S)
        return bool(future.result().accepted)

    def received(self) -> Task:
        """The goal that was put into the inbox."""
        (event,) = self.inbox.drain()
        assert isinstance(event, GoalReceived)
        return event.task


@pytest.fixture(scope='module')
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    with own_context() as context:
        yield Subject(context, tmp_path_factory.mktemp('subject'))


@pytest.fixture
def subject(started: Subject) -> Subject:
    """The server, whose earlier goals nobody has read."""
    started.inbox.drain()
    return started


@pytest.mark.parametrize(
    ('fields', 'words'),
    [
        ({'goal': ' '}, 'it has neither words nor a tool'),
        ({'tool': 'wait', 'arguments': '[1'}, 'its arguments are not a JSON object'),
        ({'goal': 'go', 'deadline_s': -1.0}, 'deadline_s is -1: give seconds from now'),
        ({'goal': 'go', 'deadline_s': math.nan}, 'deadline_s is nan'),
        ({'goal': 'go', 'deadline_s': math.inf}, 'deadline_s is inf'),
        ({'goal': 'go', 'sender': 'me'}, "its sender is 'me': give 'operator' or 'agent', or"),
        ({'goal': 'go', 'sender': 'Operator'}, "its sender is 'Operator'"),
        ({'goal': 'go', 'sender': ' '}, "its sender is ' '"),
        ({'goal': 'go', 'sender': 'operator\u200b'}, "its sender is 'operator\\u200b'"),
        ({'goal': 'go', 'lease_s': -1.0}, 'lease_s is -1: give 1 to 3600 seconds, or 0'),
        ({'goal': 'go', 'lease_s': 0.2}, 'lease_s is 0.2'),
        ({'goal': 'go', 'lease_s': math.nan}, 'lease_s is nan'),
        ({'goal': 'go', 'done_when': '{'}, 'done_when is not JSON'),
        ({'goal': 'go', 'done_when': '{"where": {"mst": "open"}}'}, 'done_when.where: field'),
        ({'goal': 'go', 'done_when': '{"where": {"mast": "up"}}'}, "done_when.where.mast is 'up'"),
        ({'goal': 'go', 'done_when': '{"near": {"x": 1}}'}, 'done_when.near.y: Field required'),
    ],
)
def test_a_goal_that_cannot_be_meant_is_rejected_and_the_log_says_why(
    subject: Subject, capfd: pytest.CaptureFixture[str], fields: Any, words: str
) -> None:
    assert not subject.accepts(**fields)
    said = capfd.readouterr().err
    assert f'Goal rejected: {words}' in said
    assert '..' not in said


@pytest.mark.parametrize('fields', [{'goal': 'go'}, {'tool': 'wait', 'deadline_s': 0.5}])
def test_words_or_a_tool_are_a_goal(subject: Subject, fields: Any) -> None:
    assert subject.accepts(**fields)


@pytest.mark.parametrize('words', ['\ufeffstop', '\u200b：safe_stop\u3000', ' \u202estop\u2069'])
def test_the_words_of_a_goal_are_read_as_they_are_seen(subject: Subject, words: str) -> None:
    assert subject.accepts(goal=words)
    goal = subject.received().goal
    assert recognise(goal).kind == 'stop'
    assert goal.isprintable()
    assert goal.endswith('stop')


@pytest.mark.parametrize(
    ('fields', 'sender', 'lease_s', 'done_when'),
    [
        ({'goal': 'go'}, 'agent', 0.0, ''),
        ({'goal': 'go', 'sender': 'agent', 'lease_s': 3.0}, 'agent', 3.0, ''),
        ({'goal': 'go', 'sender': 'operator'}, 'operator', 0.0, ''),
        ({'goal': 'rover_status'}, 'agent', 0.0, '{"answer":true}'),
        ({'goal': 'demo_ground_texture'}, 'agent', 0.0, '{"where":{"is_good":[true]}}'),
        ({'goal': 'demo_ground_texture', 'done_when': '"answer"'}, 'agent', 0.0, '"answer"'),
    ],
)
def test_a_goal_has_a_sender_a_lease_and_what_is_measured_at_its_end(
    subject: Subject, fields: Any, sender: str, lease_s: float, done_when: str
) -> None:
    assert subject.accepts(**fields)
    task = subject.received()
    assert (task.sender, task.lease_s, task.done_when) == (sender, lease_s, done_when)


Answer: TypeAlias = tuple[Any, list[Input]]  # the response, and what went into the inbox
KNOWN, OTHER = uuid.UUID(int=7), uuid.UUID(int=8)


@pytest.fixture
def cancel(own_executor: Callable[..., Executor]) -> Callable[[uuid.UUID], Answer]:
    executor = own_executor()
    node = Node('subject', context=executor.context)
    executor.add_node(node)
    inbox = Inbox()
    CancelGoals(node, inbox, lambda: [str(KNOWN)])
    client = node.create_client(CancelGoal, '/subject/cancel_goal')
    assert client.wait_for_service(10.0)

    def ask(goal: uuid.UUID) -> Answer:
        goal_id = UUID(uuid=list(goal.bytes))
        future = client.call_async(CancelGoal.Request(goal_info=GoalInfo(goal_id=goal_id)))
        executor.spin_until_future_complete(future, 30.0)
        return future.result(), inbox.drain()

    return ask


def test_a_goal_that_is_pursued_or_waits_is_cancelled(
    cancel: Callable[[uuid.UUID], Answer],
) -> None:
    response, events = cancel(KNOWN)
    assert response.return_code == CancelGoal.Response.ERROR_NONE
    told = [bytes(each.goal_id.uuid.tolist()) for each in response.goals_canceling]
    assert told == [KNOWN.bytes]
    assert events == [GoalCancelled(str(KNOWN), CANCELLED)]


@pytest.mark.parametrize(
    ('goal', 'code'),
    [
        (OTHER, CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID),
        (uuid.UUID(int=0), CancelGoal.Response.ERROR_REJECTED),
    ],
)
def test_what_names_no_goal_cancels_none(
    cancel: Callable[[uuid.UUID], Answer], goal: uuid.UUID, code: int
) -> None:
    response, events = cancel(goal)
    assert (response.return_code, list(response.goals_canceling), events) == (code, [], [])
