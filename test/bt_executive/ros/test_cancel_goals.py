"""The service ~/cancel_goal: one goal by its id, whoever accepted it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias
import uuid

from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled, Input
from bt_executive.ros.cancel_goals import CANCELLED, CancelGoals

pytestmark = pytest.mark.ros
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
