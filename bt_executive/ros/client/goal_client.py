"""The goals of one front end: sent in order, and cancelled with a stop.

A goal is sent by an action, a stop by a service, and nothing orders the two: a goal that is on its
way to the executive when the operator stops may arrive after the stop. It is cancelled then.

A goal may outlive the executive to which it was sent: the next one resumes it. Its end is then
published on ~/goal_ends, for the action's result was lost with the server that had accepted it.
It is lost, too, if this process was suspended for longer than the middleware remembers it (20 s
with Fast DDS), such as a laptop that slept. So the end counts that comes first.

A goal that was cancelled stays unwanted until it has ended: no keepalive is sent for it any more,
and the next executive is requested to cancel it, too, if it has resumed it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
import time
from typing import Any
import uuid

from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.msg import GoalEnd
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from bt_executive.client.front_end_events import (
    ClientEvent,
    GoalAccepted,
    GoalEnded,
    OpenGoals,
)
from bt_executive.client.front_end_requests import GoalRequest, ToolRequest
from bt_executive.client.front_end_rights import FrontEnd
from bt_executive.core.keepalive_leases import PERIOD_S
from bt_executive.core.state import TasksState
from bt_executive.ros.client.received_messages import TopicReader, goal_end_from_ros, read_summary
from bt_executive.ros.goal_validation_ends_and_keepalives import (
    DEPTH,
    LATEST_ENDS,
    goal_id_of,
    goal_rejection,
)
from rover_common.config.settings import GoalSettings
from rover_common.ros.message_conversions import sendable_message
from rover_common.ros.qos import REQUEST_QUEUE, action_qos


class Keepalive:
    """Used in the client's thread alone."""

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(UUID, 'executive/goal_keepalives', DEPTH)
        self._next = 0.0

    def update(self, now: float, task_ids: Iterable[str]) -> None:
        """Publishes keepalives of goals that have not ended; called often. `now`: steady, s."""
        if now >= self._next:
            self._next = now + PERIOD_S
            for task_id in task_ids:
                self._publisher.publish(goal_id_of(task_id))


ACCEPT_LIMIT_S = 5.0  # from sending a goal to its acceptance or rejection
STOP_LIMIT_S = 1.0  # from a stop until a goal that it has not ended is cancelled, too
CANCEL_AGAIN_S = 1.0  # a cancellation may have gone to an executive that was dead already
END_LIMIT_S = 3.0  # a new executive publishes within it how goals ended that it does not have
ONLY_ITS_LOG = (  # faults of the texts were reported before
    'The executive does not accept this goal: too many wait already, or its configuration is '
    'another one than here; the end of its log says which.'
)
NOT_TAKEN_UP = 'The executive was restarted and has not taken this goal up again.'


class GoalClient:
    """Used in the client's thread alone, but for `add`.

    `emit` takes `GoalAccepted`, `OpenGoals`, `GoalEnded` and `PublishedGoalEnd`.
    `bounds`: limits of the texts of a goal.
    `front_end`: sends the goals, and decides whether they have a lease.
    """

    def __init__(
        self,
        reader: TopicReader,
        emit: Callable[[ClientEvent], None],
        bounds: GoalSettings,
        front_end: FrontEnd,
    ) -> None:
        self._emit = emit
        self._bounds = bounds
        self._front_end = front_end
        self._keepalive = Keepalive(reader.node) if front_end.lease_s else None
        self._client = ActionClient(
            reader.node, ExecuteGoal, 'executive/execute_goal', **action_qos()
        )
        self._cancels = reader.node.create_client(
            CancelGoal, 'executive/cancel_goal', qos_profile=REQUEST_QUEUE
        )
        reader.subscribe(GoalEnd, 'executive/goal_ends', self._on_end, LATEST_ENDS)
        self._outgoing: deque[tuple[int, GoalRequest | ToolRequest]] = deque()
        self._accept_by: dict[int, float] = {}  # the goal sent, neither accepted nor refused yet
        self._handles: dict[int, Any] = {}  # accepted, not ended
        self._unwanted: set[int] = set()  # cancelled, or sent before a stop; not ended
        self._cancel_at: dict[int, float] = {}  # when each of these is cancelled, or again
        self._by_action: set[int] = set()  # of these, those that the action was asked to cancel
        self._strays: dict[str, float] = {}  # given up, perhaps accepted: as `_cancel_at`
        self._asked: dict[str, Future] = {}  # the latest request to cancel by task id
        self._sent: dict[str, int] = {}  # task id → ticket of what was sent and has not ended
        self._orphans: set[str] = set()  # of these, those whose executive is gone
        self._given_up_at: dict[str, float] = {}  # orphans that the new executive does not have

    def server_is_ready(self) -> bool:
        """Return whether an executive accepts goals."""
        return bool(self._client.server_is_ready())

    def can_cancel(self) -> bool:
        """Return whether an executive is there that cancels goals of the previous one."""
        return bool(self._cancels.service_is_ready())

    def add(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """Takes a goal, from any thread; `send_next` sends it."""
        self._outgoing.append((ticket, request))

    def send_next(self) -> None:
        """Sends each goal after the acceptance of the one before: actions keep no order."""
        while self._outgoing and not self._accept_by:
            self._send(*self._outgoing.popleft())

    def _send(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        goal = ExecuteGoal.Goal(sender=self._front_end.sender, lease_s=self._front_end.lease_s)
        match request:
            case GoalRequest(text=text):
                goal.goal = text
            case ToolRequest(name=name, arguments=arguments):
                goal.goal, goal.tool, goal.arguments = name, name, arguments
        fault = goal_rejection(goal.goal, goal.tool, goal.arguments, self._bounds)
        if fault:
            self._emit(GoalEnded(ticket, 'failed', f'The goal is not accepted: {fault}.'))
            return
        task_id = str(uuid.UUID(request.goal_id) if request.goal_id else uuid.uuid4())
        self._sent[task_id] = ticket
        self._accept_by[ticket] = time.monotonic() + ACCEPT_LIMIT_S
        sent = self._client.send_goal_async(sendable_message(goal), goal_uuid=goal_id_of(task_id))
        sent.add_done_callback(lambda future: self._on_response(task_id, future.result()))

    def cancel_for_stop(self) -> None:
        """Cancels all goals, since a stop is being sent: none may go on after it."""
        now = time.monotonic()
        self._end_unsent('interrupted', 'Stopped before it began')
        for ticket in self._sent.values():
            self._cancel_from(ticket, now if ticket in self._accept_by else now + STOP_LIMIT_S)

    def cancel(self, ticket: int) -> None:
        """Cancels one goal, now or as soon as there is an executive; its `GoalEnded` follows."""
        for entry in [entry for entry in self._outgoing if entry[0] == ticket]:
            self._outgoing.remove(entry)
            self._emit(GoalEnded(ticket, 'interrupted', 'It was not sent any more.'))
        if ticket in self._sent.values():
            now = time.monotonic()
            self._cancel_from(ticket, now)
            self._send_cancellations(now)

    def cancel_all(self) -> None:
        """Cancels all goals, since the front end ends, now or as soon as there is an executive."""
        self._end_unsent('interrupted', 'It was not sent any more.')
        now = time.monotonic()
        for ticket in self._sent.values():
            self._cancel_from(ticket, now)
        self._send_cancellations(now)

    def postpone(self, seconds: float) -> None:
        """Waits longer for answers: this process could not read them for so long."""
        for ticket in self._accept_by:
            self._accept_by[ticket] += seconds
        for task_id in self._given_up_at:
            self._given_up_at[task_id] += seconds

    def update(self, now: float) -> None:
        """Gives up goals that are not accepted, and cancels those that a stop has not ended.

        Publishes keepalives where they are needed.
        """
        if self._keepalive is not None:
            self._keepalive.update(now, self._wanted())
        for ticket in [ticket for ticket, by in self._accept_by.items() if by < now]:
            del self._accept_by[ticket]
            reason = f'The executive did not answer within {ACCEPT_LIMIT_S:.0f} s.'
            self._give_up(self._task_of(ticket), reason, now)
            self.send_next()
        for task_id in [task_id for task_id, at in self._given_up_at.items() if at < now]:
            self._give_up(task_id, NOT_TAKEN_UP, now)
        self._send_cancellations(now)

    def on_executive_lost(self, reason: str) -> None:
        """Ends goals that were not sent; the next executive may resume the others."""
        self._end_unsent('failed', reason)
        for goals in (self._accept_by, self._handles, self._given_up_at, self._by_action):
            goals.clear()
        self._orphans = set(self._sent)
        self._cancel_at = dict.fromkeys(self._unwanted, time.monotonic())

    def on_executive_ready(self, tasks: TasksState, unsafe: str = '', question: str = '') -> None:
        """Takes the queue of an executive that has appeared, why it is SAFE, and its question."""
        goals_by_id = {task.task_id: task.goal for task in tasks.queue}
        give_up_at = time.monotonic() + END_LIMIT_S
        self._given_up_at = dict.fromkeys(self._orphans - goals_by_id.keys(), give_up_at)
        self._emit(
            OpenGoals(
                own=tuple(
                    goal for task_id, goal in goals_by_id.items() if task_id in self._orphans
                ),
                others=tuple(
                    goal for task_id, goal in goals_by_id.items() if task_id not in self._sent
                ),
                safe_cause=unsafe,
                question=question,
            )
        )

    def _end_unsent(self, outcome: str, answer: str) -> None:
        while self._outgoing:
            ticket, _ = self._outgoing.popleft()
            self._emit(GoalEnded(ticket, outcome, answer))

    def _task_of(self, ticket: int) -> str:
        return next(task_id for task_id, each in self._sent.items() if each == ticket)

    def _wanted(self) -> list[str]:
        return [each for each, ticket in self._sent.items() if ticket not in self._unwanted]

    def _cancel_from(self, ticket: int, at: float) -> None:
        self._unwanted.add(ticket)
        self._cancel_at[ticket] = min(at, self._cancel_at.get(ticket, at))

    def _send_cancellations(self, now: float) -> None:
        """Cancels what is due, repeatedly until it has ended: any request may be lost."""
        for ticket in [ticket for ticket, at in self._cancel_at.items() if at <= now]:
            task_id = self._task_of(ticket)
            if ticket in self._handles and ticket not in self._by_action:
                self._by_action.add(ticket)
                self._handles[ticket].cancel_goal_async()
            elif (ticket in self._handles or task_id in self._orphans) and self.can_cancel():
                self._cancel_by_id(task_id)
            else:
                continue
            self._cancel_at[ticket] = now + CANCEL_AGAIN_S
        for task_id in [task_id for task_id, at in self._strays.items() if at <= now]:
            if self.can_cancel():
                self._strays[task_id] = now + CANCEL_AGAIN_S
                self._cancel_by_id(task_id)

    def _cancel_by_id(self, task_id: str) -> None:
        if task_id in self._asked:  # without an answer
            self._cancels.remove_pending_request(self._asked[task_id])
        goal = GoalInfo(goal_id=goal_id_of(task_id))
        asked = self._cancels.call_async(CancelGoal.Request(goal_info=goal))
        self._asked[task_id] = asked
        asked.add_done_callback(lambda done: self._on_cancelled(task_id, done.result()))

    def _on_cancelled(self, task_id: str, answer: CancelGoal.Response) -> None:
        """Stops repeating, if the executive cancels the goal, or does not have it.

        One that ends refuses; its next run may resume the goal.
        """
        self._asked.pop(task_id, None)
        if answer.return_code != CancelGoal.Response.ERROR_REJECTED:
            self._strays.pop(task_id, None)

    def _on_response(self, task_id: str, handle: Any) -> None:
        ticket = self._sent.get(task_id)
        if ticket is None or self._accept_by.pop(ticket, None) is None:
            if handle.accepted and ticket is None:  # it was reported as failed
                handle.cancel_goal_async()
                self._strays[task_id] = time.monotonic() + CANCEL_AGAIN_S
        elif not handle.accepted:
            self._end(task_id, 'failed', ONLY_ITS_LOG)
        else:
            self._accepted(task_id, ticket, handle)
        self.send_next()

    def _accepted(self, task_id: str, ticket: int, handle: Any) -> None:
        self._handles[ticket] = handle
        self._emit(GoalAccepted(task_id, ticket))
        if ticket in self._cancel_at:
            self._send_cancellations(time.monotonic())
        handle.get_result_async().add_done_callback(
            lambda future: self._on_result(task_id, future.result().result)
        )

    def _on_result(self, task_id: str, result: ExecuteGoal.Result) -> None:
        try:
            summary = read_summary(result.summary or '{}')
        except ValueError:
            summary = {}
        self._end(task_id, result.outcome or 'failed', result.answer, summary)

    def _on_end(self, message: GoalEnd) -> None:
        end = goal_end_from_ros(message)
        self._emit(end)
        if end.task_id in self._orphans or self._sent.get(end.task_id) in self._handles:
            self._end(end.task_id, end.outcome, end.answer, end.summary)

    def _give_up(self, task_id: str, reason: str, now: float) -> None:
        """Reports that a goal has failed; an executive that has it all the same cancels it."""
        self._end(task_id, 'failed', reason)
        self._strays[task_id] = now

    def _end(
        self, task_id: str, outcome: str, answer: str, summary: Mapping[str, Any] | None = None
    ) -> None:
        """Reports the end of a goal, once."""
        ticket = self._sent.pop(task_id, None)
        if ticket is None:
            return
        self._orphans.discard(task_id)
        for goals in (self._handles, self._cancel_at):
            goals.pop(ticket, None)
        self._unwanted.discard(ticket)
        self._by_action.discard(ticket)
        if task_id in self._asked:
            self._cancels.remove_pending_request(self._asked.pop(task_id))
        self._given_up_at.pop(task_id, None)
        self._emit(GoalEnded(ticket, outcome, answer, summary or {}))
