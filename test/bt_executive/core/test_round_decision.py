"""The rows of the table in `kernel.decisions`, in their order."""

from __future__ import annotations

import pytest

from bt_executive.core.round_decision import PlannerEnd, RoundSummary, Usage, decide
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
