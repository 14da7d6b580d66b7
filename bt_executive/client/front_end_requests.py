"""Requests of front ends as values, the ports that send them, and which front end may send which.

A typed line or a button is parsed into a value; `ros/client` implements the ports. No method of
these waits; the result of a request arrives as an event (`front_end_events.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from bt_executive.core.goal_queue import Sender
from bt_executive.core.keepalive_leases import LEASE_S
from rover_common.config.settings.skills import Destination
from rover_common.ros.node_topic_and_enclave_names import FOLDER

STOPS = frozenset({'stop', 'safe_stop', 'pause'})  # services that wait for nothing before them
RELEASES = frozenset({'resume', 'reset'})  # services that undo a stop
RESOLVE = 'resolve_approval'  # the service whose `ServiceReply` is the result of an answer
TRACE_EVENTS = 20  # shown by :trace if no number is given
HUMAN_SERVICES = {
    name: name for name in ('stop', 'safe_stop', 'pause', 'resume', 'reset', 'show_tree')
}


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


class FrontEndPort(Protocol):
    """Requests that every front end may send."""

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """Sends a goal; its end arrives as `GoalEnded` with the same ticket."""

    def call_service(self, service: str) -> None:
        """Calls what `ServiceRequest` names; the reply arrives as `ServiceReply`."""

    def close(self) -> None:
        """Leaves the ROS graph."""


class AgentPort(FrontEndPort, Protocol):
    """Requests of the MCP server."""

    def cancel_goal(self, ticket: int) -> None:
        """Cancels one goal; its `GoalEnded` follows."""

    def subscribe_pictures(self) -> None:
        """From now on reports each picture that is taken as `PictureReceived`."""


class HumanPort(FrontEndPort, Protocol):
    """Requests of a front end for people. A `ServiceReply` follows each."""

    def call_memory(self, request: MemoryRequest) -> None:
        """Calls the spatial memory."""

    def resolve(self, answer: ApprovalAnswer) -> None:
        """Answers the request for approval with the id of `answer`."""

    def set_fault(self, node: str, fault: str) -> None:
        """Switches a fault of the embedded rover."""

    def set_stepping(self, on: bool) -> None:
        """Makes each proposal wait for a human, or no longer."""

    def toggle_breakpoint(self, name: str) -> None:
        """Sets or removes a breakpoint; without a name: lists them."""


class ConsolePort(HumanPort, Protocol):
    """Requests of the console."""

    def cancel(self) -> None:
        """Cancels the goals of this client; their ends arrive as `GoalEnded`."""

    def handle_executive_death(self) -> None:
        """Discards what the executive reported, after its process has ended."""


class PagePort(HumanPort, Protocol):
    """Requests of the page."""

    def set_fault(self, node: str, fault: str, on: bool | None = None) -> None:
        """Switches a fault of the embedded rover; `on` None: toggles it."""

    def subscribe_page_topics(self) -> None:
        """Subscribes to every topic that a page shows."""

    def request_camera(self) -> None:
        """Requests the camera's live pictures for a moment; call it again to keep them."""

    def plan_path(self, key: str, x: float, y: float) -> None:
        """Requests the path of a drive to x, y in m; a `PathPlanned` follows."""

    def set_manual(self, wanted: bool) -> None:
        """Switches manual mode; a `ServiceReply` follows."""

    def drive(self, motion: str) -> None:
        """Holds a motion for a moment, in manual mode; empty: releases it."""


@dataclass(frozen=True)
class StopResult:
    """The result of a stop: whether a server confirmed it, and the reply of each."""

    ok: bool
    text: str


class StopPort(Protocol):
    """A stop on a connection of its own."""

    def stop(self) -> StopResult:
        """Stops everything; returns when it is confirmed, or when that takes too long."""

    def close(self) -> None:
        """Leaves the ROS graph."""


@dataclass(frozen=True)
class FrontEnd:
    """A front end.

    Attributes:
        name: Of its node, after bt_executive_, and of its SROS2 enclave.
        services: The services of the executive that it may call, by their names in the front end.
        human: Whether a human uses it: only then it answers requests for approval, drives in
            manual mode, switches faults, and calls the memory directly.
        lease_s: After how long without a keepalive its goals are cancelled; 0: never.
    """

    name: str
    services: Mapping[str, str]
    human: bool
    lease_s: float = 0.0

    @property
    def sender(self) -> Sender:
        """The sender of its goals."""
        return 'operator' if self.human else 'agent'

    @property
    def node(self) -> str:
        """The name of its node."""
        return f'bt_executive_{self.name}'

    @property
    def enclave(self) -> str:
        """Its SROS2 enclave."""
        return f'{FOLDER}/{self.name}'


OPERATOR = FrontEnd('console', HUMAN_SERVICES, human=True)


PAGE = FrontEnd('web', HUMAN_SERVICES, human=True)


# No program takes back a pause or SAFE of the operator, or answers a request for approval.
# Its goals have a lease, since no human would notice that it is gone.
AGENT = FrontEnd(
    'mcp', {'stop': 'agent_stop', 'show_tree': 'show_tree'}, human=False, lease_s=LEASE_S
)
