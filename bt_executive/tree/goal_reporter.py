"""The port through which whoever asked for a goal hears how it goes."""

from __future__ import annotations

from typing import Any, Protocol

from bt_executive.core.state import Task
from bt_executive.tree.goal_progress import GoalProgress


class GoalReporter(Protocol):
    """Tells whoever asked for a goal how it goes."""

    def feedback(self, task: Task, progress: GoalProgress, verdict: str, mode: str) -> None:
        """A step was decided."""

    def ended(self, task: Task, summary: dict[str, Any]) -> None:
        """The goal has ended; `summary` as in summary.json."""

    def left(self, task: Task, summary: dict[str, Any]) -> None:
        """This life of the executive ends before the goal does; the next one goes on with it."""
