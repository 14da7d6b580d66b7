"""Spec 3's table of error codes through the whole tree."""

from __future__ import annotations

from typing import Any

from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.error_codes import ERROR_MAP, code_of_refusal, decision_after
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import SafetyEvent, ServerCallUpdate
from bt_executive.core.state import DecisionType, Mode

NAVIGATE = '/adapter/navigate_to_pose'
CLOSED = {'mast_is_open': False, 'mast': 'closed', 'moving': False}


@pytest.fixture
def navigating(bench: MakeBench, propose: Propose) -> TreeBench:
    it = bench(propose('navigate_to', x=6.0, y=0.0), Answer('so be it'))
    it.status(**CLOSED)
    it.goal('go there')
    it.until(lambda: NAVIGATE in it.robot.names)
    return it


def fail(it: TreeBench, code: str) -> None:
    """The latest call ends with an error code."""
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    fields = {'error_code': code, 'message': f'because of {code}'}
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.FAIL, fields))
    it.until(lambda: it.context.state.react.decision)


def decision(it: TreeBench) -> str:
    return str(known(it.context.state.react.decision).type.value)


@pytest.mark.parametrize('code', list(ERROR_MAP))
def test_the_table_holds_for_a_skill_that_says_nothing_else(
    navigating: TreeBench, code: str
) -> None:
    fail(navigating, code)
    assert decision(navigating) == ERROR_MAP[code].value
    assert known(navigating.context.state.skills.last_result).error_code == code


def test_a_skill_may_say_otherwise() -> None:
    assert decision_after('NAV_BLOCKED', {'NAV_BLOCKED': 'ASK_HUMAN'}) is DecisionType.ASK_HUMAN
    assert decision_after('OTHER', {}) is None


def test_a_drive_that_took_too_long_is_tried_once_more(navigating: TreeBench) -> None:
    it = navigating
    fail(it, 'NAV_TIMEOUT')
    it.until(lambda: it.robot.names.count(NAVIGATE) == 2)
    it.context.replace(react=type(it.context.state.react)())
    fail(it, 'NAV_TIMEOUT')
    assert decision(it) == 'REPLAN'


@pytest.mark.parametrize('code', ['SAFETY_VIOLATION', 'BATTERY_CRITICAL'])
def test_a_fatal_error_ends_the_goal_and_makes_safe(navigating: TreeBench, code: str) -> None:
    it = navigating
    fail(it, code)
    it.until(lambda: it.reporter.endings)
    it.tick()
    (end,) = it.reporter.endings
    assert (end['outcome'], end['answer']) == ('failed', f'because of {code}')
    assert it.context.state.tasks.mode is Mode.SAFE
    assert it.context.state.world.safety_reason == f'navigate_to: because of {code} ({code})'
    assert it.robot.names[-1] == '/adapter/move_stop'


def test_a_fatal_error_of_a_tool_by_hand_makes_safe_too(bench: MakeBench) -> None:
    it = bench()
    it.status(**CLOSED)
    it.goal('go', tool='navigate_to', arguments={'x': 6.0, 'y': 0.0})
    it.until(lambda: NAVIGATE in it.robot.names)
    fail(it, 'SAFETY_VIOLATION')
    it.tick()
    assert it.reporter.endings[0]['outcome'] == 'failed'
    assert it.context.state.tasks.mode is Mode.SAFE


def test_a_number_that_no_code_names_is_a_failure(bench: MakeBench, propose: Propose) -> None:
    numbers = [
        'tools.navigate_to.result={reason: message, code: error, codes: {2: NAV_BLOCKED}}',
        'tools.navigate_to.error_map={NAV_BLOCKED: REPLAN}',
    ]
    it = bench(propose('navigate_to', x=6.0, y=0.0), Answer('so be it'), overrides=numbers)
    it.status(**CLOSED)
    it.goal('go there')
    it.until(lambda: NAVIGATE in it.robot.names)
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    fields = {'error': 3, 'message': 'the wheels slip'}
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.SUCCEED, fields))
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == 'the wheels slip'
    assert known(it.context.state.skills.last_result).error_code == 'FAILED'


def test_a_safety_event_is_an_abort_with_its_code(navigating: TreeBench) -> None:
    it = navigating
    it.inbox.put(SafetyEvent('a cliff', 'a test'))
    it.tick()
    assert decision(it) == 'ABORT'
    last = known(it.context.state.skills.last_result)
    assert (last.status, last.error_code) == ('CANCELLED', 'SAFETY_VIOLATION')
    assert 'a cliff' in last.error_msg


@pytest.mark.parametrize(
    ('tool', 'arguments', 'code'),
    [
        ('fly', {}, 'SKILL_NOT_FOUND'),
        ('navigate_to', {'x': 'here'}, 'PARAM_INVALID'),
        ('capture_and_score', {}, 'MAST_OPEN'),
    ],
)
def test_a_refusal_has_a_code_and_goes_to_the_planner(
    bench: MakeBench,
    propose: Propose,
    tool: str,
    arguments: dict[str, Any],
    code: str,
) -> None:
    it = bench(propose(tool, **arguments), Answer('so be it'))
    it.status(**CLOSED)
    it.goal('try')
    it.until(lambda: it.planner.results)
    (refused,) = [event for event in it.events if event.kind == 'DECIDE' and event.ok is False]
    assert known(refused.data)['error_code'] == code
    assert not it.planner.results[0].ok
    assert not it.context.state.world.safety_reason


def test_a_resource_in_use_has_its_code() -> None:
    assert code_of_refusal('resources') == 'RESOURCE_CONFLICT'
