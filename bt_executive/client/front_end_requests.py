"""What a front end asks for, as values.

A line that is typed, or a button, comes to one of these values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

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
