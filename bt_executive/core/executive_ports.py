"""What the executive asks of the outside: small protocols and the values that pass through them.

Implementations: `planner/` (Planner, GoalReader), `ros/` (Robot, GraphReader), and for TraceSink
`core/`, `store/` and `ros/`. A port with several has one contract suite under test/ that all of
them pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from bt_executive.core.requested_acts import RequestedActs
from rover_common.config.settings import Endpoint
from rover_common.finite_number import finite_number
from rover_common.llm.model_usage import ModelUse
from rover_common.permit import Heartbeat, Permit
from rover_common.trace_event import TraceEvent

Json: TypeAlias = Mapping[str, Any]
Found = TypeVar('Found')


@dataclass(frozen=True)
class ToolOffer:
    """A tool as the model sees it.

    `args_schema` is a JSON Schema of type object; `cost` has no unit (tool_costs.yaml).
    """

    name: str
    description: str
    args_schema: Json
    cost: float
    preconditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Proposal:
    """The tool that the model asks for. Nothing in it has been checked.

    `fault`: why its arguments cannot be read at all, as a sentence; such a call is refused.
    """

    call_id: str
    tool: str
    arguments: Json
    thought: str = ''  # the model's own words that came with the call
    fault: str = ''


@dataclass(frozen=True)
class Answer:
    """The model's final words on a goal."""

    text: str


@dataclass(frozen=True)
class PlannerFailure:
    """No more can be had from the planner for this goal; `reason` is a sentence."""

    reason: str


PlannerOutput: TypeAlias = Proposal | Answer | PlannerFailure


@dataclass(frozen=True)
class ToolResult:
    """What came of a tool call (spec 1 section 4.1). A refusal is a result with `ok` false."""

    ok: bool
    error_reason: str = ''
    data: Json = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)  # of `data`, where names do not tell

    @property
    def score(self) -> float | None:
        """The brightness that a capture measured, 0 to 1; None for everything else."""
        return finite_number(self.data.get('score')) if self.ok else None


@dataclass(frozen=True)
class StreamChunk:
    """A piece of what the model is saying right now.

    `kind`: `text`, `reasoning`, `call` (a tool call as it is written), or `end` of a message.
    """

    kind: Literal['text', 'reasoning', 'call', 'end']
    text: str = ''


@dataclass(frozen=True)
class Notice:
    """Something about the planner itself that an operator should know, as a sentence."""

    sentence: str
    ok: bool = True


PlannerNews: TypeAlias = StreamChunk | Notice


Barred: TypeAlias = tuple[tuple[str, str], ...]  # tools that a guard refuses now, each with why


@dataclass(frozen=True)
class PlannerContext:
    """What a planner may know about a goal besides its words."""

    toolset: tuple[ToolOffer, ...]
    memory: tuple[str, ...] = ()  # latest trace events as short sentences, oldest first
    known: tuple[str, ...] = ()  # what topics have of the robot's state now, in words
    max_tool_calls: int = 100
    history: tuple[tuple[Proposal, ToolResult], ...] = ()  # what this goal has come to before
    tokens_used: int = 0  # by this goal before
    barred: Barred = ()


class Planner(Protocol):
    """Proposes one tool at a time for a goal. No method blocks or raises for faults of the model.

    Life: start → (poll → Proposal → give)* → poll → Answer or PlannerFailure. `cancel` may come
    at any time; after it poll returns None until the next start, and nothing that was under way
    before has any further effect.
    """

    def start(self, goal: str, context: PlannerContext) -> None:
        """Begins a new goal; a goal that was under way is cancelled."""

    def poll(self) -> PlannerOutput | None:
        """The next output, once; None while there is none."""

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """Hands over the result of the latest proposal, and which tools guards refuse now."""

    def cancel(self) -> None:
        """Gives the goal up at once."""

    def news(self) -> tuple[PlannerNews, ...]:
        """What the model has said since the last call, and what is wrong with it, in order."""

    def use(self) -> ModelUse:
        """What the latest goal has cost since its start."""

    def close(self, within_s: float = 0.0) -> None:
        """Frees threads and connections; the planner cannot be used afterwards.

        Waits at most so long, in s, for threads to unwind. Others are left to the process's end.
        """


class Robot(Protocol):
    """Sends calls to the robot's services and actions; answers come back through the inbox."""

    def ready(self, endpoint: Endpoint) -> bool:
        """Whether a server is there now. Must not block."""

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        """Sends a request or goal; what comes of it becomes `ServerCallUpdate`s. Must not block.

        `goal_id`: hex of the UUID that an action's goal is to have.
        """

    def adopt(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """Asks an action's server what becomes of a goal that a previous run sent to it.

        Where the server has it, the answers are ACCEPT and, once it has ended, its last word; else
        LOSE with the reason. Nothing is sent again. Must not block.
        """

    def cancel(self, server_call_id: str) -> None:
        """Asks the server to cancel an action's goal. Must not block.

        Its response becomes a `ServerCallUpdate`. Before the server has accepted the goal, the
        request is kept and sent with the acceptance, however late that comes. Calls of services,
        and calls that have ended, are left alone.
        """

    def cancel_again(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """Asks an action's server to end a goal that was given up without a word of its end.

        Any response becomes a `ServerCallUpdate`, also that the server does not know the goal.
        Must not block.
        """

    def permit(self, permit: Permit) -> Heartbeat:
        """Tells at once, and with every heartbeat from now on, what may run. Must not block."""

    def stop(self, server_call_id: str, past_the_adapter: bool) -> None:
        """Stops the base, answered like `send`. Must not block.

        `past_the_adapter`: the adapter is silent, so the robot's own service is called.
        """


class PendingResult(Generic[Found]):
    """A result that another thread sets once. Like a future that the tick thread polls."""

    def __init__(self, result: Found | None = None) -> None:
        self.result = result
        self.cancelled = False
        self._on_cancel: Callable[[], None] | None = None

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Calls back when this is cancelled; at once if it has been."""
        self._on_cancel = callback
        if self.cancelled:
            callback()

    def cancel(self) -> None:
        """Drops the interest in the result. Does not block."""
        self.cancelled = True
        if self._on_cancel is not None:
            self._on_cancel()


class GraphReader(Protocol):
    """Reads the ROS graph, and nothing else of ROS."""

    def read(self, what: str, topic: str) -> PendingResult[ToolResult]:
        """Begins to read `list_nodes`, `list_topics`, `list_services` or `read_topic`.

        `topic` matters for the last one only. Must not block.
        """


class NoGraph:
    """A `GraphReader` where there is no ROS graph, as in tests: every reading fails."""

    def read(self, what: str, topic: str) -> PendingResult[ToolResult]:  # noqa: ARG002 - the port's signature
        """A reading that has ended."""
        return PendingResult(ToolResult(ok=False, error_reason='There is no ROS graph here'))


class GoalReader(Protocol):
    """Reads which acts the words of a goal ask for."""

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:
        """Begins to read a goal by the tools that the planner is offered. Must not block."""


class NoGoalReader:
    """A `GoalReader` for which no goal asks for anything: an end is judged by what was done."""

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:  # noqa: ARG002
        """A reading that has ended."""
        return PendingResult(RequestedActs())


class TraceSink(Protocol):
    """Takes trace events in order. Must not block and must not raise."""

    def emit(self, event: TraceEvent) -> None:
        """Takes one event."""
