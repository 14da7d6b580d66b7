"""The console's goals against an action server: what a stop should have ended ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
import itertools
import os
import time
import uuid

from action_msgs.srv import CancelGoal
from bt_executive_interfaces.action import ExecuteGoal
import pytest
import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from rclpy.task import Future
from spinning import turn_of
from two_nodes import own_context
from unique_identifier_msgs.msg import UUID
from waiting import wait_until

from bt_executive.client.front_end_events import ClientEvent, GoalEnded, OpenGoals
from bt_executive.client.front_end_requests import GoalRequest, ToolRequest
from bt_executive.client.front_end_rights import AGENT, OPERATOR, FrontEnd
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled
from bt_executive.core.keepalive_leases import LEASE_S, PERIOD_S
from bt_executive.core.state import TasksState
from bt_executive.ros.cancel_goal_service import CancelGoals
from bt_executive.ros.client.goal_client import (
    ACCEPT_LIMIT_S,
    CANCEL_AGAIN_S,
    END_LIMIT_S,
    NOT_TAKEN_UP,
    STOP_LIMIT_S,
    GoalClient,
)
from bt_executive.ros.client.received_messages import TopicReader
from bt_executive.ros.execute_goal_action import CANCELLED
from bt_executive.ros.goal_validation_ends_and_keepalives import GoalEnds
from rover_common.config.load import load_config
from rover_common.ros.low_latency_executor import LowLatencyExecutor

pytestmark = pytest.mark.ros
_names = itertools.count(os.getpid())


class Stage:
    """A console's goals and a server, in one executor that the test spins: no race is left."""

    def __init__(self, context: rclpy.Context, front_end: FrontEnd = OPERATOR) -> None:
        namespace = f'/goals_{next(_names)}'
        self.happened: list[GoalEnded] = []
        self.accepted: list[str] = []
        self.cancelled: list[str] = []
        self.loses_cancels = False  # as a middleware whose queue is full
        self.ids: dict[str, str] = {}
        self.requests: list[ExecuteGoal.Goal] = []
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
        self.found: list[OpenGoals] = []
        self.goals = GoalClient(
            TopicReader(self.console, self._put),
            self._put,
            load_config().executive.goal,
            front_end,
        )
        self._ends_publisher = GoalEnds(self.executive, ())
        self._executor = LowLatencyExecutor(context=context)
        self._executor.add_node(self.console)
        self._executor.add_node(self.executive)
        self.until(self.goals.server_is_ready, 'the server is found')

    def end(self, goal: str, outcome: str) -> None:
        """The executive ends a goal."""
        self._ends[goal].set_result(ExecuteGoal.Result(outcome=outcome))

    def send(self, words: str) -> str:
        """Sends a goal, which is accepted; returns its id."""
        self.goals.add(len(self.ids) + 1, GoalRequest(words))
        self.goals.send_next()
        self.until(lambda: words in self.ids, 'the goal is accepted')
        return self.ids[words]

    def lose(self, words: str) -> str:
        """Sends a goal to which no answer comes; returns its id."""
        self._server.destroy()
        goal = str(uuid.uuid4())
        self.goals.add(1, GoalRequest(words, goal))
        self.goals.send_next()
        return goal

    def publish_end(self, task_id: str, outcome: str) -> None:
        """An executive tells how a goal ended."""
        self._ends_publisher.publish(task_id, {'outcome': outcome, 'answer': 'bright', 'steps': 3})

    def signs_of_life(self) -> list[str]:
        """The ids of the goals for which the console says that it is alive, from now on."""
        heard: list[str] = []
        self.executive.create_subscription(
            UUID,
            '~/goal_keepalives',
            lambda message: heard.append(str(uuid.UUID(bytes=bytes(message.uuid.tolist())))),
            1000,  # all: a test may send faster than it reads
        )
        return heard

    def cancellations(self, open_goals: Callable[[], Iterable[str]]) -> Inbox:
        """The next executive is there, with these goals; what it is told to cancel."""
        inbox = Inbox()
        CancelGoals(self.executive, inbox, open_goals)
        self.until(self.goals.can_cancel, 'the service is found')
        return inbox

    def until(self, condition: Callable[[], object], what: str) -> None:
        wait_until(condition, what, meanwhile=turn_of(self._executor))

    def _put(self, event: ClientEvent) -> None:
        if isinstance(event, GoalEnded):
            self.happened.append(event)
        if isinstance(event, OpenGoals):
            self.found.append(event)

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        self.accepted.append(handle.request.goal)
        self.requests.append(handle.request)
        goal_id = uuid.UUID(bytes=bytes(handle.goal_id.uuid.tolist()))
        self.ids[handle.request.goal] = str(goal_id)
        self._ends[handle.request.goal] = Future()
        handle.execute()

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        self.cancelled.append(handle.request.goal)
        if self.loses_cancels:
            return CancelResponse.REJECT
        self.end(handle.request.goal, 'interrupted')
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle) -> ExecuteGoal.Result:
        result: ExecuteGoal.Result = await self._ends[handle.request.goal]
        (handle.canceled if handle.is_cancel_requested else handle.abort)()
        return result


@pytest.fixture
def context() -> Iterator[rclpy.Context]:
    with own_context() as made:
        yield made


@pytest.fixture
def stage(context: rclpy.Context) -> Stage:
    return Stage(context)


@pytest.mark.parametrize('sign', ['\0', '\ud800'])
def test_a_goal_arrives_whole(stage: Stage, sign: str) -> None:
    stage.goals.add(1, GoalRequest(f'turn left{sign}, no: do not move'))
    stage.goals.send_next()
    stage.until(lambda: stage.accepted, 'the goal')
    assert stage.accepted == ['turn left\ufffd, no: do not move']
    stage.end(stage.accepted[0], 'reached')
    stage.until(lambda: stage.happened, 'its end')


@pytest.mark.parametrize(
    ('request_', 'reason'),
    [
        (GoalRequest(' \n'), 'it has neither words nor a tool'),
        (ToolRequest('t' * 101), "its tool's name: 101 characters; at most 100 are taken"),
        (ToolRequest('wait', '{"seconds": NaN}'), 'its arguments are not a JSON object: '),
    ],
)
def test_a_goal_that_would_be_refused_is_not_sent_and_its_sender_reads_why(
    stage: Stage, request_: GoalRequest | ToolRequest, reason: str
) -> None:
    stage.goals.add(1, request_)
    stage.goals.add(2, GoalRequest('drive'))
    stage.goals.send_next()
    (end,) = stage.happened
    assert (end.ticket, end.outcome) == (1, 'failed')
    assert end.answer.startswith(f'The goal is not accepted: {reason}')
    stage.until(lambda: stage.accepted, 'the goal behind it')
    assert stage.accepted == ['drive']
    stage.goals.cancel_all()
    stage.until(lambda: len(stage.happened) == 2, 'its end')


def test_a_goal_under_way_when_the_stop_is_sent_is_cancelled_once_it_is_accepted(
    stage: Stage,
) -> None:
    stage.goals.add(1, GoalRequest('drive'))
    stage.goals.add(2, GoalRequest('drive on'))
    stage.goals.send_next()
    stage.goals.cancel_for_stop()
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
    stage.goals.cancel_for_stop()
    stage.end('nothing', 'interrupted')  # by the stop
    stage.until(lambda: stage.happened, 'the end of the second goal')
    stage.goals.update(time.monotonic() + STOP_LIMIT_S / 2)
    assert not stage.cancelled
    stage.goals.update(time.monotonic() + STOP_LIMIT_S)
    stage.until(lambda: len(stage.happened) == 2, 'the end of the first goal')
    assert stage.cancelled == ['drive']


def test_a_goal_after_the_stop_is_pursued(stage: Stage) -> None:
    stage.goals.cancel_for_stop()
    stage.goals.add(1, GoalRequest('drive'))
    stage.goals.send_next()
    stage.until(lambda: stage.accepted, 'the goal is accepted')
    stage.goals.update(time.monotonic() + 2 * STOP_LIMIT_S)
    stage.end('drive', 'reached')
    stage.until(lambda: stage.happened, 'its end')
    assert not stage.cancelled


def has(*task_ids: str) -> TasksState:
    """What an executive with these goals has to do."""
    return TasksState(queue=tuple(Task(task_id=each, goal=f'goal {each}') for each in task_ids))


def test_the_end_of_a_goal_that_outlived_its_executive_comes_by_the_topic_and_once(
    stage: Stage,
) -> None:
    goal = stage.send('drive')
    stage.goals.on_executive_lost('gone')
    assert not stage.happened
    stage.goals.on_executive_ready(has(goal, 'another'), 'cliff', 'Left?')
    assert stage.found == [OpenGoals((f'goal {goal}',), ('goal another',), 'cliff', 'Left?')]
    stage.publish_end('another', 'failed')
    stage.publish_end(goal, 'reached')
    stage.publish_end(goal, 'reached')
    stage.until(lambda: stage.happened, 'its end')
    summary = {'outcome': 'reached', 'answer': 'bright', 'steps': 3}
    stage.end('drive', 'failed')  # the executive was not gone after all, and answers, too
    second = stage.send('on')
    stage.end('on', 'reached')
    stage.until(lambda: len(stage.happened) > 1, 'the end of the second goal')
    assert second != goal
    assert stage.happened == [
        GoalEnded(1, 'reached', 'bright', summary),
        GoalEnded(2, 'reached', ''),
    ]
    stage.goals.update(time.monotonic() + END_LIMIT_S)
    assert len(stage.happened) == 2


def test_the_end_counts_that_comes_first_since_a_result_may_be_lost(stage: Stage) -> None:
    goal = stage.send('drive')
    stage.until(lambda: stage.goals._handles, 'its acceptance')
    stage.publish_end(goal, 'reached')
    stage.until(lambda: stage.happened, 'its end')
    stage.end('drive', 'reached')
    stage.send('on')
    stage.end('on', 'reached')
    stage.until(lambda: len(stage.happened) > 1, 'the end of the second goal')
    assert [end.ticket for end in stage.happened] == [1, 2]


def test_an_end_from_before_the_executive_was_back_counts(stage: Stage) -> None:
    goal = stage.send('drive')
    stage.goals.on_executive_lost('gone')
    stage.goals.on_executive_ready(has())
    stage.publish_end(goal, 'reached')
    stage.until(lambda: stage.happened, 'its end')
    stage.goals.update(time.monotonic() + END_LIMIT_S)
    assert [end.outcome for end in stage.happened] == ['reached']


def test_a_goal_that_is_not_taken_up_again_has_failed(stage: Stage) -> None:
    stage.send('drive')
    stage.goals.on_executive_lost('gone')
    stage.goals.on_executive_ready(has())
    stage.goals.update(time.monotonic() + END_LIMIT_S / 2)
    assert not stage.happened
    stage.goals.update(time.monotonic() + END_LIMIT_S)
    assert stage.happened == [GoalEnded(1, 'failed', NOT_TAKEN_UP)]


def test_a_goal_that_was_not_sent_fails_with_its_executive(stage: Stage) -> None:
    stage.goals.add(1, GoalRequest('drive'))
    stage.goals.on_executive_lost('gone')
    assert stage.happened == [GoalEnded(1, 'failed', 'gone')]


def test_a_goal_that_outlived_its_executive_is_cancelled_by_its_id(stage: Stage) -> None:
    goal = stage.send('drive')
    stage.goals.on_executive_lost('gone')
    stage.goals.on_executive_ready(has(goal, 'another'))
    inbox = stage.cancellations(lambda: (goal, 'another'))
    stage.goals.cancel_all()
    stage.until(lambda: inbox.depth, 'the cancellation')
    assert inbox.drain() == [GoalCancelled(goal, CANCELLED)]


@pytest.mark.parametrize(
    ('cancel', 'after_s'),
    [
        (GoalClient.cancel_all, 0.0),
        (lambda goals: goals.cancel(1), 0.0),
        (GoalClient.cancel_for_stop, STOP_LIMIT_S),
    ],
)
def test_what_is_cancelled_or_stopped_while_no_executive_is_there_the_next_one_cancels(
    stage: Stage, cancel: Callable[[GoalClient], None], after_s: float
) -> None:
    goal = stage.send('drive')
    stage.goals.on_executive_lost('gone')
    cancel(stage.goals)
    inbox = stage.cancellations(lambda: (goal, 'another'))
    stage.goals.update(time.monotonic() + after_s)
    stage.until(lambda: inbox.depth, 'the cancellation')
    assert inbox.drain() == [GoalCancelled(goal, CANCELLED)]
    assert (stage.happened, stage.cancelled) == ([], [])


def test_what_is_on_its_way_when_the_console_ends_is_cancelled_once_it_is_accepted(
    stage: Stage,
) -> None:
    stage.goals.add(1, GoalRequest('drive'))
    stage.goals.send_next()
    stage.goals.cancel_all()
    stage.until(lambda: stage.happened, 'its end')
    assert stage.cancelled == ['drive'] == stage.accepted


def test_a_cancellation_that_its_executive_did_not_live_to_see_reaches_the_next_one(
    stage: Stage,
) -> None:
    goal = stage.send('drive')
    stage.goals.cancel(1)  # is sent, and not spun for: the executive dies before it takes it
    stage.goals.on_executive_lost('gone')
    asked: list[str] = []

    def open_goals() -> tuple[str, ...]:
        asked.append(goal)
        return (goal,) if len(asked) > 1 else ()  # it has not taken the goal up yet

    inbox = stage.cancellations(open_goals)
    first = time.monotonic()
    stage.goals.update(first)
    stage.until(lambda: asked, 'the first cancellation')
    stage.goals.update(first + CANCEL_AGAIN_S / 2)
    stage.goals.update(first + CANCEL_AGAIN_S)
    stage.until(lambda: inbox.depth, 'the second cancellation')
    assert inbox.drain() == [GoalCancelled(goal, CANCELLED)]
    assert len(asked) == 2


def test_a_cancellation_that_is_lost_is_sent_again_until_the_goal_has_ended(stage: Stage) -> None:
    goal = stage.send('drive')
    stage.loses_cancels = True
    inbox = stage.cancellations(lambda: (goal,))
    stage.goals.cancel(1)
    stage.until(lambda: stage.cancelled, 'the cancellation that is lost')
    assert inbox.depth == 0
    stage.goals.update(time.monotonic() + CANCEL_AGAIN_S)
    stage.until(lambda: inbox.depth, 'the second one')
    assert inbox.drain() == [GoalCancelled(goal, CANCELLED)]
    stage.goals.update(time.monotonic() + 2 * CANCEL_AGAIN_S)
    stage.until(lambda: inbox.depth, 'the third one')
    stage.end('drive', 'interrupted')
    stage.until(lambda: stage.happened, 'its end')


def test_a_goal_that_is_accepted_after_it_was_given_up_is_cancelled_until_somebody_answers(
    stage: Stage,
) -> None:
    stage.loses_cancels = True
    stage.goals.add(1, GoalRequest('drive'))
    stage.goals.send_next()
    stage.goals.update(time.monotonic() + ACCEPT_LIMIT_S)
    assert [end.outcome for end in stage.happened] == ['failed']
    stage.until(lambda: stage.cancelled, 'it is accepted, and its cancellation is lost')
    inbox = stage.cancellations(lambda: (stage.ids['drive'],))
    stage.goals.update(time.monotonic() + CANCEL_AGAIN_S)
    stage.until(lambda: inbox.depth, 'the second one')
    assert inbox.drain() == [GoalCancelled(stage.ids['drive'], CANCELLED)]


def test_a_goal_that_is_given_up_is_cancelled_although_nothing_shows_that_it_was_accepted(
    stage: Stage,
) -> None:
    goal = stage.lose('drive')
    inbox = stage.cancellations(lambda: (goal,))
    stage.goals.update(time.monotonic() + ACCEPT_LIMIT_S)
    assert [end.outcome for end in stage.happened] == ['failed']
    stage.until(lambda: inbox.depth, 'who has it all the same is asked to cancel it')
    assert inbox.drain() == [GoalCancelled(goal, CANCELLED)]


def test_a_goal_that_is_shown_as_not_taken_up_is_cancelled(stage: Stage) -> None:
    goal = stage.lose('drive')
    stage.goals.on_executive_lost('gone')
    stage.goals.on_executive_ready(has())
    inbox = stage.cancellations(lambda: (goal,))
    stage.goals.update(time.monotonic() + END_LIMIT_S)
    assert stage.happened == [GoalEnded(1, 'failed', NOT_TAKEN_UP)]
    stage.until(lambda: inbox.depth, 'who has it all the same is asked to cancel it')


def test_a_cancellation_that_an_ending_executive_refuses_is_sent_to_the_next_one(
    stage: Stage,
) -> None:
    answers = [CancelGoal.Response.ERROR_NONE, CancelGoal.Response.ERROR_REJECTED]

    def answer(_: CancelGoal.Request, response: CancelGoal.Response) -> CancelGoal.Response:
        response.return_code = answers.pop()
        return response

    stage.executive.create_service(CancelGoal, '~/cancel_goal', answer)
    stage.until(stage.goals.can_cancel, 'the service is found')
    stage.lose('drive')
    given_up_at = time.monotonic() + ACCEPT_LIMIT_S
    stage.goals.update(given_up_at)
    stage.until(lambda: len(answers) == 1 and not stage.goals._asked, 'it is refused')
    stage.goals.update(given_up_at + 2 * CANCEL_AGAIN_S)
    stage.until(lambda: not answers and not stage.goals._asked, 'it is accepted')
    stage.goals.update(given_up_at + 4 * CANCEL_AGAIN_S)
    assert not stage.goals._asked


def test_no_sign_of_life_is_sent_for_a_goal_that_was_cancelled_while_its_executive_is_away(
    context: rclpy.Context,
) -> None:
    stage = Stage(context, AGENT)
    heard = stage.signs_of_life()
    first, second = stage.send('drive'), stage.send('drive on')
    stage.goals.on_executive_lost('gone')
    now = itertools.count(time.monotonic(), PERIOD_S)

    def signs_for_both() -> bool:
        looks.append(next(now))
        stage.goals.update(looks[-1])
        return {first, second} <= {*heard}

    looks: list[float] = []
    stage.until(signs_for_both, 'the signs for both')
    stage.goals.cancel(1)
    heard.clear()

    def more_than_before() -> bool:
        """Whether the latest sign was sent after the cancellation."""
        stage.goals.update(next(now))
        return heard.count(second) > len(looks)

    stage.until(more_than_before, 'the signs for the other')
    assert heard[-2:] == [second, second]


def test_a_client_whose_goals_are_kept_alive_speaks_for_those_that_have_not_ended(
    context: rclpy.Context,
) -> None:
    stage = Stage(context, AGENT)
    heard = stage.signs_of_life()
    first, second = stage.send('drive'), stage.send('drive on')
    assert [(each.sender, each.lease_s) for each in stage.requests] == [('agent', LEASE_S)] * 2

    def speaks_for(*goals: str) -> Callable[[], bool]:
        heard.clear()

        def spoken() -> bool:
            stage.goals.update(time.monotonic())
            return {*goals} <= {*heard}

        return spoken

    stage.until(speaks_for(first, second), 'it speaks for both')
    stage.end('drive', 'reached')
    stage.until(lambda: stage.happened, 'the first goal has ended')
    stage.until(speaks_for(second), 'what was said before has arrived')
    stage.until(speaks_for(second), 'it speaks for the other')
    assert first not in heard


def test_the_goals_of_an_operator_outlive_the_console(stage: Stage) -> None:
    stage.send('drive')
    assert [(each.sender, each.lease_s) for each in stage.requests] == [('operator', 0.0)]
    assert not stage.console.count_publishers('executive/goal_keepalives')
