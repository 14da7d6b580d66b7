"""The call table with leases and silent servers, for every order in which things can happen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule
from known import known
import pytest

from bt_executive.core.call_states import TERMINAL, CallInput, CallState
from bt_executive.core.call_table import CallTable, Leases, ServerCall, with_running_calls
from bt_executive.core.state import BrainState, state_from_json, state_to_json
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint
from rover_common.errors import ProtocolError

SERVICE = Endpoint(kind='service', name='/lamp', type='std_srvs/srv/SetBool')
ACTION = Endpoint(kind='action', name='/look_up', type='tf2_msgs/action/LookupTransform')
RESOURCES = ('base', 'mast', 'camera')

# What a server, its network or the graph can say, in any order and as often as they like.
SERVER_WORDS = sorted(
    set(CallInput) - {CallInput.SEND, CallInput.CANCEL, CallInput.EXPIRE}, key=str
)


class CallTableMachine(RuleBasedStateMachine):
    """Calls that take leases, call servers, are preempted, expire and hear anything."""

    calls: Bundle[str] = Bundle('calls')
    server_calls: Bundle[str] = Bundle('server_calls')

    def __init__(self) -> None:
        super().__init__()
        self.book = CallTable()
        self.now = 0.0
        self.numbers = 0
        self.seen: dict[str, list[CallState]] = {}
        self.owner: dict[str, str] = {}  # server call → call
        self.running: set[str] = set()  # calls whose tool has not ended
        self.leased: dict[str, tuple[str, ...]] = {}

    def note(self, server_call_id: str) -> None:
        call = self.book.get(server_call_id)
        if call is not None and self.seen[server_call_id][-1] is not call.state:
            self.seen[server_call_id].append(call.state)

    @rule(target=calls, resources=st.lists(st.sampled_from(RESOURCES), unique=True))
    def start_call(self, resources: list[str]) -> str:
        self.numbers += 1
        call = f'call-{self.numbers}'
        if not self.book.leases.conflicts(call, resources):
            self.book.leases.acquire(call, resources)
            self.running.add(call)
            self.leased[call] = tuple(resources)
        return call

    @rule(
        target=server_calls,
        call=calls,
        timeout_s=st.floats(0.1, 10.0),
        endpoint=st.sampled_from([SERVICE, ACTION, None]),
        cancel_supported=st.booleans(),
    )
    def open_server_call(
        self, call: str, timeout_s: float, endpoint: Endpoint | None, cancel_supported: bool
    ) -> str:
        if call not in self.running:
            return 'none'
        cancellable = endpoint is ACTION and cancel_supported
        opened = self.book.open(call, 'x', Now.at(self.now), timeout_s, endpoint, cancellable)
        self.seen[opened.server_call_id] = [opened.state]
        self.owner[opened.server_call_id] = call
        self.book.sent(opened.server_call_id)
        self.note(opened.server_call_id)
        return opened.server_call_id

    @rule(
        server_call_id=server_calls,
        word=st.sampled_from(SERVER_WORDS),
        fields=st.none() | st.just({}),
    )
    def hear(self, server_call_id: str, word: CallInput, fields: Any) -> None:
        before = self.book.get(server_call_id)
        known = self.book.apply(server_call_id, word, fields)
        after = self.book.get(server_call_id)
        if before is None or before.ended:
            assert not known
            assert before == after, 'an answer after the end changed something'
        if server_call_id in self.seen:
            self.note(server_call_id)

    @rule(server_call_id=server_calls)
    def preempt(self, server_call_id: str) -> None:
        self.book.cancel(server_call_id, Now.at(self.now), 2.0)
        if server_call_id in self.seen:
            self.note(server_call_id)

    @rule(call=calls)
    def end_tool(self, call: str) -> None:
        if call in self.running:
            self.book.finish_call(call)
            self.running.discard(call)

    @rule(seconds=st.floats(0.0, 6.0))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        for call in self.book.overdue(Now.at(self.now)):
            self.book.expire(call.server_call_id, Now.at(self.now), 2.0, 'too late')
            self.note(call.server_call_id)

    @rule()
    def reap(self) -> None:
        for call in self.book.clear_finished():
            del self.leased[call]

    @invariant()
    def leases_last_from_dispatch_to_the_terminal_entry(self) -> None:
        expected = {name: call for call, names in self.leased.items() for name in names}
        assert dict(self.book.leases.holders) == expected
        for call in self.book.running():
            assert call.call_id in self.leased, 'a server call without an owner'

    @invariant()
    def one_terminal_entry_and_nothing_after_it(self) -> None:
        for states in self.seen.values():
            ends = [index for index, state in enumerate(states) if state in TERMINAL]
            assert ends in ([], [len(states) - 1])

    @invariant()
    def nothing_lives_for_ever(self) -> None:
        """Two deadlines at most: its own, then the one for the server's last word."""
        for call in self.book.running():
            until = call.counts_from.steady + call.limit_s
            assert until <= call.started_at.steady + call.timeout_s + 2.0 + 6.0

    def teardown(self) -> None:
        for call in list(self.running):
            self.end_tool(call)
        self.time_passes(20.0)
        self.time_passes(20.0)
        self.reap()
        assert not self.book.running()
        assert not self.book.leases.holders
        for states in self.seen.values():
            assert states[-1] in TERMINAL


TestLife = pytest.mark.slow(CallTableMachine.TestCase)
TestLife.settings = settings(stateful_step_count=40, deadline=None)


@pytest.fixture
def book() -> CallTable:
    return CallTable()


def started(book: CallTable, endpoint: Endpoint = ACTION, cancellable: bool = True) -> ServerCall:
    call = book.open('call', endpoint.name, Now.at(100.0), 30.0, endpoint, cancellable)
    book.sent(call.server_call_id)
    return call


def test_a_service_is_accepted_by_sending_it(book: CallTable) -> None:
    service = book.get(started(book, SERVICE, cancellable=False).server_call_id)
    action = book.get(started(book).server_call_id)
    assert service is not None
    assert action is not None
    assert (service.state, action.state) == (CallState.ACCEPTED, CallState.SENT)


def test_a_cancelled_action_has_a_bounded_time_for_its_last_word(book: CallTable) -> None:
    call = started(book)
    assert book.cancel(call.server_call_id, Now.at(101.0), within_s=5.0)
    assert [each.server_call_id for each in book.overdue(Now.at(106.0))] == [call.server_call_id]
    assert not book.overdue(Now.at(105.9))


def test_a_cancelled_service_keeps_its_own_deadline(book: CallTable) -> None:
    call = started(book, SERVICE, cancellable=False)
    assert book.cancel(call.server_call_id, Now.at(101.0), within_s=5.0)
    assert not book.overdue(Now.at(129.9))
    assert book.overdue(Now.at(130.0))


def test_an_overdue_action_is_asked_to_end_before_it_counts_as_timed_out(book: CallTable) -> None:
    call = started(book)
    book.apply(call.server_call_id, CallInput.ACCEPT)
    book.expire(call.server_call_id, Now.at(130.0), within_s=5.0, reason='No answer within 30 s')
    waiting = book.get(call.server_call_id)
    assert waiting is not None
    assert waiting.ending
    book.apply(call.server_call_id, CallInput.CANCELLED, {'partial': 1}, 'cancelled')
    ended = book.get(call.server_call_id)
    assert ended is not None
    assert (ended.state, ended.reason) == (CallState.TIMED_OUT, 'No answer within 30 s')


def test_an_action_that_was_not_sent_in_time_has_nobody_to_wait_for(book: CallTable) -> None:
    call = book.open('call', ACTION.name, Now.at(100.0), 30.0, ACTION, cancellable=True)
    assert book.expire(call.server_call_id, Now.at(130.0), within_s=5.0, reason='too late')
    ended = book.get(call.server_call_id)
    assert ended is not None
    assert (ended.state, ended.reason) == (CallState.TIMED_OUT, 'too late')


def test_feedback_is_kept_apart_from_the_response(book: CallTable) -> None:
    call = started(book)
    book.apply(call.server_call_id, CallInput.ACCEPT)
    book.apply(call.server_call_id, CallInput.PROGRESS, {'left_m': 3.0})
    book.apply(call.server_call_id, CallInput.SUCCEED, {'done': True})
    ended = book.get(call.server_call_id)
    assert ended is not None
    assert (ended.progress, ended.fields) == ({'left_m': 3.0}, {'done': True})


def test_absence_is_counted_from_when_the_server_was_missed_first(book: CallTable) -> None:
    name = started(book).server_call_id
    assert book.note_server(name, there=False, steady=101.0) == 0.0
    assert book.note_server(name, there=False, steady=102.5) == 1.5
    assert book.note_server(name, there=True, steady=103.0) == 0.0
    assert book.note_server(name, there=False, steady=104.0) == 0.0


calls = st.sampled_from(['a', 'b', 'c'])
wanted = st.lists(st.sampled_from(['base', 'mast', 'camera']), unique=True)


@given(st.lists(st.one_of(st.tuples(calls, wanted), calls), max_size=30))
def test_a_resource_never_changes_hands_without_a_release(
    steps: list[str | tuple[str, list[str]]],
) -> None:
    leases = Leases()
    for step in steps:
        before = dict(leases.holders)
        if isinstance(step, str):
            leases.release(step)
            assert leases.holders == {key: held for key, held in before.items() if held != step}
            continue
        call, resources = step
        if leases.conflicts(call, resources):
            with pytest.raises(ProtocolError, match='held by'):
                leases.acquire(call, resources)
            assert leases.holders == before
        else:
            leases.acquire(call, resources)
            assert leases.holders == before | dict.fromkeys(resources, call)


def test_a_call_may_take_again_what_it_holds() -> None:
    leases = Leases()
    leases.acquire('a', ['base'])
    leases.acquire('a', ['base', 'mast'])
    assert leases.holders == {'base': 'a', 'mast': 'a'}


TWO_RESOURCES = ('base', 'mast')


def test_the_state_shows_what_the_book_has() -> None:
    calls = CallTable()
    calls.leases.acquire('call-1', ['mast'])
    call = calls.open('call-1', '/adapter/mast_open', Now.at(100.0), 10.0, skill='mast_open')
    calls.sent(call.server_call_id)
    state = with_running_calls(BrainState(), calls, TWO_RESOURCES)
    (running,) = state.skills.running
    assert (running.skill_name, running.resources_occupied) == ('mast_open', ('mast',))
    assert state.robot.resources == {'base_busy': False, 'mast_busy': True}
    assert state_from_json(state_to_json(state)) == state
    assert with_running_calls(state, calls, TWO_RESOURCES) is state, 'nothing has changed'
    calls.apply(call.server_call_id, CallInput.SUCCEED, {})
    calls.finish_call('call-1')
    calls.clear_finished()
    after = with_running_calls(state, calls, TWO_RESOURCES)
    assert after.skills.running == ()
    assert not after.robot.resources['mast_busy']


DRIVE = Endpoint(name='/drive', type='any/action/Drive', kind='action')
DIG = Endpoint(name='/dig', type='any/action/Dig', kind='action')
LAMP = Endpoint(name='/lamp', type='any/srv/Lamp', kind='service')


def given_up(book: CallTable, endpoint: Endpoint = DRIVE) -> str:
    """A call that was sent, told to end, and given up."""
    call = book.open(
        'call', endpoint.name, Now.at(100.0), 30.0, endpoint, endpoint is not LAMP, run_id='run'
    )
    book.sent(call.server_call_id)
    book.cancel(call.server_call_id, Now.at(101.0), within_s=5.0)
    book.expire(call.server_call_id, Now.at(106.0), 5.0, 'told to end and did not')
    return call.server_call_id


def test_a_server_that_did_not_end_a_goal_is_silent_until_the_goal_has_ended(
    book: CallTable,
) -> None:
    call = given_up(book)
    (silent,) = book.silent.all()
    assert (silent.endpoint, silent.server_call_id, silent.requested_at) == (DRIVE, call, None)
    assert silent.goal_id
    assert book.silent.get(DRIVE) == silent
    assert book.silent.get(DIG) is None
    assert book.silent.of('another') is None
    assert book.silent.of(call) == silent
    assert silent.absence == 'did not end its last goal and does not answer'
    assert book.silent.note_response(silent).absence == 'still runs its last goal'
    assert book.silent.get(DRIVE) == book.silent.of(call) == replace(silent, responds=True)
    book.silent.remove(silent)
    assert not book.silent.all()


@pytest.mark.parametrize(
    ('endpoint', 'was_sent', 'may_run'), [(DRIVE, True, 1), (DRIVE, False, 0), (LAMP, True, 0)]
)
def test_a_server_that_has_gone_may_still_run_the_goal_that_it_was_sent(
    book: CallTable, endpoint: Endpoint, was_sent: bool, may_run: int
) -> None:
    call = book.open(
        'call', endpoint.name, Now.at(100.0), 30.0, endpoint, endpoint is DRIVE, run_id='run'
    )
    if was_sent:
        book.sent(call.server_call_id)
    assert book.lose_with_server(call.server_call_id, 'it has gone')
    assert known(book.get(call.server_call_id)).state is CallState.LOST
    assert len(book.silent.all()) == may_run
    for each in book.silent.all():
        book.silent.remove(each)
    assert not book.lose_with_server(call.server_call_id, 'it has gone')
    assert not book.silent.all()


def test_the_latest_goal_is_asked_for(book: CallTable) -> None:
    first, second = given_up(book), given_up(book)
    assert [each.server_call_id for each in book.silent.all()] == [second]
    assert book.silent.of(first) is None


def test_each_action_has_a_server_of_its_own(book: CallTable) -> None:
    drive, dig = given_up(book), given_up(book, DIG)
    book.silent.remove(known(book.silent.of(drive)))
    assert [each.server_call_id for each in book.silent.all()] == [dig]


def test_it_is_noted_when_it_was_asked(book: CallTable) -> None:
    given_up(book)
    (silent,) = book.silent.all()
    book.silent.note_request(silent, 107.0)
    assert [each.requested_at for each in book.silent.all()] == [107.0]


@pytest.mark.parametrize('happened', [CallInput.LOSE, CallInput.CANCELLED])
def test_a_server_that_has_gone_or_has_ended_its_goal_is_not_silent(
    book: CallTable, happened: CallInput
) -> None:
    call = book.open('call', '/drive', Now.at(0.0), 30.0, DRIVE, True, run_id='run')
    for each in (CallInput.SEND, CallInput.ACCEPT, CallInput.CANCEL, happened):
        book.apply(call.server_call_id, each)
    assert not book.silent.all()


def test_a_service_is_never_silent(book: CallTable) -> None:
    given_up(book, LAMP)
    assert not book.silent.all()


def test_nobody_is_asked_for_a_goal_without_a_number(book: CallTable) -> None:
    call = book.open('call', '/drive', Now.at(0.0), 30.0, DRIVE, True)
    book.sent(call.server_call_id)
    book.cancel(call.server_call_id, Now.at(1.0), within_s=5.0)
    book.expire(call.server_call_id, Now.at(6.0), 5.0, 'told to end and did not')
    assert not book.silent.all()
