"""The registry of approvals, with the time passed in; spec 3 property 8."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
import pytest

from bt_executive.approval.approval_registry import (
    OPEN_STATES,
    Action,
    ApprovalAnswer,
    ApprovalOutcome,
    ApprovalRegistry,
    RequestState,
)
from bt_executive.approval.approval_request import ApprovalRequest, hash_of
from bt_executive.client.typed_arguments import REQUEST_ID
from rover_common.errors import ProtocolError

SITUATION = {'mast_closed': 'closed', 'standing_still': False, 'pose': [1.0, 2.0, 0.0]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(st.text(max_size=5), JSON, max_size=3)


def request(created_at: float = 0.0, **fields: Any) -> ApprovalRequest:
    defaults: dict[str, Any] = {
        'request_id': f'ask-0a1b2c-{created_at:g}',
        'task_id': 't1',
        'task': 'look',
        'tool': 'move_forward',
        'arguments': {'duration_s': 5.0},
        'reason': 'to see more',
        'risk': 'Moves the base',
        'created_at': created_at,
        'asked_at': created_at,
        'expiry_s': 60.0,
        'facts': SITUATION,
    }
    return ApprovalRequest(**{**defaults, **fields})


@pytest.fixture
def approvals() -> ApprovalRegistry:
    approvals = ApprovalRegistry()
    approvals.open(request())
    return approvals


def reply(
    approvals: ApprovalRegistry,
    action: Action = 'approve',
    arguments: dict[str, Any] | None = None,
    situation: dict[str, Any] = SITUATION,
    now: float = 1.0,
) -> ApprovalOutcome:
    answer = ApprovalAnswer(action, arguments)
    return approvals.resolve(request().request_id, answer, situation, now)


def use(approvals: ApprovalRegistry, now: float = 2.0, **changed: Any) -> Any:
    entry = approvals.entry(request().request_id)
    call: dict[str, Any] = {
        'request_id': request().request_id,
        'tool': entry.request.tool,
        'arguments': entry.arguments,
        'situation': SITUATION,
        'now': now,
    }
    return approvals.use(**{**call, **changed})


# --- property 8: the effect of approve, edit and reject -----------------------------------------


@given(ARGUMENTS, ARGUMENTS, st.sampled_from(['approve', 'edit', 'reject']), st.floats(0, 59.9))
@pytest.mark.slow
def test_each_action_has_its_effect(
    arguments: dict[str, Any], edited: dict[str, Any], action: Any, now: float
) -> None:
    approvals, asked = ApprovalRegistry(), request(arguments=arguments)
    approvals.open(asked)
    answer = ApprovalAnswer(action, edited if action == 'edit' else None, 'because')
    assert approvals.resolve(asked.request_id, answer, SITUATION, now).accepted
    agreed = edited if action == 'edit' else arguments
    used = approvals.use(asked.request_id, asked.tool, agreed, SITUATION, now)
    assert used.accepted == (action != 'reject')
    assert not approvals.use(asked.request_id, asked.tool, agreed, SITUATION, now).accepted
    assert approvals.waiting() == ()


@given(ARGUMENTS, ARGUMENTS)
@pytest.mark.slow
def test_an_approval_fits_no_other_arguments(
    arguments: dict[str, Any], others: dict[str, Any]
) -> None:
    approvals, asked = ApprovalRegistry(), request(arguments=arguments)
    approvals.open(asked)
    approvals.resolve(asked.request_id, ApprovalAnswer('approve'), SITUATION, 1.0)
    used = approvals.use(asked.request_id, asked.tool, others, SITUATION, 1.0)
    assert used.accepted == (hash_of(arguments) == hash_of(others))


# --- what an approval is bound to -------------------------------------------------------------


def test_silence_is_a_refusal(approvals: ApprovalRegistry) -> None:
    approvals.expire(59.9)
    assert len(approvals.waiting()) == 1
    approvals.expire(60.0)
    assert approvals.waiting() == ()
    outcome = reply(approvals, now=60.0)
    assert not outcome.accepted
    assert 'has expired' in outcome.message


@given(answered=st.floats(0.0, 59.999), waited=st.floats(0.0, 59.99))
def test_an_approval_in_time_stays_valid_while_it_may_be_used(
    answered: float, waited: float
) -> None:
    approvals = ApprovalRegistry()
    approvals.open(request())
    outcome = reply(approvals, now=answered)
    assert outcome.message == f'Request {request().request_id} is approved'
    approvals.expire(answered + waited)
    assert use(approvals, now=answered + waited).accepted


def test_an_approval_that_was_not_used_in_time_expires_too(approvals: ApprovalRegistry) -> None:
    assert reply(approvals, now=59.0).accepted
    assert 'has expired' in use(approvals, now=59.0 + 60.0).message


def test_an_approval_is_given_once(approvals: ApprovalRegistry) -> None:
    assert reply(approvals).accepted
    for _ in range(2):
        again = reply(approvals)
        assert not again.accepted
        assert 'approved already' in again.message


def test_an_approval_is_used_once(approvals: ApprovalRegistry) -> None:
    reply(approvals)
    assert use(approvals).accepted
    assert 'used already' in use(approvals).message
    late = reply(approvals, now=3.0)
    assert 'used already' in late.message


def test_an_approval_is_for_one_tool(approvals: ApprovalRegistry) -> None:
    reply(approvals)
    outcome = use(approvals, tool='turn_left')
    assert not outcome.accepted
    assert 'approved for move_forward(duration_s=5.0), not for turn_left' in outcome.message


@pytest.mark.parametrize(
    ('situation', 'message'),
    [
        ({**SITUATION, 'mast_closed': 'open'}, 'mast_closed was closed, is open'),
        ({**SITUATION, 'standing_still': True}, 'standing_still was no, is yes'),
        ({**SITUATION, 'pose': [1.3, 2.0, 0.0]}, 'the robot has moved'),
        ({**SITUATION, 'pose': [1.0, 2.0, 0.2]}, 'the robot has moved'),
        ({'mast_closed': 'closed', 'standing_still': False}, 'pose was'),
    ],
)
@pytest.mark.parametrize('when', ['answered', 'used'])
def test_an_approval_is_for_the_situation_that_was_shown(
    approvals: ApprovalRegistry, situation: dict[str, Any], message: str, when: str
) -> None:
    assert when == 'answered' or reply(approvals).accepted
    act = use if when == 'used' else reply
    outcome = act(approvals, situation=situation)
    assert not outcome.accepted
    assert message in outcome.message
    assert not use(approvals).accepted


def test_a_rover_that_only_trembles_has_not_moved(approvals: ApprovalRegistry) -> None:
    situation = {**SITUATION, 'pose': [1.05, 1.95, -0.02]}
    assert reply(approvals, situation=situation).accepted


def test_approve_with_other_arguments_is_no_approval(approvals: ApprovalRegistry) -> None:
    other = ApprovalAnswer('approve', {'duration_s': 25.0})
    assert 'use edit' in approvals.resolve(request().request_id, other, SITUATION, 1.0).message
    assert len(approvals.waiting()) == 1
    assert reply(approvals, arguments={'duration_s': 5.0}).accepted


def test_an_edit_without_arguments_leaves_the_request_waiting(approvals: ApprovalRegistry) -> None:
    assert not reply(approvals, 'edit').accepted
    assert len(approvals.waiting()) == 1


def test_a_withdrawn_request_cannot_be_approved(approvals: ApprovalRegistry) -> None:
    assert approvals.withdraw(request().request_id, 'preempted')
    assert not approvals.withdraw(request().request_id, 'again')
    outcome = reply(approvals)
    assert 'no longer wanted' in outcome.message


# --- which request is meant -------------------------------------------------------------------


def test_an_answer_without_an_id_is_refused_even_if_one_request_waits(
    approvals: ApprovalRegistry,
) -> None:
    outcome = approvals.resolve('', ApprovalAnswer('approve'), SITUATION, 2.0)
    assert not outcome.accepted
    assert outcome.message == (
        'The answer names no request: give its id; waiting: ' + request().request_id
    )
    assert len(approvals.waiting()) == 1


def test_ids_are_unique_over_runs() -> None:
    registries = [ApprovalRegistry(), ApprovalRegistry()]
    ids = [registry.new_id() for registry in registries for _ in range(100)]
    assert len({*ids}) == 200
    assert all(REQUEST_ID.fullmatch(each) for each in ids)


def test_the_refusal_of_an_unknown_id_names_the_waiting_requests(
    approvals: ApprovalRegistry,
) -> None:
    outcome = approvals.resolve('ask-000000-1', ApprovalAnswer('approve'), SITUATION, 1.0)
    assert not outcome.accepted
    assert request().request_id in outcome.message


def test_no_id_is_opened_twice(approvals: ApprovalRegistry) -> None:
    with pytest.raises(ProtocolError):
        approvals.open(request())
    approvals.withdraw(request().request_id, 'preempted')
    with pytest.raises(ProtocolError):
        approvals.open(request())


# --- any order of everything ------------------------------------------------------------------


class RegistryMachine(RuleBasedStateMachine):
    """No order of requests, answers, uses and time allows a second use or a late one."""

    def __init__(self) -> None:
        super().__init__()
        self.approvals, self.now = ApprovalRegistry(), 0.0
        self.requests: list[ApprovalRequest] = []
        self.agreed: dict[str, float] = {}
        self.used: list[str] = []

    @rule(seconds=st.sampled_from([0.5, 20.0, 61.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.approvals.expire(self.now)

    @rule(arguments=st.sampled_from([{}, {'duration_s': 1.0}]))
    def ask(self, arguments: dict[str, Any]) -> None:
        self.now += 0.001
        asked = request(
            created_at=self.now, arguments=arguments, request_id=self.approvals.new_id()
        )
        self.approvals.open(asked)
        self.requests.append(asked)

    @precondition(lambda self: self.requests)
    @rule(data=st.data(), action=st.sampled_from(['approve', 'edit', 'reject']))
    def answer(self, data: st.DataObject, action: Any) -> None:
        asked = data.draw(st.sampled_from(self.requests))
        answer = ApprovalAnswer(action, {'duration_s': 2.0} if action == 'edit' else None)
        outcome = self.approvals.resolve(asked.request_id, answer, SITUATION, self.now)
        if outcome.accepted:
            assert asked.request_id not in self.agreed
            assert self.now < asked.expires_at
            self.agreed[asked.request_id] = self.now
            if action == 'reject':
                assert self.approvals.entry(asked.request_id).state is RequestState.REJECTED

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def use(self, data: st.DataObject) -> None:
        asked = data.draw(st.sampled_from(self.requests))
        entry = self.approvals.entry(asked.request_id)
        outcome = self.approvals.use(
            asked.request_id, asked.tool, entry.arguments, SITUATION, self.now
        )
        if outcome.accepted:
            assert asked.request_id in self.agreed
            assert asked.request_id not in self.used
            assert self.now < self.agreed[asked.request_id] + asked.expiry_s
            self.used.append(asked.request_id)

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        asked = data.draw(st.sampled_from(self.requests))
        self.approvals.withdraw(asked.request_id, 'a test')
        assert self.approvals.entry(asked.request_id).state not in OPEN_STATES

    @invariant()
    def nothing_waits_past_its_time(self) -> None:
        self.approvals.expire(self.now)
        assert all(self.now < asked.expires_at for asked in self.approvals.waiting())


TestRegistryMachine = pytest.mark.slow(RegistryMachine.TestCase)


def test_requests_that_ended_long_ago_are_discarded() -> None:
    approvals = ApprovalRegistry()
    for number in range(300):
        asked = request(created_at=float(number))
        approvals.open(asked)
        approvals.resolve(asked.request_id, ApprovalAnswer('reject'), SITUATION, float(number))
    outcome = approvals.resolve(
        request(created_at=0.0).request_id, ApprovalAnswer('approve'), SITUATION, 300.0
    )
    assert 'No request' in outcome.message
    latest = approvals.resolve(
        request(created_at=299.0).request_id, ApprovalAnswer('approve'), SITUATION, 300.0
    )
    assert 'rejected already' in latest.message
