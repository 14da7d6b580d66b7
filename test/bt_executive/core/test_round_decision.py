"""The rows of the table of decisions, in their order, and counts of rounds without progress."""

from __future__ import annotations

import pytest

from bt_executive.core.round_decision import (
    PING_PONG_ROUNDS,
    PlannerEnd,
    ProgressMonitor,
    RoundSummary,
    Usage,
    decide,
)
from bt_executive.core.state import DecisionType
from rover_common.config.load import load_config
from rover_common.reason import Reason

SETTINGS = load_config(None, ()).executive
SPENT = Usage(steps=100)
RETRIABLE = {'mapped': DecisionType.RETRY, 'idempotent': True, 'reason': 'late'}


@pytest.mark.parametrize(
    ('facts', 'kind', 'part'),
    [
        (
            {'planner_end': Reason(PlannerEnd.ANSWERED, 'It is bright'), 'usage': SPENT},
            'FINISH',
            'answer',
        ),
        ({'planner_end': Reason(PlannerEnd.FINISHED, 'bright'), 'ok': True}, 'FINISH', 'answer'),
        (
            {'planner_end': Reason(PlannerEnd.FAILED, 'no model'), 'failures': 9},
            'ABORT',
            'no model',
        ),
        ({'planner_end': Reason(PlannerEnd.ABORTED, 'too far'), 'ok': True}, 'ABORT', 'too far'),
        ({'asked_operator': True, 'reason': 'silence'}, 'ABORT', 'silence'),
        ({'asked_operator': True, 'ok': True}, 'CONTINUE', ''),
        (RETRIABLE, 'RETRY', 'late'),
        ({**RETRIABLE, 'single_call': True}, 'RETRY', 'late'),
        ({**RETRIABLE, 'attempt': 2}, 'REPLAN', 'late'),
        ({**RETRIABLE, 'idempotent': False}, 'REPLAN', 'late'),
        ({**RETRIABLE, 'refused': True}, 'REPLAN', 'late'),
        ({'single_call': True, 'refused': True, 'usage': SPENT}, 'FINISH', ''),
        ({'ok': True, 'usage': SPENT}, 'ABORT', 'Not done after 100 tool calls'),
        ({'ok': True, 'usage': Usage(elapsed_s=900.0)}, 'ABORT', 'Not done after 900 s'),
        ({'ok': True, 'usage': Usage(energy_pct=80.0)}, 'ABORT', '80 % of charge used up'),
        ({'ok': True, 'usage': Usage(distance_m=1e6)}, 'CONTINUE', ''),
        ({'mapped': DecisionType.ABORT, 'reason': 'cliff'}, 'ABORT', 'cliff'),
        ({'mapped': DecisionType.ASK_HUMAN, 'reason': 'lost'}, 'ASK_HUMAN', 'lost'),
        ({'refused': True, 'same_refusal': 3}, 'ASK_HUMAN', '3 times in a row'),
        ({'ping_pong': True}, 'ASK_HUMAN', 'back and forth'),
        ({'failures': 5}, 'ASK_HUMAN', '5 rounds in a row'),
        ({'failures': 4, 'same_refusal': 2, 'reason': 'dark'}, 'REPLAN', 'dark'),
        ({'ok': True}, 'CONTINUE', ''),
    ],
)
def test_the_first_row_that_fits_decides(facts: dict[str, object], kind: str, part: str) -> None:
    decision = decide(RoundSummary(**facts), SETTINGS)  # type: ignore[arg-type]
    assert decision.type.value == kind
    assert part in decision.reason


def refuse(monitor: ProgressMonitor, tool: str, reason: str = 'no', **arguments: float) -> None:
    monitor.count(tool, arguments, ok=False, refused=True, reason=reason)


def test_the_same_refusal_counts_until_the_proposal_or_the_reason_changes() -> None:
    monitor = ProgressMonitor()
    for expected in (1, 2, 3):
        refuse(monitor, 'move', seconds=2.0)
        assert monitor.same_refusal == expected
    refuse(monitor, 'move', seconds=3.0)
    assert monitor.same_refusal == 1
    refuse(monitor, 'move', 'still no', seconds=3.0)
    assert monitor.same_refusal == 1
    assert monitor.failures == 5


def test_a_failure_between_two_refusals_ends_their_row() -> None:
    monitor = ProgressMonitor()
    refuse(monitor, 'move')
    monitor.count('look', {}, ok=False, refused=False, reason='dark')
    assert monitor.same_refusal == 0
    refuse(monitor, 'move')
    assert monitor.same_refusal == 1


def test_success_and_the_operators_word_forget_everything() -> None:
    monitor = ProgressMonitor()
    for _ in range(PING_PONG_ROUNDS):
        refuse(monitor, 'move')
    monitor.count('look', {}, ok=True, refused=False, reason='')
    assert (monitor.failures, monitor.same_refusal, monitor.ping_pong) == (0, 0, False)


def test_going_back_and_forth_is_two_in_turn_for_six_rounds() -> None:
    monitor = ProgressMonitor()
    for number in range(PING_PONG_ROUNDS):
        assert not monitor.ping_pong
        refuse(monitor, 'ab'[number % 2])
    assert monitor.ping_pong
    refuse(monitor, 'c')
    assert not monitor.ping_pong


def test_one_thing_again_and_again_is_no_going_back_and_forth() -> None:
    monitor = ProgressMonitor()
    for _ in range(PING_PONG_ROUNDS):
        refuse(monitor, 'a')
    assert not monitor.ping_pong
