"""The ports by which front ends send their requests; `ros/client` implements them.

No method waits; the result of a request arrives as an event (`front_end_events.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bt_executive.client.front_end_requests import (
    ApprovalAnswer,
    GoalRequest,
    MemoryRequest,
    ToolRequest,
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

    def call_service(self, service: str, number: int = 0) -> None:
        """As every front end; the `ServiceReply` has the same number."""

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
