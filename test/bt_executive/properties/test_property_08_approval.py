"""Spec 3 property 8: approve runs what was asked, edit what was edited, reject nothing."""

from __future__ import annotations

from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest
from tree_bench import MakeBench, TreeBench

from bt_executive.core.executive_ports import Answer, Proposal
from bt_executive.core.inputs import ApprovalGiven

Action = Literal['approve', 'edit', 'reject']
DURATIONS = st.integers(1, 6).map(lambda halves: halves / 2)
MOVE, STOP = '/adapter/move_forward', '/adapter/move_stop'
ANSWERS: st.SearchStrategy[Action | None] = st.sampled_from(['approve', 'edit', 'reject', None])


@pytest.mark.long
@settings(deadline=None)
@given(asked=DURATIONS, edited=DURATIONS, action=ANSWERS, ticks=st.integers(0, 5))
def test_an_answer_does_what_it_says(
    bench: MakeBench, asked: float, edited: float, action: Action | None, ticks: int
) -> None:
    it = bench(
        Proposal('1', 'move_forward', {'duration_s': asked}),
        Answer('so be it'),
        overrides=['approval.mode=always', 'approval.expiry_s=3.0'],
    )
    it.robot.replies = {name: {'success': True, 'message': ''} for name in (MOVE, STOP)}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal()
    it.until(lambda: it.context.approvals.waiting())
    for _ in range(ticks):
        it.tick(after=0.1)
        it.status()
    assert it.robot.sent == [], 'nothing moves while the request waits'
    (request,) = it.context.approvals.waiting()
    if action is not None:
        arguments = {'duration_s': edited} if action == 'edit' else None
        it.inbox.put(ApprovalGiven(request.request_id, action, arguments, 'because'))
    drove = _seconds_driven(it)
    (result,) = it.planner.results
    assert result.ok == (action in ('approve', 'edit'))
    expected = {'approve': asked, 'edit': edited}.get(action or '', 0.0)
    assert abs(drove - expected) <= 0.25
    if action == 'reject':
        assert result.error_reason == 'Rejected by the operator: because'
    if action is None:
        assert result.error_reason.startswith('Nobody approved')


def _seconds_driven(it: TreeBench) -> float:
    """Runs the goal to its end."""
    started = stopped = 0.0
    while not it.reporter.endings:
        it.now += 0.1
        it.status()
        it.executive.step(it.moment)
        if not started and MOVE in it.robot.names:
            started = it.now
        if started and not stopped and STOP in it.robot.names:
            stopped = it.now
    return stopped - started
