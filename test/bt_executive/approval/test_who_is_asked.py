"""Approval through the real tree, with a manual clock."""

from __future__ import annotations

from known import known
import pytest
from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    ApprovalGiven,
    GoalReceived,
)

FORWARD = '/adapter/move_forward'
STOP = '/adapter/move_stop'
ASK_ALWAYS = ['approval.mode=always', 'approval.expiry_s=30']


@pytest.mark.parametrize('sender', ['agent', 'operator'])
@pytest.mark.parametrize('mode', ['always', 'per_skill'])
@pytest.mark.parametrize('tool', ['move_stop', ''], ids=['by hand', 'by the planner'])
def test_a_stop_waits_for_no_approval(
    bench: MakeBench, propose: Propose, mode: str, sender: str, tool: str
) -> None:
    overrides = [f'approval.mode={mode}', 'tools.move_stop.approve=true']
    it = bench(propose('move_stop'), Answer('It stands'), overrides=overrides)
    it.robot.replies = {STOP: {'success': True, 'message': ''}}
    it.status(mast_is_open=False, mast='closed', moving=True)
    it.goal('the stop tool', sender=sender, approve_all=True, tool=tool)
    it.until(lambda: STOP in it.robot.names)
    assert it.context.approvals.waiting() == ()


def test_a_goal_without_a_sender_is_approved_as_an_agents(bench: MakeBench) -> None:
    it = bench(overrides=ASK_ALWAYS)
    it.status(mast_is_open=True, mast='open')
    it.inbox.put(GoalReceived(Task('look-1', 'look', tool='look')))
    it.until(lambda: it.context.approvals.waiting())
    assert it.robot.sent == []


def test_the_operators_own_tool_needs_no_approval(bench: MakeBench) -> None:
    it = bench(overrides=ASK_ALWAYS)
    it.robot.replies = {'/adapter/mast_close': {'success': True, 'message': ''}}
    it.status(mast_is_open=False, mast='closed')
    it.goal('close', tool='mast_close')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'reached'


def test_a_tool_by_hand_can_ask_for_approval_all_the_same(bench: MakeBench) -> None:
    it = bench()
    it.robot.replies = {FORWARD: {'success': True, 'message': ''}, STOP: {'success': True}}
    it.status(mast_is_open=False, mast='closed')
    it.goal('by hand', tool='move_forward', arguments={'duration_s': 9}, approve_all=True)
    it.until(lambda: it.context.approvals.waiting())
    assert it.robot.names == []
    (request,) = it.context.approvals.waiting()
    it.inbox.put(ApprovalGiven(request.request_id, 'edit', {'duration_s': 10**400}))
    it.inbox.put(ApprovalGiven(request.request_id, 'edit', {'duration_s': 1}))
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [FORWARD, STOP]
    assert it.reporter.endings[0]['missing'] == 'how far the robot came was not measured'
    told = [
        known(each.data)['proposed_by'] for each in it.events if each.kind in ('DECIDE', 'ACT')
    ]
    assert set(told) == {'operator'}


def test_by_default_nobody_is_asked(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('get_status'), Answer('done'))
    it.robot.replies = {'/adapter/get_status': {'success': True, 'message': '{}'}}
    it.status()
    it.goal()
    it.until(lambda: it.reporter.endings)
    assert it.planner.results[0].ok


def test_a_goal_can_ask_for_approval_of_all_its_tools(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('get_status'), Answer('done'), propose('get_status'), Answer('done'))
    it.robot.replies = {'/adapter/get_status': {'success': True, 'message': '{}'}}
    it.status()
    it.goal('one')
    it.until(lambda: len(it.reporter.endings) == 1)
    it.goal('two', approve_all=True)
    it.until(lambda: it.context.approvals.waiting())
    assert it.robot.names.count('/adapter/get_status') == 1
