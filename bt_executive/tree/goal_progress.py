"""The progress of a goal: steps, distance, energy, scores, and time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.goal_outcome import Outcome, succeeded
from bt_executive.core.goal_queue import Task
from bt_executive.core.round_decision import ProgressMonitor, Usage
from rover_common.clocks import Now
from rover_common.llm.model_usage import ModelUse


@dataclass
class GoalProgress:
    """The progress of a goal. Distances in m, scores 0 to 1.

    Attributes:
        distance_m: Measured by poses.
        assumed_m: Assumed besides by speed and time, while nothing was measured; it counts
            against the budget, too.
    """

    started_at: Now
    steps: int = 0
    refusals: int = 0
    tool: str = ''
    distance_m: float = 0.0
    assumed_m: float = 0.0
    energy_pct: float = 0.0  # charge used, without charging
    first_score: float | None = None
    last_score: float | None = None
    last_is_good: bool | None = None
    model: ModelUse = field(default_factory=ModelUse)
    monitor: ProgressMonitor = field(default_factory=ProgressMonitor)
    history: list[tuple[Proposal, ToolResult]] = field(default_factory=list)
    began_at: tuple[tuple[float, float], ...] = ()  # the robot's position then, if it was known
    counts_from: Now = field(init=False)  # moved on by the time in which the goal was held back
    held_since: Now | None = None

    def __post_init__(self) -> None:
        self.counts_from = self.started_at

    def hold(self, now: Now) -> None:
        """Holds the goal's time: for a pause, the battery, or a better goal."""
        self.held_since = self.held_since or now

    def go_on(self, now: Now) -> None:
        """Lets the goal's time run again; the time in which it was held does not count."""
        since, self.held_since = self.held_since, None
        if since is not None:
            self.counts_from = self.counts_from.later(
                now.robot - since.robot, now.steady - since.steady
            )

    def add_score(self, score: float, is_good: bool) -> None:
        """Notes a scored picture."""
        self.first_score = score if self.first_score is None else self.first_score
        self.last_score, self.last_is_good = score, is_good

    @property
    def counted_m(self) -> float:
        """Returns what counts against the budget of distance."""
        return self.distance_m + self.assumed_m

    def usage(self, now: Now) -> Usage:
        """Returns what counts against the goal's budgets."""
        elapsed_s = (self.held_since or now).since(self.counts_from)
        questions = len(self.history) - self.steps
        return Usage(self.steps, self.counted_m, self.energy_pct, elapsed_s, questions)

    def summary(
        self,
        task: Task,
        outcome: Outcome,
        answer: str,
        now: Now,
        *,
        missing: str = '',
        asks: bool = False,
    ) -> dict[str, Any]:
        """Returns the goal's entry in summary.json.

        `missing`: of a claim, what was not measured; `asks`: the goal is a question.
        """
        return {
            'outcome': outcome,
            'succeeded': succeeded(outcome, asks),
            'missing': missing,
            'sender': task.sender,
            'goal': task.goal,
            'answer': answer,
            'steps': self.steps,
            'refusals': self.refusals,
            'first_score': self.first_score,
            'last_score': self.last_score,
            'distance_m': round(self.distance_m, 3),
            'wall_s': round(now.steady - self.started_at.steady, 3),
            'robot_s': round(now.robot - self.started_at.robot, 3),
            'model': self.model.as_data(),
        }
