"""The ports of the tree to everything outside it. They never change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from bt_executive.core.executive_ports import (
    GoalReader,
    GraphReader,
    Planner,
    Robot,
    StreamChunk,
)
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.store_port import NoStore, Store
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.tree.goal_progress import GoalProgress


class GoalReporter(Protocol):
    """Reports to the clients of goals."""

    def feedback(self, task: Task, progress: GoalProgress, verdict: str, mode: str) -> None:
        """Reports a decision on a step."""

    def ended(self, task: Task, summary: dict[str, Any]) -> None:
        """Reports the end of a goal; `summary` as in summary.json."""

    def left_open(self, task: Task, summary: dict[str, Any]) -> None:
        """Reports that this run ends with the goal still open; the next one resumes it."""


def _ignore(_chunk: StreamChunk) -> None:
    """Ignores the output."""


@dataclass(frozen=True)
class Ports:
    """The ports of one executive.

    Attributes:
        memory: The latest trace events, for the planner.
        reader: Reads what goals ask for.
        listener: Hears the model while it speaks.
        store: Keeps what must outlive the process.
    """

    inbox: Inbox
    robot: Robot
    planner: Planner
    reporter: GoalReporter
    tracer: Tracer
    memory: MemorySink
    graph: GraphReader
    reader: GoalReader
    listener: Callable[[StreamChunk], None] = _ignore
    store: Store = field(default_factory=NoStore)
