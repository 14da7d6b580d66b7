"""Approval through the real tree, with a manual clock."""

from __future__ import annotations

import json
from typing import Any

from fakes.core import FakeStore
from hypothesis import given, settings
from hypothesis import strategies as st
from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench, make_bench

from bt_executive.approval.approval_registry import Action
from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer, Proposal
from bt_executive.core.inputs import (
    ApprovalGiven,
    PauseRequested,
    PoseReceived,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from bt_executive.core.state import Mode, state_from_json, state_to_json

FORWARD = '/adapter/move_forward'
STOP = '/adapter/move_stop'
NAVIGATE = '/adapter/navigate_to_pose'
ASK_ALWAYS = ['approval.mode=always', 'approval.expiry_s=30']


class Desk:
    """A bench whose planner wants to drive for 5 s, and an operator who answers."""

    def __init__(self, bench: TreeBench) -> None:
        self.bench = bench
        self.replies: list[tuple[bool, str]] = []
        bench.robot.replies = {
            FORWARD: {'success': True, 'message': ''},
            STOP: {'success': True, 'message': ''},
        }
        bench.status(mast_is_open=False, mast='closed')
        bench.goal()
        bench.until(lambda: self.waiting)

    @property
    def waiting(self) -> Any:
        return self.bench.context.approvals.waiting()

    def answer(self, action: Action, request_id: str = '', **fields: Any) -> tuple[bool, str]:
        event = ApprovalGiven(
            request_id or self.waiting[0].request_id,
            action,
            reply=lambda *reply: self.replies.append(reply),
            **fields,
        )
        self.bench.inbox.put(event)
        self.bench.status()
        self.bench.tick()
        return self.replies[-1]

    def finish(self) -> None:
        self.bench.until(lambda: self.bench.reporter.endings)

    def motion_s(self) -> float:
        """How long the base was driven."""
        started, stops = self.bench.now, self.bench.robot.names.count(STOP)
        self.bench.until(lambda: self.bench.robot.names.count(STOP) > stops)
        return self.bench.now - started


@pytest.fixture
def operator(bench: MakeBench, propose: Propose) -> Desk:
    outputs = (propose('move_forward', duration_s=5.0), Answer('done'))
    return Desk(bench(*outputs, overrides=ASK_ALWAYS))


@pytest.mark.slow
def test_a_request_states_the_risk_and_nothing_moves(operator: Desk) -> None:
    (request,) = operator.waiting
    it = operator.bench
    assert (request.tool, request.arguments) == ('move_forward', {'duration_s': 5.0})
    assert (request.reason, request.risk) == ('I want move_forward', 'Moves the base')
    assert request.expires_at == pytest.approx(request.created_at + 30.0)
    assert request.facts['mast_closed'] == 'closed'
    it.until(lambda: it.now > request.created_at + 25.0)
    assert it.robot.sent == []
    ops = it.context.state.react.proposed_ops
    assert ops is not None
    assert ops.need_approval
    assert ops.approval_payload['id'] == request.request_id
    assert state_from_json(state_to_json(it.context.state)) == it.context.state
    assert any(request.request_id in message for message in it.messages('DECIDE'))


def test_approve_goes_on_as_planned(operator: Desk) -> None:
    accepted, message = operator.answer('approve', operator.waiting[0].request_id)
    assert accepted, message
    assert operator.motion_s() == pytest.approx(5.0, abs=0.3)
    operator.finish()
    assert operator.bench.planner.results[0].ok
    assert known(operator.bench.context.state.hci.approval_response)['accepted']
    assert operator.bench.context.state.react.proposed_ops is None


def test_edit_uses_the_edited_arguments_and_reports_to_the_planner(operator: Desk) -> None:
    accepted, message = operator.answer('edit', arguments={'duration_s': 2.0})
    assert accepted, message
    assert operator.motion_s() == pytest.approx(2.0, abs=0.3)
    operator.finish()
    assert operator.bench.planner.results[0].ok
    assert operator.bench.planner.results[0].data['arguments_edited_to'] == {'duration_s': 2.0}


def drive(it: TreeBench, number: int, **fields: Any) -> None:
    """The navigator takes its goal of this number, and ends it with these fields."""
    it.until(lambda: it.robot.names.count(NAVIGATE) == number)
    server_call_id = [
        server_call_id for server_call_id, name in it.robot.sent if name == NAVIGATE
    ][-1]
    for happened in (CallInput.ACCEPT, CallInput.SUCCEED):
        it.inbox.put(ServerCallUpdate(server_call_id, happened, fields))
        it.tick()


def test_an_edit_is_reported_also_after_a_second_try(bench: MakeBench, propose: Propose) -> None:
    outputs = (propose('navigate_to', x=10.0, y=0.0), Answer('I am there'))
    it = bench(*outputs, overrides=ASK_ALWAYS)
    it.robot.replies = {STOP: {'success': True, 'message': ''}}
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    operator = Desk(it)
    assert operator.answer('edit', arguments={'x': 3.0, 'y': 0.0})[0]
    drive(it, 1, error_code='NAV_TIMEOUT', message='it took too long')
    it.until(lambda: operator.waiting)
    assert operator.answer('approve')[0]
    drive(it, 2, error_code='', message='arrived')
    operator.finish()
    (result,) = it.planner.results
    assert result.ok
    assert result.data['arguments_edited_to'] == {'x': 3.0, 'y': 0.0}


def test_an_edit_is_reported_also_after_a_question_to_the_operator(
    bench: MakeBench, propose: Propose
) -> None:
    outputs = (propose('move_forward', duration_s=5.0), Answer('done'))
    operator = Desk(bench(*outputs, overrides=[*ASK_ALWAYS, 'decisions.max_failures=1']))
    it = operator.bench
    it.robot.replies[FORWARD] = {'success': False, 'message': 'stuck'}
    assert operator.answer('edit', arguments={'duration_s': 2.0})[0]
    it.until(lambda: it.context.state.hci.question)
    it.goal('try again')
    it.until(lambda: it.planner.results)
    (result,) = it.planner.results
    assert result.data['operator_says'] == 'try again'
    assert result.data['arguments_edited_to'] == {'duration_s': 2.0}


def test_reject_passes_the_operators_message_to_the_planner(operator: Desk) -> None:
    accepted, _ = operator.answer('reject', word='too near to the cliff')
    assert accepted
    operator.finish()
    (result,) = operator.bench.planner.results
    assert not result.ok
    assert 'too near to the cliff' in result.error_reason
    assert result.data['refused_by'] == 'human_approval'
    assert operator.bench.robot.sent == []


@pytest.mark.parametrize('arguments', [{'duration_s': 99.0}, {'speed': 3}])
def test_an_edit_that_cannot_be_called_is_refused_and_the_request_still_waits(
    operator: Desk, arguments: dict[str, Any]
) -> None:
    accepted, message = operator.answer('edit', arguments=arguments)
    assert not accepted
    assert 'still waits' in message
    assert len(operator.waiting) == 1
    assert operator.bench.robot.sent == []


def test_an_edit_of_an_ended_request_is_refused_as_ended(operator: Desk) -> None:
    request = operator.waiting[0]
    assert operator.answer('reject')[0]
    accepted, message = operator.answer('edit', request.request_id, arguments={'duration_s': -1})
    assert not accepted
    assert message == f'Request {request.request_id} has been rejected already'


def test_an_edit_into_something_forbidden_is_refused_by_the_guards(
    bench: MakeBench, propose: Propose
) -> None:
    zone = '[{"name": "crater", "polygon": [[3, -2], [9, -2], [9, 2], [3, 2]]}]'
    outputs = (propose('move_forward', duration_s=1.0), Answer('ok'))
    it = bench(*outputs, overrides=[*ASK_ALWAYS, f'executive.keep_out={zone}'])
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0))
    operator = Desk(it)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0))
    accepted, message = operator.answer('edit', arguments={'duration_s': 20.0})
    assert accepted
    assert 'checked again' in message
    operator.finish()
    assert 'crater' in it.planner.results[0].error_reason
    assert it.planner.results[0].data['refused_by'] == 'outside_keep_out'
    judged = known([event.data for event in it.events if event.kind == 'DECIDE'][-1])
    assert judged['arguments'] == {'duration_s': 20.0}
    assert judged['guard'] == 'outside_keep_out'
    assert it.robot.sent == []


@pytest.mark.slow
def test_silence_until_expiry_is_a_refusal(operator: Desk) -> None:
    request = operator.waiting[0]
    operator.finish()
    assert 'within 30 s' in operator.bench.planner.results[0].error_reason
    accepted, message = operator.answer('approve', request.request_id)
    assert not accepted
    assert 'has expired' in message
    assert operator.bench.robot.sent == []


@pytest.mark.slow
def test_an_approval_in_time_does_not_expire_afterwards(
    bench: MakeBench, propose: Propose
) -> None:
    """In the last moment, with a journal that takes longer than is left."""
    it = bench(propose('move_forward', duration_s=5.0), Answer('done'), overrides=ASK_ALWAYS)
    store = FakeStore(on_disk=0)
    it.recast(store=store)
    operator = Desk(it)
    request = operator.waiting[0]
    it.until(lambda: it.now >= request.expires_at - 0.15)
    assert operator.answer('approve') == (True, f'Request {request.request_id} is approved')
    it.pass_time(1.0)
    assert FORWARD not in it.robot.names
    store.on_disk = None
    it.until(lambda: FORWARD in it.robot.names)
    assert not [each for each in it.messages('DECIDE') if 'expired' in each]


HOSTILE = st.text(
    st.sampled_from('ab \n\r\t\x07\x1b\u202e\u2066\u200b\u2028\ufeff\u0085é漢'), max_size=30
)


@pytest.mark.slow
@given(words=HOSTILE, name=HOSTILE, thought=HOSTILE)
@settings(max_examples=25)
def test_a_request_is_in_plain_lines_and_what_runs_is_what_was_shown(
    words: str, name: str, thought: str
) -> None:
    call = Proposal('p', 'remember', {'name': f'x{name}', 'caption': name}, thought)
    it = make_bench(call, Answer('done'), overrides=ASK_ALWAYS)
    it.status(mast_is_open=False, mast='closed')
    it.goal(f'go {words}')
    it.until(lambda: it.context.approvals.waiting())
    (request,) = it.context.approvals.waiting()
    told = json.dumps(request.as_data(), ensure_ascii=False)
    assert not [each for each in told if each != ' ' and not each.isprintable()]
    assert not {'\\n', '\\t', '\\r', '\\u'} & {told[n : n + 2] for n in range(len(told))}
    it.inbox.put(ApprovalGiven(request.request_id, 'approve'))
    it.until(lambda: it.robot.names == ['/memory/remember'])
    (running,) = it.context.running_calls()
    assert {*request.arguments.items()} <= {*running.arguments.items()}


@pytest.mark.slow
def test_an_approval_is_used_once(bench: MakeBench, propose: Propose) -> None:
    same = propose('move_forward', duration_s=1.0)
    operator = Desk(bench(same, same, Answer('done'), overrides=ASK_ALWAYS))
    first = operator.waiting[0].request_id
    assert operator.answer('approve', first)[0]
    operator.bench.until(lambda: operator.waiting)
    assert operator.waiting[0].request_id != first
    accepted, message = operator.answer('approve', first)
    assert not accepted
    assert 'used already' in message
    assert operator.bench.robot.names.count(FORWARD) == 1
    operator.finish()
    assert [result.ok for result in operator.bench.planner.results] == [True, False]


def test_an_approval_for_another_situation_is_refused(operator: Desk) -> None:
    operator.bench.status(mast_is_open=True, mast='open')
    accepted, message = operator.answer('approve')
    assert not accepted
    assert 'mast_closed was closed, is open' in message
    operator.finish()
    assert 'mast_closed' in operator.bench.planner.results[0].error_reason
    assert operator.bench.robot.sent == []


@pytest.mark.parametrize(
    ('event', 'mode'),
    [
        (SafetyEvent('cliff ahead', 'a test'), Mode.SAFE),
        (StopRequested('the operator'), Mode.IDLE),
        (PauseRequested('the operator'), Mode.IDLE),
    ],
)
def test_safety_and_interrupts_preempt_a_waiting_request(
    operator: Desk, event: Any, mode: Mode
) -> None:
    request = operator.waiting[0]
    operator.bench.inbox.put(event)
    operator.bench.tick()
    assert operator.bench.context.state.tasks.mode is mode
    assert operator.waiting == ()
    accepted, message = operator.answer('approve', request.request_id)
    assert not accepted
    assert message.endswith('is no longer wanted (interrupted before it was done)')
    assert FORWARD not in operator.bench.robot.names


def test_an_approval_in_the_tick_of_a_safety_event_moves_nothing(operator: Desk) -> None:
    operator.bench.inbox.put(ApprovalGiven(operator.waiting[0].request_id, 'approve'))
    operator.bench.inbox.put(SafetyEvent('cliff ahead', 'a test'))
    operator.bench.tick(3)
    assert operator.bench.context.state.tasks.mode is Mode.SAFE
    assert FORWARD not in operator.bench.robot.names


def test_after_a_pause_the_operator_is_asked_again(operator: Desk) -> None:
    first = operator.waiting[0].request_id
    operator.bench.inbox.put(PauseRequested('the operator'))
    operator.bench.tick(after=1.0)
    operator.bench.inbox.put(ResumeRequested('the operator'))
    operator.bench.until(lambda: operator.waiting)
    assert operator.waiting[0].request_id != first
    assert operator.answer('approve')[0]
    assert operator.motion_s() == pytest.approx(5.0, abs=0.3)


# --- what is shown, and what runs ---------------------------------------------------------------


def test_a_request_shows_what_is_left_out_and_what_it_amounts_to(
    bench: MakeBench, propose: Propose
) -> None:
    operator = Desk(bench(propose('move_forward'), Answer('done'), overrides=ASK_ALWAYS))
    (request,) = operator.waiting
    assert request.arguments == {'duration_s': 5.0}
    assert request.amounts_to == '5 s, about 2.4 m straight ahead'
    assert request.as_data()['amounts_to'] == request.amounts_to
    (asked,) = [each for each in operator.bench.events if each.kind == 'DECIDE']
    assert asked.ok is None, 'it is not told as allowed before somebody has agreed'
    assert asked.message.startswith('5 s, about 2.4 m straight ahead; needs approval within 30 s')
    assert known(asked.data)['verdict'], 'what the guards saw is in the trace all the same'
    assert operator.answer('approve')[0]
    assert operator.motion_s() == pytest.approx(5.0, abs=0.3)
    judged = [each for each in operator.bench.events if each.kind == 'DECIDE'][-1]
    assert (judged.ok, known(judged.data)['arguments']) == (True, {'duration_s': 5.0})


def place_asked_for(bench: MakeBench, propose: Propose) -> Desk:
    it = bench(propose('navigate_to', x=5.0, y=3.0), Answer('done'), overrides=ASK_ALWAYS)
    it.inbox.put(PoseReceived(it.now, 1.0, 0.0, 0.0))
    return Desk(it)


def test_a_drive_to_a_place_names_the_pose_that_the_operator_saw(
    bench: MakeBench, propose: Propose
) -> None:
    operator = place_asked_for(bench, propose)
    (request,) = operator.waiting
    assert request.facts['pose'] == [1.0, 0.0, 0.0]
    assert request.amounts_to == ('5.0 m or more, from x 1.0 m, y 0.0 m, 0° to x 5.0 m, y 3.0 m')
    assert operator.answer('approve')[0]
    operator.bench.until(lambda: NAVIGATE in operator.bench.robot.names)


def test_a_drive_to_a_place_is_not_approved_for_another_pose(
    bench: MakeBench, propose: Propose
) -> None:
    operator = place_asked_for(bench, propose)
    operator.bench.inbox.put(PoseReceived(operator.bench.now, 1.5, 0.0, 0.0))
    accepted, message = operator.answer('approve')
    assert not accepted
    assert 'the robot has moved' in message
    operator.finish()
    assert NAVIGATE not in operator.bench.robot.names


def test_while_the_clock_stands_still_a_duplicate_approves_nothing_else(
    bench: MakeBench, propose: Propose
) -> None:
    same = propose('get_status')
    it = bench(same, same, Answer('done'), overrides=['approval.mode=always'])
    it.robot.replies = {'/adapter/get_status': {'success': True, 'message': '{}'}}
    it.status()
    it.goal()
    replies: list[tuple[bool, str]] = []
    it.tick(20, after=0.0)
    (first,) = it.context.approvals.waiting()
    for _ in range(2):
        answer = ApprovalGiven(
            first.request_id, 'approve', reply=lambda *reply: replies.append(reply)
        )
        it.inbox.put(answer)
        it.tick(20, after=0.0)
    (second,) = it.context.approvals.waiting()
    assert second.created_at == first.created_at
    assert second.request_id != first.request_id
    assert [accepted for accepted, _ in replies] == [True, False]
    assert it.robot.names.count('/adapter/get_status') == 1


def test_a_skill_can_ask_for_approval_by_itself(bench: MakeBench, propose: Propose) -> None:
    outputs = (propose('move_forward', duration_s=1.0), Answer('done'))
    operator = Desk(bench(*outputs, overrides=['tools.move_forward.approve=true']))
    assert operator.answer('approve')[0]
    operator.finish()
    assert operator.bench.planner.results[0].ok
