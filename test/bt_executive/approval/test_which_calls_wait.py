"""Which calls wait for a human: approval, steps, and breakpoints, through the real tree."""

from __future__ import annotations

from typing import Any

from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.approval_and_breakpoint_rules import breakable, held_by
from bt_executive.core.executive_ports import Answer
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import ApprovalGiven, GoalReceived, ParametersSet, PoseReceived
from bt_executive.core.state import SkillResult
from rover_common.config.load import load_config
from rover_common.config.settings import ApprovalSettings

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


NAVIGATE = '/adapter/navigate_to_pose'
RECALL = '/memory/recall'
ROCK = {'id': 'n1', 'name': 'Bishop', 'x': 20.0, 'y': 0.0, 'radius_m': 1.0}


def asked_to_go_to_the_rock(
    bench: MakeBench, propose: Propose, overrides: list[str], **goal: Any
) -> TreeBench:
    it = bench(propose('go_to_remembered', text='rock'), Answer('done'), overrides=overrides)
    it.robot.replies = {RECALL: {'ok': True, 'error_code': '', 'reason': '', 'places': [ROCK]}}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.goal('go to the rock', **goal)
    return it


@pytest.mark.parametrize(
    ('overrides', 'goal'),
    [
        (['approval.mode=always'], {}),
        ([], {'approve_all': True}),
        (['tools.navigate_to.approve=true'], {}),
    ],
    ids=['always', 'by the goal', 'by the step'],
)
def test_a_tool_whose_step_drives_waits_for_a_human(
    bench: MakeBench, propose: Propose, overrides: list[str], goal: dict[str, Any]
) -> None:
    it = asked_to_go_to_the_rock(bench, propose, overrides, **goal)
    it.until(it.context.approvals.waiting)
    assert it.robot.names == []
    (request,) = it.context.approvals.waiting()
    assert (request.tool, request.arguments) == ('go_to_remembered', {'text': 'rock'})
    assert request.amounts_to == 'drives to the place that the memory names (navigate_to)'
    assert request.risk == 'Moves the base'
    it.inbox.put(ApprovalGiven(request.request_id, 'approve'))
    it.until(lambda: NAVIGATE in it.robot.names)
    assert it.context.approvals.waiting() == (), 'its steps are not asked for again'


def test_by_default_a_tool_in_steps_waits_for_nobody(bench: MakeBench, propose: Propose) -> None:
    it = asked_to_go_to_the_rock(bench, propose, [])
    it.until(lambda: NAVIGATE in it.robot.names)


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


@pytest.mark.slow
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


@pytest.mark.parametrize('met', ['mast_closed', 'FAILED'])
def test_a_breakpoint_at_a_guard_holds_the_proposal_after_a_refused_one(
    bench: MakeBench, propose: Propose, met: str
) -> None:
    it = bench(
        propose('move_nudge'), propose('mast_close'), overrides=[f'approval.break_at=[{met}]']
    )
    it.status(mast_is_open=True)
    it.goal()
    request = waiting(it)
    assert request.tool == 'mast_close'
    assert request.risk.startswith(f'Breakpoint: the last proposal met {met}. ')
    assert it.robot.names == []
    it.inbox.put(ApprovalGiven(request.request_id, 'approve'))
    it.until(lambda: it.robot.names)


def test_each_breakpoint_is_listed_once() -> None:
    names = breakable(load_config())
    assert sorted(set(names)) == sorted(names)
    assert 'mast_open' in names  # a tool and a guard
