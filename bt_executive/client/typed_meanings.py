"""The meanings of what is typed: what a line, or a button, asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bt_executive.client.approval_text import Resolve
from bt_executive.client.goal_requests import GoalRequest, MemoryRequest, ToolRequest
from bt_executive.client.typed_arguments import TRACE_EVENTS
from rover_common.config.settings.skills import Destination


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
