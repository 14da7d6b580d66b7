"""How a round ends: exactly one of spec 3's decision types, by a table over what came of it.

The rows are read from the top; the first that fits decides. SWITCH_TASK is the only type that
is not decided here: a better goal preempts a round in the middle (`behaviours.switch_task`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto

from bt_executive.core.goal_usage import Usage
from bt_executive.core.state import Decision, DecisionType
from rover_common.config.settings import ExecutiveSettings
from rover_common.reason import Reason

MAX_ATTEMPTS = 2  # of one proposal: the first and one RETRY
MOST_PARTS = 3  # in which one drive is driven, if gaps stop it


class PlannerEnd(Enum):
    """How the planner has ended the goal."""

    ANSWERED = auto()  # by its final words
    FINISHED = auto()  # by its tool `finish`
    ABORTED = auto()  # by its tool `abort`
    FAILED = auto()  # nothing more can be had from it


@dataclass(frozen=True)
class RoundSummary:
    """What the table looks at."""

    planner_end: Reason[PlannerEnd] | None = None  # with its answer, or why
    ok: bool = False
    refused: bool = False
    reason: str = ''
    mapped: DecisionType | None = None  # by the skill's error_map, or spec 3's table
    idempotent: bool = False
    attempt: int = 1
    rest_is_known: bool = False  # a gap stopped a drive, and what is left of it can be driven
    single_call: bool = False  # the operator asked for this one tool
    asked_operator: bool = False  # the tree itself had asked the operator in this round
    failures: int = 0  # failed or refused rounds in a row, this one included
    same_refusal: int = 0
    ping_pong: bool = False
    usage: Usage = field(default_factory=Usage)

    @property
    def failed(self) -> bool:
        """The tool ran and did not succeed."""
        return not self.ok and not self.refused

    @property
    def fatal(self) -> bool:
        """The error is one after which nothing goes on: it also makes SAFE."""
        return self.failed and self.mapped is DecisionType.ABORT


def decide(facts: RoundSummary, settings: ExecutiveSettings) -> Decision:
    """The decision on a round; total: the last row fits always."""
    for row in _TABLE:
        decision = row(facts, settings)
        if decision is not None:
            return decision
    raise AssertionError('the last row of the table fits always')


Row = Callable[[RoundSummary, ExecutiveSettings], Decision | None]


def _finish(facts: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    end = facts.planner_end
    if end is not None and end.code in (PlannerEnd.ANSWERED, PlannerEnd.FINISHED):
        return Decision(DecisionType.FINISH, 'The planner gave its answer')
    return None


def _give_up(facts: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    end = facts.planner_end
    if end is not None and end.code in (PlannerEnd.ABORTED, PlannerEnd.FAILED):
        return Decision(DecisionType.ABORT, end.sentence)
    return None


def _operator_silent(facts: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    if facts.asked_operator and not facts.ok:
        return Decision(DecisionType.ABORT, facts.reason)
    return None


def _retry(facts: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    again = (
        facts.mapped is DecisionType.RETRY and facts.idempotent and facts.attempt < MAX_ATTEMPTS
    )
    return Decision(DecisionType.RETRY, facts.reason) if facts.failed and again else None


def _drive_the_rest(facts: RoundSummary, settings: ExecutiveSettings) -> Decision | None:
    """What a gap has left of a drive, unless the goal leads nowhere or is beyond its budget."""
    may = facts.rest_is_known and not facts.ok and facts.attempt < MOST_PARTS
    if not may or any(row(facts, settings) for row in (_budget, _for_a_human, _no_progress)):
        return None
    return Decision(DecisionType.RETRY, facts.reason)


def _single_call(facts: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    return Decision(DecisionType.FINISH, facts.reason) if facts.single_call else None


def _budget(facts: RoundSummary, settings: ExecutiveSettings) -> Decision | None:
    used, goal = facts.usage, settings.goal
    if used.steps >= settings.agent.max_iterations:
        return Decision(DecisionType.ABORT, f'Not done after {used.steps} tool calls')
    if used.questions >= settings.agent.max_iterations:
        return Decision(DecisionType.ABORT, f'Not done after {used.questions} questions')
    if used.elapsed_s >= goal.max_wall_s:
        return Decision(DecisionType.ABORT, f'Not done after {used.elapsed_s:.0f} s')
    if used.energy_pct >= goal.max_energy_pct:
        return Decision(DecisionType.ABORT, f'{used.energy_pct:.0f} % of charge used up')
    return None


def _fatal(facts: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    return Decision(DecisionType.ABORT, facts.reason) if facts.fatal else None


def _for_a_human(facts: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    if facts.failed and facts.mapped is DecisionType.ASK_HUMAN:
        return Decision(DecisionType.ASK_HUMAN, facts.reason)
    return None


def _no_progress(facts: RoundSummary, settings: ExecutiveSettings) -> Decision | None:
    limits = settings.decisions
    if facts.ok:
        return None
    if facts.same_refusal >= limits.max_same_refusal:
        times = facts.same_refusal
        reason = f'The same proposal was refused {times} times in a row: {facts.reason}'
        return Decision(DecisionType.ASK_HUMAN, reason)
    if facts.ping_pong:
        return Decision(DecisionType.ASK_HUMAN, f'Going back and forth: {facts.reason}')
    if facts.failures >= limits.max_failures:
        reason = f'{facts.failures} rounds in a row failed, the last: {facts.reason}'
        return Decision(DecisionType.ASK_HUMAN, reason)
    return None


def _go_on(facts: RoundSummary, _settings: ExecutiveSettings) -> Decision | None:
    if facts.ok:
        return Decision(DecisionType.CONTINUE)
    return Decision(DecisionType.REPLAN, facts.reason)


_TABLE: tuple[Row, ...] = (
    _finish,
    _give_up,
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
