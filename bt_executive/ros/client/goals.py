"""The goals of one console: sent in their order, and called off with a stop.

A goal goes by an action, a stop by a service, and nothing orders the two: a goal that is under way
to the executive when the operator stops may come after the stop. It is cancelled then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import time
from typing import Any
import uuid

from bt_executive_interfaces.action import ExecuteGoal
from rclpy.action import ActionClient
from rclpy.node import Node

from bt_executive.client.border import read_summary
from bt_executive.client.events import ClientEvent, GoalAccepted, GoalEnded
from bt_executive.client.requests import GoalRequest, ToolRequest

ACCEPT_LIMIT_S = 5.0  # from sending a goal to the executive's yes or no
STOP_LIMIT_S = 1.0  # from a stop until a goal that it has not ended is cancelled, too


class ConsoleGoals:
    """Used in the client's thread alone, but for `add`.

    `put` takes `GoalAccepted` and `GoalEnded`.
    """

    def __init__(self, node: Node, put: Callable[[ClientEvent], None]) -> None:
        self._put = put
        self._client = ActionClient(node, ExecuteGoal, 'executive/execute_goal')
        self._outgoing: deque[tuple[int, GoalRequest | ToolRequest]] = deque()
        self._accept_by: dict[int, float] = {}  # the goal sent, neither accepted nor refused yet
        self._handles: dict[int, Any] = {}  # accepted, not ended
        self._cancel_at: dict[int, float] = {}  # sent before a stop, not ended
        self._ending = False

    def server_is_ready(self) -> bool:
        """Whether somebody takes goals."""
        return bool(self._client.server_is_ready())

    def add(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """Takes a goal, from any thread; `send_next` sends it."""
        self._outgoing.append((ticket, request))

    def send_next(self) -> None:
        """Sends one goal after the other's acceptance: actions promise no order of arrival."""
        if self._accept_by or not self._outgoing:
            return
        ticket, request = self._outgoing.popleft()
        goal = ExecuteGoal.Goal()
        match request:
            case GoalRequest(text):
                goal.goal = text
            case ToolRequest(name, arguments):
                goal.goal, goal.tool, goal.arguments = name, name, arguments
        self._accept_by[ticket] = time.monotonic() + ACCEPT_LIMIT_S
        self._client.send_goal_async(goal).add_done_callback(
            lambda future: self._on_response(ticket, future.result())
        )

    def call_off(self) -> None:
        """A stop is being sent: what was asked for before it must not go on after it."""
        now = time.monotonic()
        while self._outgoing:
            ticket, _ = self._outgoing.popleft()
            self._put(GoalEnded(ticket, 'interrupted', 'Stopped before it began'))
        self._cancel_at.update(dict.fromkeys(self._accept_by, now))
        self._cancel_at.update(dict.fromkeys(self._handles, now + STOP_LIMIT_S))

    def cancel_all(self) -> None:
        """The console ends: what it asked for ends, too, and what is accepted from now on."""
        self._ending = True
        while self._outgoing:
            ticket, _ = self._outgoing.popleft()
            self._put(GoalEnded(ticket, 'interrupted', 'It was not sent any more.'))
        for handle in self._handles.values():
            handle.cancel_goal_async()

    def look(self, now: float) -> None:
        """Gives up goals that nobody accepts, and cancels those that a stop has not ended."""
        for ticket in [ticket for ticket, by in self._accept_by.items() if by < now]:
            del self._accept_by[ticket]
            reason = f'The executive did not answer within {ACCEPT_LIMIT_S:.0f} s.'
            self._put(GoalEnded(ticket, 'failed', reason))
            self.send_next()
        for ticket in [ticket for ticket, at in self._cancel_at.items() if at < now]:
            if ticket in self._handles:
                del self._cancel_at[ticket]
                self._handles[ticket].cancel_goal_async()

    def forget(self) -> None:
        """The executive is gone, and its goals with it."""
        for goals in (self._outgoing, self._accept_by, self._handles, self._cancel_at):
            goals.clear()

    def _on_response(self, ticket: int, handle: Any) -> None:
        if self._accept_by.pop(ticket, None) is None:
            if handle.accepted:  # too late: the operator was told that it failed
                handle.cancel_goal_async()
        elif not handle.accepted:
            self._cancel_at.pop(ticket, None)
            reason = 'The executive does not accept this goal; the end of its log says why.'
            self._put(GoalEnded(ticket, 'failed', reason))
        else:
            self._handles[ticket] = handle
            goal_id = bytes(handle.goal_id.uuid.tolist())
            self._put(GoalAccepted(str(uuid.UUID(bytes=goal_id))))
            if self._ending:
                handle.cancel_goal_async()
            if ticket in self._cancel_at:
                self.look(time.monotonic())
            handle.get_result_async().add_done_callback(
                lambda future: self._on_result(ticket, future.result().result)
            )
        self.send_next()

    def _on_result(self, ticket: int, result: ExecuteGoal.Result) -> None:
        self._handles.pop(ticket, None)
        self._cancel_at.pop(ticket, None)
        try:
            summary = read_summary(result.summary or '{}')
        except ValueError:
            summary = {}
        self._put(GoalEnded(ticket, result.outcome or 'failed', result.answer, summary))
