"""The ports of the executive's core: each notes what it is asked, none blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import (
    Barred,
    Json,
    PendingResult,
    PlannerContext,
    PlannerFailure,
    PlannerNews,
    PlannerOutput,
    Proposal,
    ToolOffer,
    ToolResult,
)
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ServerCallUpdate
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.store_port import Durability, Entry, InputLine, StoreFault
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint
from rover_common.errors import ProtocolError
from rover_common.llm.model_usage import ModelUse
from rover_common.permit import Heartbeat, Permit
from rover_common.trace_event import TraceEvent

ADAPTER_STOP, ROVER_STOP = '/adapter/move_stop', '/move_stop'


def _nobody() -> None:
    """Wakes nobody."""


class ScriptedPlanner:
    """Gives its outputs in order: one right after `start`, one right after each `give`.

    The script goes on over several goals. When it is at its end the planner fails with a reason.
    Where the script says None, the planner keeps silent.

    Attributes:
        started: Every goal with its context, in order.
        results: Every result that was given, in order.
        cancelled: How many goals under way were cancelled.
        tells: What `news` tells next.
        costs: What `use` tells.
    """

    def __init__(
        self, outputs: Iterable[PlannerOutput | None], wake: Callable[[], None] = _nobody
    ) -> None:
        self._script = iter(outputs)
        self._wake = wake
        self._next: PlannerOutput | None = None
        self._awaits_result = False
        self._active = False
        self.started: list[tuple[str, PlannerContext]] = []
        self.results: list[ToolResult] = []
        self.cancelled = 0
        self.tells: list[PlannerNews] = []
        self.costs = ModelUse()

    def start(self, goal: str, context: PlannerContext) -> None:
        """See `Planner.start`."""
        self.cancel()
        self.started.append((goal, context))
        self._active = True
        self._advance()

    def say(self, output: PlannerOutput) -> None:
        """Gives this at the next `poll`; the script goes on behind it."""
        self._next = output
        self._wake()

    def poll(self) -> PlannerOutput | None:
        """See `Planner.poll`."""
        output, self._next = self._next, None
        if output is not None:
            self._awaits_result = self._active = isinstance(output, Proposal)
        return output

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """See `Planner.give`."""
        if not self._active:
            return
        if not self._awaits_result:
            raise ProtocolError('A result was given, but no proposal waits for one.')
        self._awaits_result = False
        self.results.append(result)
        self._advance()

    def cancel(self) -> None:
        """See `Planner.cancel`."""
        self.cancelled += self._active
        self._next = None
        self._active = self._awaits_result = False

    def news(self) -> tuple[PlannerNews, ...]:
        """See `Planner.news`."""
        told, self.tells = tuple(self.tells), []
        return told

    def use(self) -> ModelUse:
        """See `Planner.use`."""
        return self.costs

    def close(self, within_s: float = 0.0) -> None:
        """See `Planner.close`."""
        self.cancel()

    def _advance(self) -> None:
        self._next = next(self._script, PlannerFailure('The script of the planner has ended.'))
        self._wake()


@dataclass
class FakeRobot:
    """Notes every request. Answers when told to, or by `replies` right away.

    Attributes:
        sent: Id of the server call and name of the service of every request, in order.
        absent: Names of the services that nobody offers.
        replies: Service → the fields with which it succeeds at once.
        reply: The same for every other service; None: it does not answer.
        goals: Id of the server call → the goal's UUID with which an action was sent.
        adopted: Id of the server call and UUID of every goal of an earlier run that was asked for.
        has: The UUIDs that the servers still have; of others they know nothing.
        cancelled_again: Id and UUID of every goal that was given up and asked for again.
        silent: Names of the actions whose servers do not answer that.
        heartbeat: The latest heartbeat.
    """

    inbox: Inbox
    sent: list[tuple[str, str]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    replies: dict[str, Json] = field(default_factory=dict)
    reply: Json | None = None
    heartbeat: Heartbeat = field(default_factory=lambda: Heartbeat('fake', 0, 0.0))
    goals: dict[str, str] = field(default_factory=dict)
    adopted: list[tuple[str, str]] = field(default_factory=list)
    has: set[str] = field(default_factory=set)
    cancelled_again: list[tuple[str, str]] = field(default_factory=list)
    silent: set[str] = field(default_factory=set)

    def ready(self, endpoint: Endpoint) -> bool:
        """See `Robot.ready`."""
        return endpoint.name not in self.absent

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        """See `Robot.send`."""
        if goal_id:
            self.goals[server_call_id] = goal_id
        self._note(server_call_id, endpoint.name)

    def adopt(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """See `Robot.adopt`."""
        self.adopted.append((server_call_id, goal_id))
        if goal_id in self.has:
            self.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
        else:
            reason = f'{endpoint.name} knows nothing of it'
            self.inbox.put(ServerCallUpdate(server_call_id, CallInput.LOSE, reason=reason))

    def cancel(self, server_call_id: str) -> None:
        """See `Robot.cancel`."""
        self.cancelled.append(server_call_id)

    def cancel_again(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """See `Robot.cancel_again`."""
        self.cancelled_again.append((server_call_id, goal_id))
        if endpoint.name not in self.silent:
            self.inbox.put(
                ServerCallUpdate(server_call_id, CallInput.LOSE, reason='It is not known')
            )

    def permit(self, permit: Permit) -> Heartbeat:
        """See `Robot.permit`."""
        self.heartbeat = Heartbeat('fake', self.heartbeat.sequence + 1, 0.0, permit)
        return self.heartbeat

    def stop(self, server_call_id: str, past_the_adapter: bool) -> None:
        """See `Robot.stop`."""
        self._note(server_call_id, ROVER_STOP if past_the_adapter else ADAPTER_STOP)

    def answer(self, name: str, **fields: Any) -> None:
        """Answers the latest request to a service."""
        server_call_id = next(each for each, sent in reversed(self.sent) if sent == name)
        self._succeed(server_call_id, fields)

    @property
    def names(self) -> list[str]:
        """The services in the order of their requests."""
        return [name for _, name in self.sent]

    def _note(self, server_call_id: str, name: str) -> None:
        self.sent.append((server_call_id, name))
        reply = self.replies.get(name, self.reply)
        if reply is not None:
            self._succeed(server_call_id, reply)

    def _succeed(self, server_call_id: str, fields: Json) -> None:
        self.inbox.put(ServerCallUpdate(server_call_id, CallInput.SUCCEED, fields))


@dataclass
class FakeStore:
    """Keeps everything in memory.

    Attributes:
        puts: The parts and entries of each put.
        on_disk: Ticket up to which everything counts as on disk; None: always everything.
        stands_against: The fault.
        unkept: What `durable` says while there is one.
        ended: How it was closed.
    """

    wake: Callable[[], None] = _nobody
    puts: list[tuple[Mapping[str, Any], tuple[Entry, ...]]] = field(default_factory=list)
    on_disk: int | None = None
    stands_against: StoreFault | None = None
    unkept: Durability = Durability.NEVER
    ended: str = ''

    @property
    def latest(self) -> int:
        """See `Store.latest`."""
        return len(self.puts)

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        """See `Store.put`."""
        self.puts.append((parts, tuple(entries)))
        return len(self.puts)

    def record(self, lines: Sequence[InputLine]) -> None:
        """See `Store.record`."""

    def durable(self, ticket: int) -> Durability:
        """See `Store.durable`."""
        if self.stands_against is not None:
            return self.unkept
        is_kept = self.on_disk is None or ticket <= self.on_disk
        return Durability.ON_DISK if is_kept else Durability.WAITING

    def commit(self) -> None:
        """Everything up to now is on disk, and who waits for it is woken."""
        self.on_disk = len(self.puts)
        self.wake()

    def fault(self) -> StoreFault | None:
        """See `Store.fault`."""
        return self.stands_against

    def close(self, now: Now, how: str, within_s: float) -> None:
        """See `Store.close`."""
        self.ended = how


@dataclass(frozen=True)
class FakeGraphReader:
    """Reads the same, whatever is asked."""

    result: ToolResult

    def read(self, what: str, topic: str) -> PendingResult[ToolResult]:
        """See `GraphReader.read`."""
        return PendingResult(self.result)


@dataclass
class FakeGoalReader:
    """Reads what a test has set: `reading` is given to whoever asks next."""

    reading: PendingResult[RequestedActs] = field(default_factory=PendingResult[RequestedActs])
    asked: list[str] = field(default_factory=list)

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:
        """See `GoalReader.read`."""
        self.asked.append(goal)
        return self.reading


@dataclass
class FakeTraceSink:
    """Keeps every event."""

    events: list[TraceEvent] = field(default_factory=list)

    def emit(self, event: TraceEvent) -> None:
        """See `TraceSink.emit`."""
        self.events.append(event)


class NoGraph:
    """A `GraphReader` without a ROS graph: every request fails."""

    def read(self, _what: str, _topic: str) -> PendingResult[ToolResult]:
        """Returns a result at once."""
        return PendingResult(ToolResult(ok=False, error_reason='There is no ROS graph here'))


class NoGoalReader:
    """A `GoalReader` by which no goal requests an act: its end is judged by the acts alone."""

    def read(self, _goal: str, _toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:
        """Returns a result at once."""
        return PendingResult(RequestedActs())
