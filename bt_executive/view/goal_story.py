"""The story of a goal: the requested tools, and the result of each. Times in ROS s.

The fields are those of the page's data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

UNFINISHED = 'unfinished'
SHORT_S = 5.0  # a goal that took longer is not trivial


@dataclass
class Approval:
    """The approval request of a step, and its answer.

    Attributes:
        asked: Time of the request.
        amounts_to: The effect of the call, after an edit if there was one; empty: not known.
        expiry_s: Period of validity of the request.
        action: approve, edit, reject, or empty.
        word: The operator's message.
        ruling: The outcome of the answer.
        answered: Time of the answer; None: there is none.
    """

    request_id: str
    asked: float
    amounts_to: str = ''
    risk: str = ''
    expiry_s: float | None = None
    action: str = ''
    word: str = ''
    ruling: str = ''
    answered: float | None = None


@dataclass
class ToolStep:
    """A requested tool, and its result.

    Attributes:
        number: Of its first trace event.
        asked: Time of the proposal.
        by: Who proposed it, and who edited it.
        proposed: The proposed arguments, if the operator has edited them.
        verdict: `allowed`, `refused`, `asked` (for approval), `withdrawn` (the goal ended before
            an answer), or empty before a decision.
        guards: Name and reading, as text, of each evaluated guard.
        why: Of a refusal: `reading` and its `age_s`, and the `rule` of the guard.
        began: Time at which the tool started; None: it did not.
        ended: Time of its result.
        ok: Whether it succeeded; None: not known.
        early: Whether it was cancelled, or gives the goal up: neither failure nor success.
    """

    number: int
    asked: float
    tool: str
    by: str = ''
    arguments: Mapping[str, Any] = field(default_factory=dict)
    proposed: Mapping[str, Any] | None = None
    thought: str = ''
    verdict: str = ''
    reason: str = ''
    guard: str = ''
    guards: Sequence[tuple[str, str]] = ()
    why: Mapping[str, Any] = field(default_factory=dict)
    approval: Approval | None = None
    began: float | None = None
    ended: float | None = None
    ok: bool | None = None
    early: bool = False
    result: str = ''
    score: float | None = None


@dataclass(frozen=True)
class Remark:
    """A trace event that belongs to no tool. `tone`: the label of its sentence."""

    number: int
    ts: float
    tone: str
    text: str


@dataclass
class GoalStory:
    """One goal from begin to end.

    Attributes:
        over: Whether it has ended, or its executive has.
        summary: Its entry in summary.json; empty without an end.
        doing: The sentence of the latest event other than an observation.
        result: The latest result of a tool.
        is_joined: Whether it was already active when it was first seen, so that its earlier
            events are missing.
    """

    text: str
    began: float
    ended: float
    task_id: str = ''
    outcome: str = UNFINISHED
    answer: str = ''
    over: bool = False
    summary: Mapping[str, Any] = field(default_factory=dict)
    doing: str = ''
    result: Mapping[str, Any] = field(default_factory=dict)
    rows: list[ToolStep | Remark] = field(default_factory=list)
    is_joined: bool = False

    @property
    def has_ended(self) -> bool:
        """Whether the end of the goal was reported, not only that of its executive."""
        return self.outcome != UNFINISHED or bool(self.summary)

    @property
    def steps(self) -> Sequence[ToolStep]:
        """The requested tools."""
        return [row for row in self.rows if isinstance(row, ToolStep)]

    @property
    def is_trivial(self) -> bool:
        """Whether it was short and successful, without motion, refusal or picture."""
        distance = self.summary.get('distance_m')
        has_moved = isinstance(distance, (int, float)) and abs(distance) >= 0.1
        eventful = any(step.score is not None or step.verdict == 'refused' for step in self.steps)
        short = self.outcome in ('reached', 'answered') and self.ended - self.began < SHORT_S
        return self.over and short and not has_moved and not eventful

    def covers(self, ts: float) -> bool:
        """Return whether a time is within this goal."""
        return self.began <= ts <= self.ended
