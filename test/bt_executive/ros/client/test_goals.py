"""The console's goals against an action server: what a stop should have ended ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import itertools
import os
import time

from bt_executive_interfaces.action import ExecuteGoal
import pytest
import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from spinning import turn_of
from waiting import wait_until

from bt_executive.client.events import ClientEvent, GoalEnded
from bt_executive.client.requests import GoalRequest
from bt_executive.ros.client.goals import STOP_LIMIT_S, ConsoleGoals

pytestmark = pytest.mark.ros
_names = itertools.count(os.getpid())


class Stage:
    """A console's goals and a server, in one executor that the test spins: no race is left."""

    def __init__(self, context: rclpy.Context) -> None:
        namespace = f'/goals_{next(_names)}'
        self.happened: list[GoalEnded] = []
        self.accepted: list[str] = []
        self.cancelled: list[str] = []
        self._ends: dict[str, Future] = {}
        self.console = Node('console', namespace=namespace, context=context)
        self.executive = Node('executive', namespace=namespace, context=context)
        self._server = ActionServer(
            self.executive,
            ExecuteGoal,
            '~/execute_goal',
            self._execute,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
        )
        self.goals = ConsoleGoals(self.console, self._put)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self.console)
        self._executor.add_node(self.executive)
        self.until(self.goals.server_is_ready, 'the server is found')

    def end(self, goal: str, outcome: str) -> None:
        """The executive ends a goal."""
        self._ends[goal].set_result(ExecuteGoal.Result(outcome=outcome))

    def until(self, condition: Callable[[], object], what: str) -> None:
        wait_until(condition, what, meanwhile=turn_of(self._executor))

    def _put(self, event: ClientEvent) -> None:
        if isinstance(event, GoalEnded):
            self.happened.append(event)

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        self.accepted.append(handle.request.goal)
        self._ends[handle.request.goal] = Future()
        handle.execute()

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        self.cancelled.append(handle.request.goal)
        self.end(handle.request.goal, 'interrupted')
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle) -> ExecuteGoal.Result:
        result: ExecuteGoal.Result = await self._ends[handle.request.goal]
        (handle.canceled if handle.is_cancel_requested else handle.abort)()
        return result


@pytest.fixture
def stage() -> Iterator[Stage]:
    context = rclpy.Context()
    rclpy.init(context=context)
    yield Stage(context)
    context.shutdown()


def test_a_goal_under_way_when_the_stop_is_sent_is_cancelled_once_it_is_accepted(
    stage: Stage,
) -> None:
    stage.goals.add(1, GoalRequest('drive'))
    stage.goals.add(2, GoalRequest('drive on'))
    stage.goals.send_next()
    stage.goals.call_off()
    assert stage.happened == [GoalEnded(2, 'interrupted', 'Stopped before it began')]
    stage.until(lambda: len(stage.happened) == 2, 'the end of the first goal')
    assert stage.cancelled == ['drive'] == stage.accepted


def test_a_goal_that_the_stop_does_not_end_is_cancelled_after_a_while(stage: Stage) -> None:
    stage.goals.add(1, GoalRequest('drive'))
    stage.goals.send_next()
    stage.until(lambda: stage.accepted, 'the goal is accepted')
    stage.goals.add(2, GoalRequest('nothing'))

    def begun() -> bool:
        stage.goals.send_next()
        return 'nothing' in stage.accepted

    stage.until(begun, 'its answer')
    stage.goals.call_off()
    stage.end('nothing', 'interrupted')  # by the stop
    stage.until(lambda: stage.happened, 'the end of the second goal')
    stage.goals.look(time.monotonic() + STOP_LIMIT_S / 2)
    assert not stage.cancelled
    stage.goals.look(time.monotonic() + STOP_LIMIT_S)
    stage.until(lambda: len(stage.happened) == 2, 'the end of the first goal')
    assert stage.cancelled == ['drive']


def test_a_goal_after_the_stop_is_pursued(stage: Stage) -> None:
    stage.goals.call_off()
    stage.goals.add(1, GoalRequest('drive'))
    stage.goals.send_next()
    stage.until(lambda: stage.accepted, 'the goal is accepted')
    stage.goals.look(time.monotonic() + 2 * STOP_LIMIT_S)
    stage.end('drive', 'reached')
    stage.until(lambda: stage.happened, 'its end')
    assert not stage.cancelled
