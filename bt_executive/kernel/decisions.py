"""How a round ends: one of spec 3's decision types, by a table over what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from bt_executive.state import Decision, DecisionType

MAX_ATTEMPTS = 2  # of one proposal: the first and one RETRY


@dataclass(frozen=True)
class RoundFacts:
    """What the table looks at."""

    answered: bool = False  # the planner gave its final words
    planner_failed: str = ''
    aborted: str = ''  # the planner gave up, with this reason
    ok: bool = False
    refused: bool = False
    reason: str = ''
    mapped: str = ''  # the skill's error_map for the error code
    idempotent: bool = False
    attempt: int = 1
    steps: int = 0
    max_steps: int = 100
    elapsed_s: float = 0.0
    max_wall_s: float = 900.0
    single_call: bool = False  # the operator asked for this one tool


def decide(facts: RoundFacts) -> Decision:
    """The decision; the first row that fits."""
    if facts.answered:
        return Decision(DecisionType.FINISH, 'The planner gave its answer')
    if facts.planner_failed:
        return Decision(DecisionType.ABORT, facts.planner_failed)
    if facts.aborted:
        return Decision(DecisionType.ABORT, facts.aborted)
    retry = facts.mapped == 'RETRY' and facts.idempotent and facts.attempt < MAX_ATTEMPTS
    if not facts.ok and not facts.refused and retry:
        return Decision(DecisionType.RETRY, facts.reason)
    if facts.single_call:
        return Decision(DecisionType.FINISH, facts.reason)
    if facts.steps >= facts.max_steps:
        return Decision(DecisionType.ABORT, f'No end after {facts.steps} tool calls')
    if facts.elapsed_s >= facts.max_wall_s:
        return Decision(DecisionType.ABORT, f'No end after {facts.elapsed_s:.0f} s')
    if facts.mapped == 'ABORT' and not facts.ok and not facts.refused:
        return Decision(DecisionType.ABORT, facts.reason)
    if facts.ok:
        return Decision(DecisionType.CONTINUE)
    return Decision(DecisionType.REPLAN, facts.reason)
