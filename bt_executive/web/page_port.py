"""What the page asks of the ROS side; bt_executive/ros/client/client.py implements it."""

from __future__ import annotations

from typing import Protocol

from bt_executive.client.approvals import Resolve
from bt_executive.client.requests import GoalRequest, MemoryRequest, ToolRequest


class PagePort(Protocol):
    """Nothing waits; what comes of it arrives as an event."""

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """Sends a goal; its end arrives as `GoalEnded` with the same ticket."""

    def ask(self, question: str) -> None:
        """Asks for a service of the executive; the reply arrives as `Answered`."""

    def ask_memory(self, request: MemoryRequest) -> None:
        """Asks the spatial memory; an `Answered` follows."""

    def resolve(self, answer: Resolve) -> None:
        """Answers a request for approval; what became of it arrives as `Answered`."""

    def watch_stage(self) -> None:
        """From now on tells of all that a page shows."""

    def want_camera(self) -> None:
        """Somebody looks at the camera; to be said again and again."""

    def step(self, on: bool) -> None:
        """Lets each proposal wait for a human, or no longer; an `Answered` follows."""

    def break_at(self, name: str) -> None:
        """Sets or removes a breakpoint, or lists them; an `Answered` follows."""

    def plan_path(self, key: str, x: float, y: float) -> None:
        """Asks which path a drive to a place would take; a `PathPlanned` follows."""

    def set_manual(self, wanted: bool) -> None:
        """Switches manual mode; an `Answered` follows."""

    def drive(self, motion: str) -> None:
        """A motion is held for a moment, in manual mode; empty: let go."""

    def set_fault(self, node: str, fault: str, on: bool | None = None) -> None:
        """Switches a fault of the embedded rover; an `Answered` follows."""

    def close(self) -> None:
        """Leaves the ROS graph."""


class StopPort(Protocol):
    """A stop on a way of its own; bt_executive/ros/client/stop_line.py implements it."""

    def stop(self) -> StopSaid:
        """Stops everything; returns when it is confirmed, or when that takes too long."""

    def close(self) -> None:
        """Leaves the ROS graph."""


class StopSaid(Protocol):
    """What became of a stop."""

    @property
    def ok(self) -> bool:
        """Whether somebody confirmed it."""

    @property
    def text(self) -> str:
        """What each of those who were asked said."""
