"""An asyncio client of the executive: goals, service calls, and the view of the run.

The ROS client puts events from its own thread; everything else here runs in the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
import itertools
import math
import time
from typing import Any

from bt_executive.client.front_end_events import (
    ClientEvent,
    ClientFailed,
    ExecutiveLost,
    ExecutiveReady,
    GoalAccepted,
    GoalEnded,
    PictureReceived,
    ServiceReply,
)
from bt_executive.client.front_end_ports import AgentPort
from bt_executive.client.front_end_requests import STOP_AGAIN_S, GoalRequest, ToolRequest
from bt_executive.view.run_clock import RunClock
from bt_executive.view.run_view import RunView
from rover_common.trace_event import TraceEvent

READY_TIMEOUT_S = 15.0  # from the start, for discovery
REPLY_TIMEOUT_S = 5.0
STOP_TIMEOUT_S = 2.0  # the stops of several robots are answered together with the slowest
END_TIMEOUT_S = 5.0  # of goals that are cancelled when the server ends
TRACE_LAG_S = 0.3  # the trace may report the last result a little later than the action the end
FAILED = (
    'This server has lost its connection to the robot: start it again. The executive gets no '
    'keepalive, and cancels its goals.'
)
STOPPED_THEN = f'One that is found within {STOP_AGAIN_S:g} s of this stop is stopped then.'
NOT_FOUND = f'No executive has been found yet. {STOPPED_THEN}'
LOST = f'No executive answers. {STOPPED_THEN}'
NO_EXECUTIVE = 'No executive answers: start one with `bt-executive up`, in the same ROS domain.'


class NoAnswerError(Exception):
    """The executive does not answer; the text says what to do."""


@dataclass
class RunningGoal:
    """A goal of a client.

    Attributes:
        ended: Is done once action and trace have reported the end.
        task_id: Its id in the trace; empty until it is accepted.
        started_at: Steady time in s.
    """

    ticket: int
    ended: asyncio.Future[GoalEnded]
    task_id: str = ''
    end: GoalEnded | None = None
    started_at: float = field(default_factory=time.monotonic)


class AsyncExecutiveClient:
    """Runs goals and calls services. Call `start` first, in a running event loop.

    Args:
        on_event: Is called with each event after it was applied.
        simulated: Whether the robot's time is simulated.

    Attributes:
        view: Of the run since this server was started.
        failed: Is done, with the error, once the ROS client has failed.
    """

    def __init__(
        self, on_event: Callable[[ClientEvent], None] = lambda _: None, simulated: bool = False
    ) -> None:
        self._on_event = on_event
        self._tickets = itertools.count(1)
        self._goals: dict[int, RunningGoal] = {}
        self._numbers = itertools.count(1)
        self._calls: dict[int, tuple[str, asyncio.Future[ServiceReply]]] = {}
        self._ready = asyncio.Event()
        self._ready_by = math.inf
        self._client: AgentPort | None = None
        self.view = RunView(steady=time.monotonic())
        self.time = RunClock(time.time, simulated=simulated)
        self.picture: PictureReceived | None = None
        self.failed: asyncio.Future[Exception]

    def start(self, make_client: Callable[[Callable[[ClientEvent], None]], AgentPort]) -> None:
        """Makes the ROS client, which discovers the executive."""
        loop = asyncio.get_running_loop()
        self.failed = loop.create_future()
        self._ready_by = time.monotonic() + READY_TIMEOUT_S

        def put(event: ClientEvent) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self.apply, event)

        self._client = make_client(put)
        self._client.subscribe_pictures()

    async def close(self) -> None:
        """Cancels the goals, waits for their ends for a limited time, and leaves the graph."""
        self.cancel_all()
        ends = [goal.ended for goal in self._goals.values()]
        if ends:
            await asyncio.wait(ends, timeout=END_TIMEOUT_S)
        if self._client is not None:
            await asyncio.to_thread(self._client.close)

    async def wait_until_ready(self, timeout_s: float = math.inf) -> None:
        """Waits for the first executive, if none has been found since the start.

        Raises:
            NoAnswerError: There is no executive.
        """
        if self.failed.done():
            raise NoAnswerError(FAILED)
        if self.view.current.presence == 'starting':
            remaining_s = max(self._ready_by - time.monotonic(), 0.0)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._ready.wait(), min(remaining_s, timeout_s))
        if not self._ready.is_set():
            raise NoAnswerError(NO_EXECUTIVE)

    async def start_goal(self, request: GoalRequest | ToolRequest) -> RunningGoal:
        """Sends a goal.

        Raises:
            NoAnswerError: There is no executive.
        """
        await self.wait_until_ready()
        goal = RunningGoal(next(self._tickets), asyncio.get_running_loop().create_future())
        self._goals[goal.ticket] = goal
        self._robot.start(goal.ticket, request)
        return goal

    def cancel(self, goal: RunningGoal) -> None:
        """Requests the cancellation of a goal; it ends a little later."""
        if not goal.ended.done():
            self._robot.cancel_goal(goal.ticket)

    def cancel_all(self) -> None:
        """Requests the cancellation of every goal; they end a little later."""
        for goal in self._goals.values():
            self._robot.cancel_goal(goal.ticket)

    async def call_service(self, service: str, timeout_s: float = REPLY_TIMEOUT_S) -> ServiceReply:
        """Calls what `ServiceRequest` names.

        Raises:
            NoAnswerError: There is no executive, or no reply within `timeout_s`.
        """
        await self.wait_until_ready()
        reply: asyncio.Future[ServiceReply] = asyncio.get_running_loop().create_future()
        number = next(self._numbers)
        self._calls[number] = service, reply
        self._robot.call_service(service, number)
        try:
            return await asyncio.wait_for(reply, timeout_s)
        except asyncio.TimeoutError:
            raise NoAnswerError(f'The executive did not answer {service!r}.') from None
        finally:
            del self._calls[number]

    async def stop(self) -> ServiceReply:
        """Stops the robot, and returns the reply, or a failure, within `STOP_TIMEOUT_S`.

        The client sends a stop that was not taken to the executive that is found within
        `STOP_AGAIN_S`: one that is started again goes on with the goals of the one before.
        """
        try:
            await self.wait_until_ready(STOP_TIMEOUT_S)
            return await self.call_service('stop', STOP_TIMEOUT_S)
        except NoAnswerError as error:
            if self.failed.done():
                return ServiceReply('stop', False, str(error))
            if not self._ready.is_set():
                self._robot.call_service('stop')
            presence = self.view.current.presence
            text = {'starting': NOT_FOUND, 'lost': LOST}.get(presence, str(error))
            return ServiceReply('stop', False, text)

    def apply(self, event: ClientEvent) -> None:
        """Applies an event of the ROS client."""
        now = time.monotonic()
        self.time.apply(event)
        self.view.apply(event, self.time.now, now)
        if self.view.is_full:
            self.view = self.view.continued(self.time.now)
        match event:
            case ExecutiveReady():
                self._ready.set()
            case ExecutiveLost():
                self._ready.clear()
            case GoalAccepted(task_id, ticket) if ticket in self._goals:
                self._goals[ticket].task_id = task_id
            case GoalEnded(ticket) if ticket in self._goals:
                self._apply_end(self._goals[ticket], event)
            case ServiceReply():
                self._apply_reply(event)
            case TraceEvent():
                self._finish_ended_goals()
            case PictureReceived():
                self.picture = event
            case ClientFailed(fault):
                self._fail(fault)
        self._on_event(event)

    @property
    def _robot(self) -> AgentPort:
        assert self._client is not None
        return self._client

    def _apply_reply(self, reply: ServiceReply) -> None:
        if reply.number in self._calls:
            _set_result(self._calls[reply.number][1], reply)

    def _apply_end(self, goal: RunningGoal, end: GoalEnded) -> None:
        goal.end = end
        story = self.view.story.find(goal.task_id)
        if story is None or story.has_ended:
            self._finish(goal)
        else:
            asyncio.get_running_loop().call_later(TRACE_LAG_S, self._finish, goal)

    def _fail(self, fault: BaseException) -> None:
        for goal in [*self._goals.values()]:
            goal.end = goal.end or GoalEnded(goal.ticket, 'failed', FAILED)
            self._finish(goal)
        for service, reply in self._calls.values():
            _set_result(reply, ServiceReply(service, False, FAILED))
        _set_result(self.failed, fault)

    def _finish_ended_goals(self) -> None:
        """Finishes the goals whose ends the trace has reported, too."""
        for goal in [*self._goals.values()]:
            story = self.view.story.find(goal.task_id)
            if story is not None and story.has_ended:
                self._finish(goal)

    def _finish(self, goal: RunningGoal) -> None:
        if goal.end is not None:
            _set_result(goal.ended, goal.end)
            self._goals.pop(goal.ticket, None)


def _set_result(future: asyncio.Future[Any], value: object) -> None:
    if not future.done():
        future.set_result(value)
