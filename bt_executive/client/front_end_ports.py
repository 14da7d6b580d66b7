"""Where a front end asks: ports of console, page, agents and stop, which ros/client implements.

Nothing waits; what comes of a request arrives as an event (`front_end_events.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bt_executive.client.front_end_requests import GoalRequest, MemoryRequest, ToolRequest
from bt_executive.client.typed_answers import Resolve


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
