"""What the server needs of the way to the executive."""

from __future__ import annotations

from typing import Protocol

from bt_executive.client.requests import GoalRequest, ToolRequest


class RobotClient(Protocol):
    """The ROS side; bt_executive/ros/client/client.py implements it. All calls return at once."""

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """Sends a goal; a `GoalEnded` with this ticket follows."""

    def cancel_goal(self, ticket: int) -> None:
        """Cancels one goal; its `GoalEnded` follows."""

    def ask(self, question: str) -> None:
        """Asks `stop`, `show_tree`, `state_json` …; an `Answered` follows."""

    def watch_pictures(self) -> None:
        """From now on tells of each picture that is taken."""

    def close(self) -> None:
        """Leaves the ROS graph."""
