"""Spec 3 property 9: FINISH when the goal is reached; ASK_HUMAN or ABORT when it leads nowhere."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st
import pytest

from bt_executive.core.round_decision import PlannerEnd, RoundSummary, Usage, decide
from bt_executive.core.state import DecisionType
from rover_common.config.load import load_config
from rover_common.reason import Reason

SETTINGS = load_config(None, ()).executive
GIVES_UP = (DecisionType.ASK_HUMAN, DecisionType.ABORT)
ENDS_WELL = (PlannerEnd.ANSWERED, PlannerEnd.FINISHED)


def unfinished(facts: RoundSummary) -> Reason[PlannerEnd] | None:
    """How the planner ended the goal, if it did not reach it."""
    end = facts.planner_end
    return None if end is None or end.code in ENDS_WELL else end


ROUNDS = st.from_type(RoundSummary).map(
    lambda facts: replace(
        facts, planner_end=unfinished(facts), single_call=False, usage=Usage(), attempt=2
    )
)
LIMIT = SETTINGS.agent.max_iterations
TOO_MUCH = st.sampled_from(
    [
        Usage(steps=LIMIT),
        Usage(steps=LIMIT + 7),
        Usage(elapsed_s=SETTINGS.goal.max_wall_s),
        Usage(energy_pct=SETTINGS.goal.max_energy_pct),
    ]
)


@given(facts=st.from_type(RoundSummary), words=st.text(), code=st.sampled_from(ENDS_WELL))
@pytest.mark.slow
def test_a_goal_that_is_reached_is_finished(
    facts: RoundSummary, words: str, code: PlannerEnd
) -> None:
    reached = replace(facts, planner_end=Reason(code, words))
    assert decide(reached, SETTINGS).type is DecisionType.FINISH


@given(facts=ROUNDS, usage=TOO_MUCH)
@pytest.mark.slow
def test_a_goal_beyond_its_budget_is_given_up(facts: RoundSummary, usage: Usage) -> None:
    assert decide(replace(facts, usage=usage), SETTINGS).type in GIVES_UP


@given(facts=ROUNDS, more=st.integers(0, 5))
@pytest.mark.slow
def test_repeated_failure_asks_the_operator_or_gives_up(facts: RoundSummary, more: int) -> None:
    assume(not facts.ok)
    limits = SETTINGS.decisions
    often = replace(facts, failures=limits.max_failures + more)
    assert decide(often, SETTINGS).type in GIVES_UP
    refused = replace(facts, same_refusal=limits.max_same_refusal + more)
    assert decide(refused, SETTINGS).type in GIVES_UP
    assert decide(replace(facts, ping_pong=True), SETTINGS).type in GIVES_UP


@given(facts=ROUNDS)
def test_a_first_setback_does_not_end_the_goal(facts: RoundSummary) -> None:
    mild = replace(
        facts,
        planner_end=None,
        asked_operator=False,
        mapped=None,
        failures=1,
        same_refusal=1,
        ping_pong=False,
    )
    goes_on = {DecisionType.CONTINUE, DecisionType.REPLAN}
    if mild.can_drive_rest:
        goes_on.add(DecisionType.RETRY)
    assert decide(mild, SETTINGS).type in goes_on
