"""What a front end asks for, as values, and the ports that take it.

A line that is typed, or a button, comes to one of these values. bt_executive/ros/client implements
the ports. Nothing waits; what comes of a request arrives as an event (`front_end_events.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from bt_executive.client.typed_answers import Resolve
from rover_common.config.settings.skills import Destination

TRACE_EVENTS = 20  # shown by :trace if no number is given


@dataclass(frozen=True)
class GoalRequest:
    """Pursue this goal: the operator's words, or the name of a template.

    `goal_id`: a UUID that names it from end to end, so that a request that arrives twice is one
    goal; empty: a new one.
    """

    text: str
    goal_id: str = ''


@dataclass(frozen=True)
class ToolRequest:
    """Run this one tool under the tree's guards.

    Attributes:
        arguments: JSON object, or empty for none.
        goal_id: See `GoalRequest`.
    """

    name: str
    arguments: str = ''
    goal_id: str = ''


@dataclass(frozen=True)
class MemoryRequest:
    """Ask the memory where something is, or have it remember where the robot is now.

    Nothing moves for it, and it waits for nothing. `key`: of this wish to remember, so that it
    changes nothing if it comes twice.
    """

    kind: Literal['recall', 'remember']
    text: str = ''
    key: str = ''


@dataclass(frozen=True)
class Ask:
    """Ask for something that is answered at once, whatever is under way."""

    question: str  # pending, state, or a service of the executive: stop, pause, resume, …


@dataclass(frozen=True)
class Look:
    """Show something that the console knows by itself.

    `count`: of a trace, how many events. `words`: of episodes, what they must say.
    """

    at: Literal['trace', 'skills', 'cost', 'episodes']
    count: int = TRACE_EVENTS
    words: str = ''


@dataclass(frozen=True)
class Help:
    """Show what can be typed."""


@dataclass(frozen=True)
class Quit:
    """End the console."""


@dataclass(frozen=True)
class DriveToPlace:
    """Drive to a place, with the tool of the robot that does."""

    tool: str
    place: Destination


@dataclass(frozen=True)
class DriveByHand:
    """Drive for a moment, with the tool of one motion."""


@dataclass(frozen=True)
class Step:
    """Let each proposal wait for a human, or no longer."""

    on: bool = True


@dataclass(frozen=True)
class Break:
    """Set a breakpoint at a tool, guard or outcome, or remove it; without a name: list them."""

    name: str = ''


@dataclass(frozen=True)
class SwitchFault:
    """Switch a fault of the embedded rover on, or off if it is on."""

    name: str = ''


Meaning: TypeAlias = (
    GoalRequest
    | ToolRequest
    | MemoryRequest
    | Ask
    | Look
    | Resolve
    | Help
    | Quit
    | DriveToPlace
    | DriveByHand
    | Step
    | Break
    | SwitchFault
)


class FrontEndPort(Protocol):
    """What each front end asks."""

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """Sends a goal; its end arrives as `GoalEnded` with the same ticket."""

    def ask(self, question: str) -> None:
        """Asks what `Ask` names, or `get_status`; the reply arrives as `Answered`."""

    def close(self) -> None:
        """Leaves the ROS graph."""


class AgentPort(FrontEndPort, Protocol):
    """What the MCP server asks."""

    def cancel_goal(self, ticket: int) -> None:
        """Cancels one goal; its `GoalEnded` follows."""

    def watch_pictures(self) -> None:
        """From now on tells of each picture that is taken."""


class HumanPort(FrontEndPort, Protocol):
    """What a front end may ask at which a human sits. An `Answered` follows each time."""

    def ask_memory(self, request: MemoryRequest) -> None:
        """Asks the spatial memory."""

    def resolve(self, answer: Resolve) -> None:
        """Answers a request for approval, whose id is given."""

    def set_fault(self, node: str, fault: str) -> None:
        """Switches a fault of the embedded rover."""

    def step(self, on: bool) -> None:
        """Lets each proposal wait for a human, or no longer."""

    def break_at(self, name: str) -> None:
        """Sets or removes a breakpoint, or lists them."""


class ConsolePort(HumanPort, Protocol):
    """What the console asks."""

    def cancel(self) -> None:
        """Cancels the goals that were sent; their ends arrive as `GoalEnded`."""

    def executive_died(self) -> None:
        """The executive's process is gone: what it reported means nothing any more."""


class PagePort(HumanPort, Protocol):
    """What the page asks."""

    def set_fault(self, node: str, fault: str, on: bool | None = None) -> None:
        """Switches a fault of the embedded rover; `on` None: to the other position."""

    def watch_stage(self) -> None:
        """From now on tells of all that a page shows."""

    def want_camera(self) -> None:
        """Somebody looks at the camera; to be said again and again."""

    def plan_path(self, key: str, x: float, y: float) -> None:
        """Asks which path a drive to a place would take, m; a `PathPlanned` follows."""

    def set_manual(self, wanted: bool) -> None:
        """Switches manual mode; an `Answered` follows."""

    def drive(self, motion: str) -> None:
        """A motion is held for a moment, in manual mode; empty: let go."""


@dataclass(frozen=True)
class StopAnswer:
    """What became of a stop: whether somebody confirmed it, and what each of those asked said."""

    ok: bool
    text: str


class StopPort(Protocol):
    """A stop on a connection of its own."""

    def stop(self) -> StopAnswer:
        """Stops everything; returns when it is confirmed, or when that takes too long."""

    def close(self) -> None:
        """Leaves the ROS graph."""
