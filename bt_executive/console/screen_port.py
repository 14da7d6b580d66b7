"""The port to the screen: what the conversation shows to the operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bt_executive.client.front_end_events import GoalEnded
from bt_executive.client.front_end_requests import ShowPage


class Screen(Protocol):
    """The output of the conversation."""

    def info(self, text: str) -> None:
        """Shows a message of the console."""

    def error(self, text: str) -> None:
        """Shows an error message of the console."""

    def show_reply(self, text: str) -> None:
        """Shows a reply: a sentence, or several lines as they are."""

    def show_tree(self, text: str) -> None:
        """Shows the behavior tree, one behaviour per line."""

    def show_page(self, request: ShowPage) -> None:
        """Shows a page of the console."""

    def show_help(self, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        """Shows the commands with their descriptions, grouped by use."""

    def show_end(self, end: GoalEnded, goal: str) -> None:
        """Shows the end of a goal. `goal`: its text; empty: there are no other goals."""
