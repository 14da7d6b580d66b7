"""Requests of front ends as values: what a typed line or a button is parsed into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rover_common.config.settings.skills import Destination

STOPS = frozenset({'stop', 'safe_stop', 'pause'})  # services that wait for nothing before them
RELEASES = {'resume': 'pause', 'reset': 'safe_stop'}  # services, and the stop that each undoes
# So long after a stop without an answer, an executive that is found is stopped: it may have
# resumed the goals of the one before.
STOP_AGAIN_S = 15.0
RESOLVE = 'resolve_approval'  # the service whose `ServiceReply` is the result of an answer
TRACE_EVENTS = 20  # shown by :trace if no number is given


@dataclass(frozen=True)
class ApprovalAnswer:
    """Answer a request for approval; an empty id is that of the one request that is shown."""

    action: str  # approve | edit | reject
    request_id: str = ''
    arguments: str = ''  # edit: JSON object
    reason: str = ''  # reject only


@dataclass(frozen=True)
class GoalRequest:
    """Pursue this goal: the operator's text, or the name of a template.

    `goal_id`: a UUID, so that a request that arrives twice is one goal; empty: a new one.
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

    Nothing moves for it, and it waits for nothing. `key`: idempotency key of `remember`; the
    memory stores a request that arrives twice once.
    """

    kind: Literal['recall', 'remember']
    text: str = ''
    key: str = ''


@dataclass(frozen=True)
class ServiceRequest:
    """Call a service of the executive or the adapter; it answers at once, whatever runs."""

    service: str  # of the executive (stop, pause, resume, …), get_status, or pending, state


@dataclass(frozen=True)
class ShowPage:
    """Show a page that the console makes without the executive.

    `count`: how many events of the trace. `words`: those that the episodes must contain.
    """

    page: Literal['trace', 'skills', 'cost', 'episodes']
    count: int = TRACE_EVENTS
    words: str = ''


@dataclass(frozen=True)
class Help:
    """Show the commands."""


@dataclass(frozen=True)
class Quit:
    """End the console."""


@dataclass(frozen=True)
class DriveToPlace:
    """Drive to a place, with the robot's tool for it."""

    tool: str
    place: Destination


@dataclass(frozen=True)
class DriveManually:
    """Drive for a moment, with a tool that makes one motion."""


@dataclass(frozen=True)
class Step:
    """Make each proposal wait for a human, or no longer."""

    on: bool = True


@dataclass(frozen=True)
class Break:
    """Set a breakpoint at a tool, guard or outcome, or remove it; without a name: list them."""

    name: str = ''


@dataclass(frozen=True)
class SwitchFault:
    """Switch a fault of the embedded rover on, or off if it is on."""

    name: str = ''


FrontEndRequest: TypeAlias = (
    GoalRequest
    | ToolRequest
    | MemoryRequest
    | ServiceRequest
    | ShowPage
    | ApprovalAnswer
    | Help
    | Quit
    | DriveToPlace
    | DriveManually
    | Step
    | Break
    | SwitchFault
)
