"""The decision at the end of a round: one of spec 3's decision types, by a table.

The rows are read from the top; the first that applies decides, by the round itself, by the usage
of the goal against its budget (calls, distance, charge, time, questions), and by the counts of
rounds without progress (failures in a row, equal refusals, going back and forth). SWITCH_TASK is
the only type that is not decided here: a better goal preempts a running round
(`SwitchTask`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
import json
from typing import Any

from bt_executive.core.state import Decision, DecisionType
from rover_common.config.settings import ExecutiveSettings
from rover_common.reason import Reason


@dataclass(frozen=True)
class Usage:
    """What a goal has used: tool calls, m driven, percent of charge, s since it began.

    `questions`: calls of tools that only read, and answered questions of the tree; they do not
    count as tool calls.
    """

    steps: int = 0
    distance_m: float = 0.0
    energy_pct: float = 0.0
    elapsed_s: float = 0.0
    questions: int = 0


MAX_ATTEMPTS = 2  # of one proposal: the first and one RETRY
MAX_PARTS = 3  # of one drive that gaps stop


class PlannerEnd(Enum):
    """How the planner ended the goal."""

    ANSWERED = auto()  # by its final answer
    FINISHED = auto()  # by its tool `finish`
    ABORTED = auto()  # by its tool `abort`
    FAILED = auto()  # it cannot go on


@dataclass(frozen=True)
class RoundSummary:
    """The result of a round, which the table reads."""

    planner_end: Reason[PlannerEnd] | None = None  # with its answer, or why
    ok: bool = False
    refused: bool = False
    reason: str = ''
    mapped: DecisionType | None = None  # by the skill's error_map, or spec 3's table
    idempotent: bool = False
    attempt: int = 1
    can_drive_rest: bool = False  # a gap stopped a drive, and the rest of it can be driven
    single_call: bool = False  # the goal is this one tool
    asked_operator: bool = False  # the tree itself asked the operator in this round
    failures: int = 0  # failed or refused rounds in a row, this one included
    same_refusal: int = 0
    ping_pong: bool = False
    usage: Usage = field(default_factory=Usage)

    @property
    def failed(self) -> bool:
        """Returns whether the tool ran and did not succeed."""
        return not self.ok and not self.refused

    @property
    def fatal(self) -> bool:
        """Returns whether the error ends the goal; it also makes SAFE."""
        return self.failed and self.mapped is DecisionType.ABORT


def decide(summary: RoundSummary, settings: ExecutiveSettings) -> Decision:
    """Return the decision on a round; the last row always applies."""
    for row in _TABLE:
        decision = row(summary, settings)
        if decision is not None:
            return decision
    raise AssertionError('the last row of the table always applies')


Row = Callable[[RoundSummary, ExecutiveSettings], Decision | None]


def _planner_ended(summary: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    end = summary.planner_end
    if end is None:
        return None
    if end.code in (PlannerEnd.ANSWERED, PlannerEnd.FINISHED):
        return Decision(DecisionType.FINISH, 'The planner gave its answer')
    return Decision(DecisionType.ABORT, end.sentence)


def _operator_silent(summary: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    if summary.asked_operator and not summary.ok:
        return Decision(DecisionType.ABORT, summary.reason)
    return None


def _retry(summary: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    again = (
        summary.mapped is DecisionType.RETRY
        and summary.idempotent
        and summary.attempt < MAX_ATTEMPTS
    )
    return Decision(DecisionType.RETRY, summary.reason) if summary.failed and again else None


def _drive_the_rest(summary: RoundSummary, settings: ExecutiveSettings) -> Decision | None:
    """Drive what a gap has left, unless there is no progress or no budget."""
    may = summary.can_drive_rest and not summary.ok and summary.attempt < MAX_PARTS
    if not may or any(row(summary, settings) for row in (_budget, _for_a_human, _no_progress)):
        return None
    return Decision(DecisionType.RETRY, summary.reason)


def _single_call(summary: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    return Decision(DecisionType.FINISH, summary.reason) if summary.single_call else None


def _budget(summary: RoundSummary, settings: ExecutiveSettings) -> Decision | None:
    used, goal = summary.usage, settings.goal
    if used.steps >= settings.agent.max_iterations:
        return Decision(DecisionType.ABORT, f'Not done after {used.steps} tool calls')
    if used.questions >= settings.agent.max_iterations:
        return Decision(DecisionType.ABORT, f'Not done after {used.questions} questions')
    if used.elapsed_s >= goal.max_wall_s:
        return Decision(DecisionType.ABORT, f'Not done after {used.elapsed_s:.0f} s')
    if used.energy_pct >= goal.max_energy_pct:
        return Decision(DecisionType.ABORT, f'{used.energy_pct:.0f} % of charge used up')
    return None


def _fatal(summary: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    return Decision(DecisionType.ABORT, summary.reason) if summary.fatal else None


def _for_a_human(summary: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    if summary.failed and summary.mapped is DecisionType.ASK_HUMAN:
        return Decision(DecisionType.ASK_HUMAN, summary.reason)
    return None


def _no_progress(summary: RoundSummary, settings: ExecutiveSettings) -> Decision | None:
    limits = settings.decisions
    if summary.ok:
        return None
    if summary.same_refusal >= limits.max_same_refusal:
        times = summary.same_refusal
        reason = f'The same proposal was refused {times} times in a row: {summary.reason}'
        return Decision(DecisionType.ASK_HUMAN, reason)
    if summary.ping_pong:
        return Decision(DecisionType.ASK_HUMAN, f'Going back and forth: {summary.reason}')
    if summary.failures >= limits.max_failures:
        reason = f'{summary.failures} rounds in a row failed, the last: {summary.reason}'
        return Decision(DecisionType.ASK_HUMAN, reason)
    return None


def _go_on(summary: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    if summary.ok:
        return Decision(DecisionType.CONTINUE)
    return Decision(DecisionType.REPLAN, summary.reason)


_TABLE: tuple[Row, ...] = (
    _planner_ended,
    _fatal,
    _operator_silent,
    _drive_the_rest,
    _retry,
    _single_call,
    _budget,
    _for_a_human,
    _no_progress,
    _go_on,
)


PING_PONG_ROUNDS = 6  # A B A B A B, all of them refused or failed


@dataclass
class ProgressMonitor:
    """Counts over the rounds of one goal."""

    failures: int = 0  # failed or refused rounds in a row
    same_refusal: int = 0  # times in a row that the same proposal was refused for the same reason
    _last_refusal: str = ''
    _recent: deque[str] = field(default_factory=lambda: deque(maxlen=PING_PONG_ROUNDS))

    def count(self, tool: str, arguments: Any, ok: bool, refused: bool, reason: str) -> None:
        """Counts a round."""
        if ok:
            self.reset()
            return
        self.failures += 1
        key = json.dumps([tool, arguments, reason], sort_keys=True, default=str)
        self._recent.append(key)
        if refused:
            self.same_refusal = self.same_refusal + 1 if key == self._last_refusal else 1
            self._last_refusal = key
        else:
            self.same_refusal, self._last_refusal = 0, ''

    def reset(self) -> None:
        """Restarts after a success or an answer of the operator."""
        self.failures, self.same_refusal, self._last_refusal = 0, 0, ''
        self._recent.clear()

    def as_data(self) -> dict[str, Any]:
        """Returns JSON values."""
        counts = {'failures': self.failures, 'same_refusal': self.same_refusal}
        return {**counts, 'last_refusal': self._last_refusal, 'recent': list(self._recent)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ProgressMonitor:
        """Makes it from the values of `as_data`; missing ones are zero."""
        monitor = cls(int(data.get('failures', 0)), int(data.get('same_refusal', 0)))
        monitor._last_refusal = str(data.get('last_refusal', ''))
        monitor._recent.extend(str(key) for key in data.get('recent', ()))
        return monitor

    @property
    def ping_pong(self) -> bool:
        """Returns whether the last rounds alternated between two that do not succeed."""
        recent = list(self._recent)
        if len(recent) < PING_PONG_ROUNDS:
            return False
        return len(set(recent)) == 2 and all(
            one == other for one, other in zip(recent, recent[2:], strict=False)
        )
