"""What the operator sees of the conversation, as a port."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bt_executive.client.front_end_events import GoalEnded
from bt_executive.client.front_end_requests import ShowPage


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

    def show_page(self, look: ShowPage) -> None:
        """What the console knows by itself."""

    def show_help(self, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        """The commands and what they do, by use."""

    def show_end(self, end: GoalEnded, goal: str) -> None:
        """How a goal ended. `goal`: its words; empty: there is no other that it could be."""
