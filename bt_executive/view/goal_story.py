"""A goal as a story: the tools that were asked for, and what became of each. Times in ROS s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

UNFINISHED = 'unfinished'
SHORT_S = 5.0  # a goal that took longer is worth a look


@dataclass
class Approval:
    """What a human was asked before a step, and the answer.

    `asked`, `answered`: when; None while nobody has answered. `action`: approve, edit, reject or
    empty. `amounts_to`: what the call comes to, as it was changed if it was; empty: not known.
    `expiry_s`: how long the request stood.
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
    """A tool that was asked for, and what became of it.

    Attributes:
        number: Of its first event in the trace.
        by: Who proposed it, and who changed it.
        proposed: The arguments that were asked for, if the operator has changed them.
        verdict: `allowed`, `refused`, `asked` (a human), `withdrawn` (the goal ended before an
            answer), or empty while nobody had decided.
        guards: Each guard that was read, with what it saw, in words.
        why: Of a refusal: `reading` and its `age_s`, and the `rule` that the guard applied.
        began: When the tool started; None if it never did.
        ended: When its result was there.
        ok: Whether it succeeded; None while unknown.
        early: Whether it was ended before its time, or gives the goal up: no failure, no success.
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
    """An event that belongs to no tool. `tone`: the label of its sentence."""

    number: int
    ts: float
    tone: str
    text: str


@dataclass
class GoalStory:
    """One goal from begin to end.

    Attributes:
        over: Whether it has ended, or the executive that pursued it.
        summary: Its entry in summary.json; empty if it had no end.
        doing: The sentence of the latest event that was more than an observation.
        result: The latest result of a tool.
        is_joined: Whether it was under way already when it was first seen: what was before is not
            known.
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
        """Whether its end was reported, not only that of the executive that pursued it."""
        return self.outcome != UNFINISHED or bool(self.summary)

    @property
    def steps(self) -> Sequence[ToolStep]:
        """The tools that were asked for."""
        return [row for row in self.rows if isinstance(row, ToolStep)]

    @property
    def is_trivial(self) -> bool:
        """Whether there is little to look at: short, nothing driven, refused or photographed."""
        distance = self.summary.get('distance_m')
        drove = isinstance(distance, (int, float)) and abs(distance) >= 0.1
        eventful = any(step.score is not None or step.verdict == 'refused' for step in self.steps)
        fine = self.outcome in ('reached', 'answered') and self.ended - self.began < SHORT_S
        return self.over and fine and not drove and not eventful

    def covers(self, ts: float) -> bool:
        """Whether a moment belongs to this goal."""
        return self.began <= ts <= self.ended
