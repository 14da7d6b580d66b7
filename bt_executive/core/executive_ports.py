"""The ports of the executive: small protocols and the values that pass through them.

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
from rover_common.json_values import finite_number
from rover_common.llm.model_usage import ModelUse
from rover_common.permit import Heartbeat, Permit
from rover_common.trace_event import TraceEvent

Json: TypeAlias = Mapping[str, Any]
Found = TypeVar('Found')


@dataclass(frozen=True)
class ToolOffer:
    """A tool as it is offered to the model.

    `args_schema` is a JSON Schema of type object; `cost` has no unit (tool_costs.yaml).
    """

    name: str
    description: str
    args_schema: Json
    cost: float
    preconditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Proposal:
    """A tool call that the model proposes, not validated.

    `fault`: why its arguments cannot be parsed, as a sentence; such a call is refused.
    """

    call_id: str
    tool: str
    arguments: Json
    thought: str = ''  # the model's text beside the call
    fault: str = ''


@dataclass(frozen=True)
class Answer:
    """The model's final answer to a goal."""

    text: str


@dataclass(frozen=True)
class PlannerFailure:
    """The planner cannot go on with this goal; `reason` is a sentence."""

    reason: str


PlannerOutput: TypeAlias = Proposal | Answer | PlannerFailure


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool call (spec 1 section 4.1). A refusal is a result with `ok` false."""

    ok: bool
    error_reason: str = ''
    data: Json = field(default_factory=dict)
    units: Mapping[str, str] = field(
        default_factory=dict
    )  # of `data`, where the names do not end in them

    @property
    def score(self) -> float | None:
        """Returns the brightness that a capture measured, 0 to 1; None: it is no capture."""
        return finite_number(self.data.get('score')) if self.ok else None


@dataclass(frozen=True)
class StreamChunk:
    """A piece of the model's output while it is generated.

    `kind`: `text`, `reasoning`, `call` (a part of a tool call), or `end` of a message.
    """

    kind: Literal['text', 'reasoning', 'call', 'end']
    text: str = ''


@dataclass(frozen=True)
class Notice:
    """A sentence about the planner itself for the operator."""

    sentence: str
    ok: bool = True


PlannerNews: TypeAlias = StreamChunk | Notice


Barred: TypeAlias = tuple[tuple[str, str], ...]  # refused tools, each with the reason


@dataclass(frozen=True)
class PlannerContext:
    """What a planner may read of a goal besides its text."""

    toolset: tuple[ToolOffer, ...]
    memory: tuple[str, ...] = ()  # latest trace events as short sentences, oldest first
    known: tuple[str, ...] = ()  # the robot's state from topics, as texts
    max_tool_calls: int = 100
    history: tuple[tuple[Proposal, ToolResult], ...] = ()  # earlier steps of this goal
    tokens_used: int = 0  # by this goal before
    barred: Barred = ()


class Planner(Protocol):
    """Proposes one tool at a time for a goal. No method blocks or raises for faults of the model.

    Sequence: start → (poll → Proposal → give)* → poll → Answer or PlannerFailure. `cancel` may be
    called at any time; after it poll returns None until the next start, and what was running
    before has no further effect.
    """

    def start(self, goal: str, context: PlannerContext) -> None:
        """Starts a new goal; the previous one is cancelled."""

    def poll(self) -> PlannerOutput | None:
        """Returns the next output, once; None: there is none yet."""

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """Passes the result of the latest proposal, and the tools that guards refuse now."""

    def cancel(self) -> None:
        """Cancels the goal at once."""

    def news(self) -> tuple[PlannerNews, ...]:
        """Returns the model's output and the notices since the last call, in order."""

    def use(self) -> ModelUse:
        """Returns the model usage of the latest goal since its start."""

    def close(self, within_s: float = 0.0) -> None:
        """Frees threads and connections; the planner cannot be used afterwards.

        Waits at most so long, in s, for threads to unwind. Others are left to the process's end.
        """


class Robot(Protocol):
    """Calls the robot's services and actions; responses arrive through the inbox."""

    def ready(self, endpoint: Endpoint) -> bool:
        """Returns whether a server is there now. Must not block."""

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        """Sends a request or goal; its responses become `ServerCallUpdate`s. Must not block.

        `goal_id`: hex of the UUID that an action's goal is to have.
        """

    def adopt(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """Asks an action's server for a goal that a previous run sent to it. Must not block.

        If the server has it, the updates are ACCEPT and, once it has ended, its result; else LOSE
        with the reason. The goal is not sent again.
        """

    def cancel(self, server_call_id: str) -> None:
        """Asks the server to cancel an action's goal. Must not block.

        Its response becomes a `ServerCallUpdate`. Before the server has accepted the goal, the
        request is kept and sent with the acceptance, however late that comes. Calls of services,
        and calls that have ended, are left alone.
        """

    def cancel_again(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """Asks an action's server to cancel a goal that was given up without its result.

        Any response becomes a `ServerCallUpdate`, also that the server does not know the goal, and
        the result of a goal that it still runs.
        Must not block.
        """

    def permit(self, permit: Permit) -> Heartbeat:
        """Publishes a permit at once, and from now on with every heartbeat. Must not block."""

    def stop(self, server_call_id: str, past_the_adapter: bool) -> None:
        """Stops the base, with updates like those of `send`. Must not block.

        `past_the_adapter`: call the robot's own service, because the adapter is silent.
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
    """Reads the ROS graph."""

    def read(self, what: str, topic: str) -> PendingResult[ToolResult]:
        """Starts `list_nodes`, `list_topics`, `list_services` or `read_topic`. Must not block.

        `topic`: of the last one.
        """


class GoalReader(Protocol):
    """Finds the acts that the text of a goal requests."""

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:
        """Starts to read a goal, by the tools that the planner is offered. Must not block."""


class TraceSink(Protocol):
    """Takes trace events in order. Must not block and must not raise."""

    def emit(self, event: TraceEvent) -> None:
        """Takes one event."""
