"""Step by step and breakpoints: the approval gate with another reason."""

from __future__ import annotations

from typing import Any

import pytest
from tree_bench import MakeBench, Propose

from bt_executive.core.approval_and_breakpoint_rules import held_by
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import ApprovalGiven, ParametersSet
from bt_executive.core.state import SkillResult
from rover_common.config.load import load_config
from rover_common.config.settings import ApprovalSettings


def approval(*overrides: str) -> ApprovalSettings:
    return load_config(None, [*overrides]).executive.approval


REFUSED = SkillResult('FAILED', 'PARAM_INVALID', 'Need to close mast', guard='mast_closed')


@pytest.mark.parametrize(
    ('overrides', 'last', 'reason'),
    [
        ([], REFUSED, ''),
        (['approval.step=true'], None, 'Step by step'),
        (['approval.break_at=[speak]'], None, 'Breakpoint at speak'),
        (['approval.break_at=[wait]'], REFUSED, ''),
        (['approval.break_at=[mast_closed]'], None, ''),
        (
            ['approval.break_at=[wait, mast_closed]'],
            REFUSED,
            'Breakpoint: the last proposal met mast_closed',
        ),
        (
            ['approval.break_at=[TIMED_OUT]'],
            SkillResult('FAILED', 'TIMED_OUT'),
            'Breakpoint: the last proposal met TIMED_OUT',
        ),
        (['approval.break_at=[FAILED]'], SkillResult('SUCCESS'), ''),
    ],
)
def test_what_holds_a_proposal(
    overrides: list[str], last: SkillResult | None, reason: str
) -> None:
    assert held_by(approval(*overrides), 'speak', last) == reason


def waiting(it: Any) -> Any:
    it.until(it.context.approvals.waiting)
    return it.context.approvals.waiting()[0]


def test_step_by_step_each_proposal_waits_and_no_longer_when_it_is_off(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(
        propose('speak', text='one'),
        propose('speak', text='two'),
        propose('speak', text='three'),
        Answer('done'),
        overrides=['approval.step=true', 'approval.expiry_s=1.0'],
    )
    it.status()
    it.goal()
    first = waiting(it)
    assert first.risk.startswith('Step by step. ')
    assert first.arguments == {'text': 'one'}
    assert first.expiry_s == 3600.0  # whoever steps takes his time
    it.inbox.put(ApprovalGiven(first.request_id, 'approve'))
    it.tick()
    second = waiting(it)
    assert second.arguments == {'text': 'two'}
    it.inbox.put(ParametersSet({'executive.approval.step': False}))
    it.inbox.put(ApprovalGiven(second.request_id, 'approve'))
    it.until(lambda: it.context.state.tasks.active is None)
    assert len(it.context.approvals.entries()) == 2
