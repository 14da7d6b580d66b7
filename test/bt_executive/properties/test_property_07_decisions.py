"""Spec 3 property 7: every round ends in exactly one of the seven decision types."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.round_decision import MAX_ATTEMPTS, MAX_PARTS, RoundSummary, decide
from bt_executive.core.state import Decision
from rover_common.config.load import load_config

SETTINGS = load_config(None, ()).executive
TYPES = {'CONTINUE', 'REPLAN', 'RETRY', 'SWITCH_TASK', 'ASK_HUMAN', 'FINISH', 'ABORT'}


@given(facts=st.from_type(RoundSummary))
@pytest.mark.slow
def test_a_round_ends_in_one_of_the_seven_types(facts: RoundSummary) -> None:
    decision = decide(facts, SETTINGS)
    assert isinstance(decision, Decision)
    assert decision.type.value in TYPES
    assert decision == decide(facts, SETTINGS)


@given(facts=st.from_type(RoundSummary))
def test_success_alone_goes_on_and_only_idempotent_failures_and_rests_are_repeated(
    facts: RoundSummary,
) -> None:
    decision = decide(facts, SETTINGS).type.value
    if decision == 'CONTINUE':
        assert facts.ok
    if decision in {'REPLAN', 'RETRY', 'ASK_HUMAN'}:
        assert not facts.ok
    if decision == 'RETRY':
        assert facts.can_drive_rest or (facts.idempotent and not facts.refused)
        assert facts.attempt < (MAX_PARTS if facts.can_drive_rest else MAX_ATTEMPTS)
