"""The port by which the tree reports the ends of goals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bt_executive.core.goal_queue import Task
from bt_executive.tree.goal_progress import GoalProgress


@dataclass
class FakeReporter:
    """Notes how goals went.

    Attributes:
        endings: The summary of every goal that has ended, in order.
        ended_ids: Their task ids; one that stands twice was told twice.
        left_ids: Those of goals that were left to the next life, which are ended for their client.
        steps: Tool and verdict of every step.
    """

    endings: list[dict[str, Any]] = field(default_factory=list)
    ended_ids: list[str] = field(default_factory=list)
    left_ids: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def feedback(self, task: Task, progress: GoalProgress, verdict: str, mode: str) -> None:
        """See `GoalReporter.feedback`."""
        self.steps.append(f'{progress.tool}: {verdict}')

    def ended(self, task: Task, summary: dict[str, Any]) -> None:
        """See `GoalReporter.ended`."""
        self.ended_ids.append(task.task_id)
        self.endings.append(summary)

    def left_open(self, task: Task, summary: dict[str, Any]) -> None:
        """See `GoalReporter.left_open`."""
        self.left_ids.append(task.task_id)
        self.ended(task, summary)
