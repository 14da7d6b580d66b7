"""Looks that wait: each one ends exactly once, whatever comes in whichever order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.reason import Reason
from rover_vision.capture.connected_clients import Hello, Source
from rover_vision.capture.pending_looks import (
    GRACE_S,
    REPLACED_CODE,
    Action,
    CaptureAnswer,
    CaptureRequest,
    CaptureRequests,
    Close,
    Ended,
    Late,
    Send,
)
from rover_vision.look_request_and_result import LookCode, Picture, PictureSet

PICTURE = Picture(b'x', 'png', 1, 1)
BOTH = frozenset(Source)


def hello(client_id: str, sources: frozenset[Source] = BOTH) -> Hello:
    return Hello(client_id, sources, 'unit_id')


def ask(request_id: str, source: Source = Source.DESKTOP, *preferred: str) -> CaptureRequest:
    return CaptureRequest(request_id, source, 'chat', preferred)


def seen_by(client_id: str, request_id: str) -> CaptureAnswer:
    return CaptureAnswer(request_id, client_id, (PICTURE,))


def code_of(actions: list[Action]) -> LookCode:
    (ended,) = actions
    assert isinstance(ended, Ended)
    assert isinstance(ended.outcome, Reason)
    return ended.outcome.code


def waiting(*client_ids: str) -> CaptureRequests:
    """Looks of clients that are connected as 1, 2, …"""
    requests = CaptureRequests()
    for connection, client_id in enumerate(client_ids, 1):
        requests.hello(connection, hello(client_id), 0.0)
    return requests


def test_the_answer_of_the_asked_client_ends_the_look() -> None:
    requests = waiting('one', 'two')
    assert requests.ask(ask('a', Source.DESKTOP, 'one'), 0.0) == [
        Send(1, ask('a', Source.DESKTOP, 'one'), hello('one'), 5.0)
    ]
    assert requests.answer(seen_by('two', 'a'), 1.0) == []
    assert requests.counts.wrong_client == 1
    assert requests.answer(seen_by('one', 'a'), 1.0) == [Ended('a', PictureSet('one', (PICTURE,)))]
    assert requests.answer(seen_by('one', 'a'), 1.1) == []
    assert requests.counts.doubled == 1
    assert requests.waiting == 0


def test_nobody_who_could_is_told_at_once() -> None:
    requests = waiting()
    assert code_of(requests.ask(ask('a'), 0.0)) is LookCode.NO_CLIENT
    requests.hello(1, hello('deaf', frozenset()), 0.0)
    assert code_of(requests.ask(ask('b'), 0.0)) is LookCode.NO_CLIENT


def test_a_nominated_client_is_replaced_by_nobody() -> None:
    requests = waiting('other')
    wanted = CaptureRequest('a', Source.DESKTOP, 'desktop_watch', ('nominated',), others=False)
    assert code_of(requests.ask(wanted, 0.0)) is LookCode.NO_CLIENT


def test_it_waits_half_a_second_longer_than_it_tells() -> None:
    requests = waiting('one')
    requests.ask(ask('a'), 10.0)
    assert requests.next_deadline() == 15.0 + GRACE_S
    assert requests.tick(15.49) == []
    assert code_of(requests.tick(15.5)) is LookCode.TIMED_OUT
    assert requests.next_deadline() is None


def test_a_late_picture_is_kept_once() -> None:
    requests = waiting('one')
    requests.ask(ask('a'), 0.0)
    requests.tick(6.0)
    assert requests.answer(seen_by('one', 'a'), 6.1) == [
        Late(ask('a'), PictureSet('one', (PICTURE,)))
    ]
    assert requests.answer(seen_by('one', 'a'), 6.2) == []
    assert (requests.counts.late, requests.counts.doubled) == (1, 1)


def test_an_unknown_id_is_counted() -> None:
    requests = waiting('one')
    assert requests.answer(seen_by('one', 'never'), 0.0) == []
    assert requests.counts.unknown == 1


def test_a_client_that_comes_back_is_asked_once_more_with_what_is_left() -> None:
    requests = waiting('one')
    requests.ask(ask('a'), 0.0)
    requests.close(1)
    assert requests.hello(2, hello('one'), 2.0) == [Send(2, ask('a'), hello('one'), 3.0)]
    requests.close(2)
    assert requests.hello(3, hello('one'), 3.0) == []
    assert code_of(requests.tick(5.5)) is LookCode.TIMED_OUT


def test_of_two_connections_the_newer_one_counts() -> None:
    requests = waiting('one')
    assert requests.hello(2, hello('one'), 1.0) == [Close(1, REPLACED_CODE)]
    requests.close(1)  # its end does not take the client away
    (sent,) = requests.ask(ask('a'), 1.0)
    assert isinstance(sent, Send)
    assert sent.connection == 2


def test_a_claim_that_is_not_kept_is_passed_on_to_the_next() -> None:
    requests = waiting('honest', 'boaster')
    asked = ask('a', Source.CAMERA, 'boaster')
    requests.ask(asked, 0.0)
    wrong = CaptureAnswer('a', 'boaster', error='unsupported source: camera')
    (sent,) = requests.answer(wrong, 1.0)
    assert isinstance(sent, Send)
    assert (sent.connection, sent.timeout_s) == (1, 4.0)
    requests.answer(seen_by('honest', 'a'), 2.0)
    (sent,) = requests.ask(ask('b', Source.CAMERA, 'boaster'), 3.0)  # it has shown what it can
    assert isinstance(sent, Send)
    assert sent.connection == 1


def test_the_last_one_that_cannot_ends_the_look_with_its_words() -> None:
    requests = waiting('boaster')
    requests.ask(ask('a', Source.CAMERA), 0.0)
    wrong = CaptureAnswer('a', 'boaster', error='unsupported source: camera')
    assert code_of(requests.answer(wrong, 1.0)) is LookCode.CLIENT_ERROR


def test_a_client_that_does_not_want_to_is_told_apart_from_silence() -> None:
    requests = waiting('one')
    requests.ask(ask('a'), 0.0)
    idle = CaptureAnswer('a', 'one', error='capture skipped (idle)')
    assert code_of(requests.answer(idle, 1.0)) is LookCode.SKIPPED


def test_an_answer_that_cannot_be_used_ends_the_look_of_its_client_only() -> None:
    requests = waiting('one', 'two')
    requests.ask(ask('a', Source.DESKTOP, 'one'), 0.0)
    assert requests.refuse('a', 'two', 'not a picture') == []
    assert code_of(requests.refuse('a', 'one', 'not a picture')) is LookCode.BAD_ANSWER
    assert requests.refuse('a', 'one', 'not a picture') == []


def test_who_did_not_answer_is_asked_last() -> None:
    requests = waiting('well', 'silent')
    requests.ask(ask('a', Source.DESKTOP, 'silent'), 0.0)
    requests.tick(9.0)
    (sent,) = requests.ask(ask('b'), 9.0)
    assert isinstance(sent, Send)
    assert sent.connection == 1


CLIENTS = ('one', 'two', 'three')
ROUNDING_S = 1e-9  # of a deadline less now
ERRORS = ('', '', 'unsupported source: camera', 'capture skipped (idle)')
KINDS = ('connect', 'hello', 'close', 'ask', 'answer', 'answer_badly', 'cancel', 'time_passes')
# What happens, and to which client, connection or look: indices, taken modulo.
EVENTS = st.lists(st.tuples(st.sampled_from(KINDS), *[st.integers(0, 7)] * 3), max_size=60)


class Witness:
    """Carries drawn events out and keeps its own account of the looks."""

    def __init__(self) -> None:
        self.requests = CaptureRequests()
        self.now = 0.0
        self.due: dict[str, float] = {}
        self.ends: dict[str, int] = {}
        self.sent: dict[str, int] = {}
        self.open: list[int] = []
        self.connections = 0

    def take(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Send(connection, request, _, timeout_s):
                    assert connection in self.open
                    assert self.ends[request.request_id] == 0
                    assert 0 < timeout_s <= request.timeout_s + ROUNDING_S
                    self.sent[request.request_id] += 1
                case Ended(request_id, _):
                    self.ends[request_id] += 1
                case Close(connection, _):
                    self.open.remove(connection)
                case Late(request, _):
                    assert self.ends[request.request_id] == 1

    def happen(self, kind: str, first: int, second: int, third: int) -> None:
        getattr(self, kind)(first, second, third)
        self.take(self.requests.tick(self.now))
        for request_id, ends in self.ends.items():
            assert ends == (self.due[request_id] <= self.now) or ends == 1
            assert self.sent[request_id] <= 2 * len(CLIENTS)
        assert self.requests.waiting == sum(ends == 0 for ends in self.ends.values())

    def connect(self, client: int, able: int, _: int) -> None:
        self.connections += 1
        self.open.append(self.connections)
        sources = frozenset(each for bit, each in enumerate(Source, 1) if able & bit)
        said = hello(CLIENTS[client % 3], sources)
        self.take(self.requests.hello(self.connections, said, self.now))

    def hello(self, at: int, client: int, _: int) -> None:
        if self.open:
            connection = self.open[at % len(self.open)]
            self.take(self.requests.hello(connection, hello(CLIENTS[client % 3]), self.now))

    def close(self, at: int, _: int, __: int) -> None:
        if self.open:
            self.requests.close(self.open.pop(at % len(self.open)))

    def ask(self, source: int, first: int, others: int) -> None:
        request_id = f'look {len(self.ends)}'
        preferred = (CLIENTS[first % 3],)
        request = CaptureRequest(
            request_id, list(Source)[source % 2], 'chat', preferred, bool(others % 2)
        )
        self.ends[request_id] = self.sent[request_id] = 0
        self.due[request_id] = self.now + request.timeout_s + GRACE_S
        self.take(self.requests.ask(request, self.now))

    def answer(self, at: int, client: int, error: int) -> None:
        said = ERRORS[error % 4]
        answer = CaptureAnswer(f'look {at}', CLIENTS[client % 3], () if said else (PICTURE,), said)
        self.take(self.requests.answer(answer, self.now))

    def answer_badly(self, at: int, client: int, _: int) -> None:
        who = (*CLIENTS, None)[client % 4]
        self.take(self.requests.refuse(f'look {at}', who, 'not a picture'))

    def cancel(self, at: int, _: int, __: int) -> None:
        self.take(self.requests.cancel(f'look {at}'))

    def time_passes(self, tenths: int, seconds: int, _: int) -> None:
        self.now += tenths / 10 + seconds


@given(EVENTS)
@pytest.mark.slow
def test_every_look_ends_exactly_once(events: list[tuple[str, int, int, int]]) -> None:
    witness = Witness()
    for event in events:
        witness.happen(*event)
    witness.happen('time_passes', 0, 9, 0)
    assert all(ends == 1 for ends in witness.ends.values())
    assert witness.requests.next_deadline() is None
