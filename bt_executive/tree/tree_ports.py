"""The ports through which the tree reaches everything outside it. They never change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bt_executive.core.event_memory import MemorySink
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
from bt_executive.core.store import NoStore, Store
from bt_executive.core.tracer import Tracer
from bt_executive.tree.goal_reporter import GoalReporter


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
