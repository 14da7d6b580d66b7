"""What the conversation needs: a way to the executive, and a screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bt_executive.client.approvals import Resolve
from bt_executive.client.command_meanings import Look
from bt_executive.client.front_end_events import GoalEnded
from bt_executive.client.requests import GoalRequest, MemoryRequest, ToolRequest


class ExecutivePort(Protocol):
    """The way to the executive. Nothing waits; what comes of it arrives as an event."""

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """Sends a goal; its end arrives as `GoalEnded` with the same ticket."""

    def cancel(self) -> None:
        """Cancels the goals that were sent; their ends arrive as `GoalEnded`."""

    def ask(self, question: str) -> None:
        """Asks what `commands.Ask` names, or `get_status`; the reply arrives as `Answered`."""

    def set_fault(self, node: str, fault: str) -> None:
        """Switches a fault of the embedded rover; an `Answered` to `FAULT` follows."""

    def step(self, on: bool) -> None:
        """Lets each proposal wait, or no longer; an `Answered` to `STEPPING` follows."""

    def break_at(self, name: str) -> None:
        """Sets or removes a breakpoint, or lists them; an `Answered` to `STEPPING` follows."""

    def resolve(self, answer: Resolve) -> None:
        """Answers a request, whose id is given; what became of it arrives as `Answered`."""

    def ask_memory(self, request: MemoryRequest) -> None:
        """Asks the memory; the reply arrives as `Answered` with the kind of the request."""


class Screen(Protocol):
    """What the operator sees of the conversation."""

    def say(self, text: str) -> None:
        """A sentence of the console itself."""

    def complain(self, text: str) -> None:
        """A sentence about something that went wrong."""

    def show(self, text: str) -> None:
        """An answer: a sentence, or several lines as they are."""

    def show_tree(self, text: str) -> None:
        """The behavior tree, one behaviour per line."""

    def show_page(self, look: Look) -> None:
        """What the console knows by itself."""

    def show_help(self, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        """The commands and what they do, by use."""

    def show_end(self, end: GoalEnded, goal: str) -> None:
        """How a goal ended. `goal`: its words; empty: there is no other that it could be."""
