"""The ports through which the tree reaches everything outside it. They never change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from bt_executive.core.executive_ports import (
    GoalReader,
    GraphReader,
    NoGoalReader,
    NoGraph,
    Planner,
    Robot,
    StreamChunk,
)
from bt_executive.core.inbox import Inbox
from bt_executive.core.queued_goal import Task
from bt_executive.core.recent_events import MemorySink
from bt_executive.core.store_port import NoStore, Store
from bt_executive.core.tracer import Tracer
from bt_executive.tree.goal_progress import GoalProgress


class GoalReporter(Protocol):
    """Tells whoever asked for a goal how it goes."""

    def feedback(self, task: Task, progress: GoalProgress, verdict: str, mode: str) -> None:
        """A step was decided."""

    def ended(self, task: Task, summary: dict[str, Any]) -> None:
        """The goal has ended; `summary` as in summary.json."""

    def left_open(self, task: Task, summary: dict[str, Any]) -> None:
        """This run of the executive ends before the goal does; the next one goes on with it."""


def _nobody(_words: StreamChunk) -> None:
    """Hears nothing."""


@dataclass(frozen=True)
class Ports:
    """What the executive is connected to.

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
    graph: GraphReader = field(default_factory=NoGraph)
    reader: GoalReader = field(default_factory=NoGoalReader)
    listener: Callable[[StreamChunk], None] = _nobody
    store: Store = field(default_factory=NoStore)
