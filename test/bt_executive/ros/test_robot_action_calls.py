"""Goals of a previous run, and servers that never answer, with servers and clients of rclpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import threading
import time
from typing import Any
import uuid

import pytest
import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor, MultiThreadedExecutor
from rclpy.node import Node
from spinning import spinning, spun_node
from tf2_msgs.action import LookupTransform
from waiting import wait_until

from bt_executive.core.call_states import CallInput
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ServerCallUpdate
from bt_executive.ros.robot_action_calls import ActionCalls
from rover_common.config.settings import Endpoint
from rover_common.ros.bounded_calls import MOST_OPEN

pytestmark = pytest.mark.ros
CANCEL_REPEAT_S = 5.0
ACTION = Endpoint(name='/look_up', type='tf2_msgs/action/LookupTransform', kind='action')


class Server:
    """Looks up for as long as the test wants."""

    def __init__(self) -> None:
        self.goals: list[str] = []
        self.cancels = 0
        self.may_end = threading.Event()
        self.handle: ServerGoalHandle | None = None

    def offer(self, node: Node) -> ActionServer:
        return ActionServer(
            node,
            LookupTransform,
            'look_up',
            self._execute,
            cancel_callback=self._cancel,
            callback_group=ReentrantCallbackGroup(),
        )

    def _cancel(self, _handle: ServerGoalHandle) -> CancelResponse:
        self.cancels += 1
        return CancelResponse.ACCEPT

    def _execute(self, handle: ServerGoalHandle) -> LookupTransform.Result:
        self.goals.append(bytes(handle.goal_id.uuid.tolist()).hex())
        self.handle = handle
        self.may_end.wait()
        if handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.succeed()
        result = LookupTransform.Result()
        result.transform.child_frame_id = 'map'
        return result


@pytest.fixture
def server() -> Iterator[Server]:
    """An action server in a context of its own: it outlives both clients."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node('server', context=context)
    executor = MultiThreadedExecutor(4, context=context)
    executor.add_node(node)
    it = Server()
    action = it.offer(node)
    with spinning(executor):
        yield it
        it.may_end.set()
    action.destroy()
    executor.shutdown()
    node.destroy_node()
    context.shutdown()


class Life:
    """One life of the executive, as far as this action goes."""

    def __init__(self, node: Node) -> None:
        self.inbox = Inbox()
        self.calls = ActionCalls(node, self.inbox, ACTION)
        self._got: list[ServerCallUpdate] = []

    @property
    def got(self) -> list[ServerCallUpdate]:
        self._got += [each for each in self.inbox.drain() if isinstance(each, ServerCallUpdate)]
        return self._got

    def happened(self) -> list[CallInput]:
        return [each.happened for each in self.got]

    def until(self, happened: CallInput) -> ServerCallUpdate:
        wait_until(lambda: happened in self.happened(), lambda: f'{happened}: {self.got}')
        return next(each for each in self.got if each.happened is happened)


@pytest.fixture
def lives(server: Server) -> Iterator[tuple[Life, Life, str]]:
    """Two lives, the first of which has sent a goal that runs."""
    goal_id = uuid.uuid4().hex
    with spun_node('first') as first, spun_node('second') as second:
        old, new = Life(first), Life(second)
        wait_until(old.calls.ready, 'the server is there')
        old.calls.send('old', old.calls.request({'target_frame': 'map'}), goal_id)
        old.until(CallInput.ACCEPT)
        wait_until(lambda: server.goals, 'it runs')
        yield old, new, goal_id
        server.may_end.set()


def test_a_goal_that_runs_is_found_by_the_uuid_chosen_for_it_and_its_end_comes(
    lives: Any, server: Server
) -> None:
    _, new, goal_id = lives
    new.calls.adopt('new', goal_id)
    assert new.until(CallInput.ACCEPT).server_call_id == 'new'
    assert CallInput.SUCCEED not in new.happened()
    assert server.handle is not None
    server.handle.publish_feedback(LookupTransform.Feedback())
    new.until(CallInput.PROGRESS)
    server.may_end.set()
    assert new.until(CallInput.SUCCEED).fields['transform']['child_frame_id'] == 'map'
    assert new.happened().count(CallInput.ACCEPT) == 1
    assert server.goals == [goal_id]


def test_a_goal_that_has_ended_meanwhile_is_found_too(lives: Any, server: Server) -> None:
    old, new, goal_id = lives
    server.may_end.set()
    old.until(CallInput.SUCCEED)
    new.calls.adopt('new', goal_id)
    new.until(CallInput.SUCCEED)
    assert new.happened() == [CallInput.ACCEPT, CallInput.SUCCEED]


def test_a_goal_that_runs_can_be_ended(lives: Any, server: Server) -> None:
    _, new, goal_id = lives
    new.calls.adopt('new', goal_id)
    new.calls.cancel('new')  # before its server is found: it is sent then
    asked_at = [time.monotonic()]

    def is_accepted() -> bool:
        """Asks again as `send_cancellations` does: a request or its answer may be lost."""
        if time.monotonic() - asked_at[-1] > CANCEL_REPEAT_S:
            asked_at.append(time.monotonic())
            new.calls.cancel('new')
        return CallInput.CANCEL_ACCEPTED in new.happened()

    wait_until(is_accepted)
    server.may_end.set()
    new.until(CallInput.CANCELLED)
    assert 1 <= server.cancels <= len(asked_at)


@pytest.mark.parametrize('has_ended', [False, True])
def test_a_goal_that_was_given_up_gives_its_end(
    lives: Any, server: Server, has_ended: bool
) -> None:
    """Its acceptance was lost, so nobody has asked for its result."""
    old, new, goal_id = lives
    wait_until(new.calls.ready, 'the server is there')
    if has_ended:
        server.may_end.set()
        old.until(CallInput.SUCCEED)
    new.calls.cancel_again('new', goal_id)
    new.until(CallInput.CANCEL_REFUSED if has_ended else CallInput.CANCEL_ACCEPTED)
    server.may_end.set()
    new.until(CallInput.SUCCEED if has_ended else CallInput.CANCELLED)
    assert len(new.happened()) == 2


def test_a_goal_that_the_server_does_not_have_is_lost(lives: Any) -> None:
    _, new, _ = lives
    new.calls.adopt('new', uuid.uuid4().hex)
    assert new.until(CallInput.LOSE).reason == 'The server does not know the goal any more'
    assert new.happened() == [CallInput.LOSE]


def test_without_a_server_a_goal_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('bt_executive.ros.robot_action_calls.SERVER_WAIT_S', 0.3)
    with spun_node('alone') as node:
        life = Life(node)
        life.calls.adopt('new', uuid.uuid4().hex)
        assert 'is not there to say what became' in life.until(CallInput.LOSE).reason


def test_cancel_requests_to_a_mute_server_are_bounded(
    own_executor: Callable[..., Executor],
) -> None:
    executor = own_executor()
    node = Node('subject', context=executor.context)
    executor.add_node(node)
    endpoint = Endpoint(
        name='/mute', type='bt_executive_interfaces/action/NavigateToPose', kind='action'
    )
    calls = ActionCalls(node, Inbox(), endpoint)
    for _ in range(10 * MOST_OPEN):
        calls.cancel_again('call.1', uuid.uuid4().hex)
    for _ in range(20):
        executor.spin_once(timeout_sec=0.01)
    assert len(calls._client._pending_cancel_requests) == MOST_OPEN
