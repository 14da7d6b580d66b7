"""The executive as coroutines: goals that end, questions that are answered, what was last seen.

The ROS client puts events from its own thread; everything else here runs in the event loop.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
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
from bt_executive.client.front_end_requests import GoalRequest, ToolRequest
from bt_executive.view.run_clock import RunClock
from bt_executive.view.run_view import RunView
from rover_common.trace_event import TraceEvent

READY_WITHIN_S = 15.0  # from the start: discovery takes its time
ANSWER_WITHIN_S = 5.0
STOP_WITHIN_S = 2.0  # the stops of other robots are answered together with one that takes longer
END_WITHIN_S = 5.0  # of goals that are cancelled when the server ends
TRACE_LAG_S = 0.3  # the trace may tell the last result a little later than the action its end
FAILED = (
    'This server has lost its connection to the robot: start it again. The executive gets no '
    'keepalive, and cancels its goals.'
)
NOT_FOUND = (
    'No executive has been found yet. One that is found within '
    f'{READY_WITHIN_S:g} s of this stop is stopped then.'
)
NOBODY = 'No executive answers: start one with `bt-executive up`, in the same ROS domain.'


class NoAnswerError(Exception):
    """The executive does not answer; the text says what to do."""


@dataclass
class RunningGoal:
    """A goal of a client.

    Attributes:
        task_id: Its name in the trace; empty until it is accepted.
        end: How it ended, while the trace has not told it.
        began: Steady time in s.
    """

    ticket: int
    ended: asyncio.Future[GoalEnded]
    task_id: str = ''
    end: GoalEnded | None = None
    began: float = field(default_factory=time.monotonic)


class RobotLink:
    """Runs goals and asks questions. `start` comes first, in a running event loop.

    Args:
        happened: Takes each event after it was entered.
        simulated: Whether the robot's time is.

    Attributes:
        view: Of the run since this server began.
        time: Of the run.
        picture: The latest one.
        failed: Is done with the fault if the way to the executive is gone for good.
    """

    def __init__(
        self, happened: Callable[[ClientEvent], None] = lambda _: None, simulated: bool = False
    ) -> None:
        self._happened = happened
        self._tickets = itertools.count(1)
        self._goals: dict[int, RunningGoal] = {}
        self._questions: defaultdict[str, deque[asyncio.Future[ServiceReply]]] = defaultdict(deque)
        self._ready = asyncio.Event()
        self._ready_by = math.inf
        self._stop_until = -math.inf  # steady s; an executive that is found before it is stopped
        self._client: AgentPort | None = None
        self.view = RunView(steady=time.monotonic())
        self.time = RunClock(time.time, simulated=simulated)
        self.picture: PictureReceived | None = None
        self.failed: asyncio.Future[Exception]

    def start(self, make_client: Callable[[Callable[[ClientEvent], None]], AgentPort]) -> None:
        """Makes the client and looks for the executive."""
        loop = asyncio.get_running_loop()
        self.failed = loop.create_future()
        self._ready_by = time.monotonic() + READY_WITHIN_S

        def put(event: ClientEvent) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self.apply, event)

        self._client = make_client(put)
        self._client.subscribe_pictures()

    async def close(self) -> None:
        """Cancels what runs, waits for its end as long as it is reasonable, and leaves."""
        self.cancel_all()
        ends = [goal.ended for goal in self._goals.values()]
        if ends:
            await asyncio.wait(ends, timeout=END_WITHIN_S)
        if self._client is not None:
            await asyncio.to_thread(self._client.close)

    async def begin(self, request: GoalRequest | ToolRequest) -> RunningGoal:
        """Sends a goal.

        Raises:
            NoAnswerError: There is no executive.
        """
        await self._until_ready()
        goal = RunningGoal(next(self._tickets), asyncio.get_running_loop().create_future())
        self._goals[goal.ticket] = goal
        self._robot.start(goal.ticket, request)
        return goal

    def cancel(self, goal: RunningGoal) -> None:
        """Cancels a goal; it ends a little later."""
        if not goal.ended.done():
            self._robot.cancel_goal(goal.ticket)

    def cancel_all(self) -> None:
        """Cancels every goal that runs; they end a little later."""
        for goal in self._goals.values():
            self._robot.cancel_goal(goal.ticket)

    async def call_service(self, service: str, within_s: float = ANSWER_WITHIN_S) -> ServiceReply:
        """Asks the executive. `within_s`: how long its answer is waited for.

        Raises:
            NoAnswerError: It does not answer.
        """
        await self._until_ready()
        answer: asyncio.Future[ServiceReply] = asyncio.get_running_loop().create_future()
        self._questions[service].append(answer)
        self._robot.call_service(service)
        try:
            return await asyncio.wait_for(answer, within_s)
        except asyncio.TimeoutError:
            raise NoAnswerError(f'The executive did not answer {service!r}.') from None
        finally:
            with suppress(ValueError):  # an answer has taken it out already
                self._questions[service].remove(answer)

    async def stop(self) -> ServiceReply:
        """Stops the robot, and returns within `STOP_WITHIN_S` what became of it.

        An executive that is found only later, though within `READY_WITHIN_S`, is stopped then.
        """
        try:
            await self._until_ready(STOP_WITHIN_S)
            return await self.call_service('stop', STOP_WITHIN_S)
        except NoAnswerError as error:
            if self.view.current.presence != 'starting' or self.failed.done():
                return ServiceReply('stop', False, str(error))
            self._stop_until = time.monotonic() + READY_WITHIN_S
            return ServiceReply('stop', False, NOT_FOUND)

    def apply(self, event: ClientEvent) -> None:
        """Enters what happened."""
        now = time.monotonic()
        self.time.apply(event)
        self.view.apply(event, self.time.now, now)
        if self.view.is_full:
            self.view = self.view.continued(self.time.now)
        match event:
            case ExecutiveReady():
                self._ready.set()
                if now < self._stop_until:
                    self._stop_until = -math.inf
                    self._robot.call_service('stop')
            case ExecutiveLost():
                self._ready.clear()
            case GoalAccepted(task_id, ticket) if ticket in self._goals:
                self._goals[ticket].task_id = task_id
            case GoalEnded(ticket) if ticket in self._goals:
                self._ended(self._goals[ticket], event)
            case ServiceReply(question):
                if self._questions[question]:
                    _set(self._questions[question].popleft(), event)
            case TraceEvent():
                self._settle_ended()
            case PictureReceived():
                self.picture = event
            case ClientFailed(fault):
                self._fail(fault)
        self._happened(event)

    @property
    def _robot(self) -> AgentPort:
        assert self._client is not None
        return self._client

    async def _until_ready(self, within_s: float = math.inf) -> None:
        if self.failed.done():
            raise NoAnswerError(FAILED)
        if self.view.current.presence == 'starting':
            left_s = max(self._ready_by - time.monotonic(), 0.0)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._ready.wait(), min(left_s, within_s))
        if not self._ready.is_set():
            raise NoAnswerError(NOBODY)

    def _ended(self, goal: RunningGoal, end: GoalEnded) -> None:
        goal.end = end
        story = self.view.story.find(goal.task_id)
        if story is None or story.has_ended:
            self._settle(goal)
        else:
            asyncio.get_running_loop().call_later(TRACE_LAG_S, self._settle, goal)

    def _fail(self, fault: BaseException) -> None:
        for goal in [*self._goals.values()]:
            goal.end = goal.end or GoalEnded(goal.ticket, 'failed', FAILED)
            self._settle(goal)
        for question, answers in self._questions.items():
            for answer in answers:
                _set(answer, ServiceReply(question, False, FAILED))
        _set(self.failed, fault)

    def _settle_ended(self) -> None:
        """Settles the goals whose ends the trace has told now, too."""
        for goal in [*self._goals.values()]:
            story = self.view.story.find(goal.task_id)
            if story is not None and story.has_ended:
                self._settle(goal)

    def _settle(self, goal: RunningGoal) -> None:
        if goal.end is not None:
            _set(goal.ended, goal.end)
            self._goals.pop(goal.ticket, None)


def _set(future: asyncio.Future[Any], value: object) -> None:
    if not future.done():
        future.set_result(value)
