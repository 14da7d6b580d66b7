"""Every cancellation that the executive accepts ends its goal: many at once, doubled, early, late.

Clients send while the executive's thread is held up, as a busy machine does it: whatever has come
by then must be there when the thread goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
import itertools
from pathlib import Path
import random
from typing import Any
import uuid

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from action_servers import in_executor, wait_for_action
from bt_executive_interfaces.action import ExecuteGoal
from fakes.core import ScriptedPlanner
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future
from spinning import spun_node, turn_of
from unique_identifier_msgs.msg import UUID
from waiting import wait_until

from bt_executive.ros.execute_goal_action import MOST_GOALS
from bt_executive.ros.executive_node import ExecutiveNode
from rover_common.config.load import load_config
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.qos import REQUEST_QUEUE, action_qos
from rover_common.ros.run_node import NodeOptions

pytestmark = pytest.mark.ros
GOALS = '/executive/execute_goal'
WAY = ('action', 'id')  # of a cancellation


@dataclass
class Clients:
    """An executive that stands still between two turns, and a client that does not."""

    node: Node
    turn: Callable[[], None]
    action: ActionClient
    by_id: Any
    results: dict[bytes, Future] = field(default_factory=dict)

    def call(self, make: Callable[[], Future]) -> Future:
        """Makes a call in the client's thread."""
        return in_executor(self.node, make)

    def send(self, goal_id: bytes) -> Future:
        goal = ExecuteGoal.Goal(goal='explore')  # the planner thinks for ever
        number = UUID(uuid=list(goal_id))
        return self.call(lambda: self.action.send_goal_async(goal, goal_uuid=number))

    def cancel(self, goal_id: bytes, way: str, handle: Any = None) -> Future:
        if way == 'action' and handle is not None:
            return self.call(handle.cancel_goal_async)
        info = GoalInfo(goal_id=UUID(uuid=list(goal_id)))
        return self.call(lambda: self.by_id.call_async(CancelGoal.Request(goal_info=info)))

    def until_done(self, calls: list[Future], what: str) -> list[Any]:
        wait_until(
            lambda: all(each.done() for each in calls),
            lambda: f'{what}: {sum(each.done() for each in calls)} of {len(calls)}',
            meanwhile=self.turn,
        )
        return [each.result() for each in calls]


@pytest.fixture
def clients(tmp_path: Path) -> Iterator[Clients]:
    rclpy.init()
    node = ExecutiveNode(
        NodeOptions(load_config(None, []), tmp_path / 'run'),
        lambda *_: ScriptedPlanner(itertools.repeat(None)),
    )
    executor = LowLatencyExecutor()
    executor.add_node(node)
    turn = turn_of(executor)
    with spun_node('canceller') as client:
        action = ActionClient(client, ExecuteGoal, GOALS, **action_qos())
        by_id = client.create_client(
            CancelGoal, '/executive/cancel_goal', qos_profile=REQUEST_QUEUE
        )
        wait_for_action(action, client, GOALS)
        wait_until(by_id.service_is_ready, 'the service', meanwhile=turn)
        yield Clients(client, turn, action, by_id)
        node.shut_down(executor)
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown()


@pytest.mark.parametrize('seed', range(3))
def test_every_cancellation_that_is_accepted_ends_its_goal(clients: Clients, seed: int) -> None:
    chance = random.Random(seed)
    ids = [uuid.UUID(int=chance.getrandbits(128), version=4).bytes for _ in range(MOST_GOALS - 1)]
    early = set(chance.sample(ids, 20))  # are cancelled before anybody knows of their acceptance
    sent = {goal_id: clients.send(goal_id) for goal_id in ids}
    first = {goal_id: clients.cancel(goal_id, 'id') for goal_id in early}
    handles = dict(zip(ids, clients.until_done([*sent.values()], 'the goals'), strict=True))
    assert all(each.accepted for each in handles.values())
    clients.until_done([*first.values()], 'the early cancellations')
    results = {
        goal_id: clients.call(handle.get_result_async) for goal_id, handle in handles.items()
    }
    late = [goal_id for goal_id in ids if not _accepts(first.get(goal_id))]
    kept = set(chance.sample(late, 3))
    asked = {
        goal_id: [
            clients.cancel(goal_id, chance.choice(WAY), handles[goal_id])
            for _ in range(chance.randint(1, 3))
        ]
        for goal_id in late
        if goal_id not in kept
    }
    for calls in asked.values():
        answers = clients.until_done(calls, 'the cancellations')
        assert any(answer.goals_canceling for answer in answers), 'an open goal is cancelled'
    ended = {goal_id: each for goal_id, each in results.items() if goal_id not in kept}
    for found in clients.until_done([*ended.values()], 'the ends'):
        assert found.result.outcome == 'interrupted'
        assert found.result.answer == 'a client cancelled the goal', 'whose, nobody knows'
        assert found.status in (GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)
    after = [clients.cancel(goal_id, 'id') for goal_id in ended]
    for answer in clients.until_done(after, 'cancellations after the end'):
        assert answer.return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID
    assert not any(results[goal_id].done() for goal_id in kept), 'what nobody cancelled goes on'
    last = [clients.cancel(goal_id, 'action', handles[goal_id]) for goal_id in kept]
    assert all(each.goals_canceling for each in clients.until_done(last, 'the rest'))
    clients.until_done([results[goal_id] for goal_id in kept], 'their ends')


def _accepts(call: Future | None) -> bool:
    return call is not None and bool(call.result().goals_canceling)
