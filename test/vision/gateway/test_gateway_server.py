"""The gateway over real sockets, with clients that behave as the public ones do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
import json
import socket
import struct
import threading
from typing import Any
import zlib

import httpx
from public_client import PublicClient, data_uri, png
import pytest
from waiting import wait_until
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from rover_common.errors import UsageError
from rover_common.process import unfinished_http_requests
from rover_common.reason import Reason
from rover_vision.capture.connected_clients import Source
from rover_vision.capture.pending_looks import REPLACED_CODE
from rover_vision.gateway.gateway_server import listening_socket
from rover_vision.look_request_and_result import LookCode, LookFault, PictureSet

PATIENCE_S = 60.0
Start = Callable[..., Any]


def code(outcome: PictureSet | LookFault) -> LookCode:
    assert isinstance(outcome, Reason), outcome
    return outcome.code


@pytest.mark.parametrize(
    ('version', 'options'),
    [
        ('2026-01-03', {}),
        ('2026-01-11', {'dialect': 'event_id'}),
        ('2026-05', {}),
        ('2026-01-03', {'bom': True}),
        ('2026-05', {'bom': True, 'nulls': True}),
        ('2026-01-03', {'nulls': True}),
    ],
)
@pytest.mark.slow
def test_every_version_of_the_client_answers(
    gateway: Any, version: str, options: dict[str, Any]
) -> None:
    client = gateway.client(version=version, **options)
    seen = gateway.look().result(PATIENCE_S)
    assert isinstance(seen, PictureSet)
    assert (seen.client_id, seen.pictures[0].format) == ('console-1', 'png')
    assert seen.context['window_title'] == 'rover – plan'
    (request,) = client.requests
    assert request['timeout_ms'] == 5000
    wait_until(lambda: client.statuses == [200 if version == '2026-05' else 204])
    assert client.failures == []


@pytest.mark.slow
def test_a_setting_serves_clients_that_name_no_dialect(start_gateway: Start) -> None:
    gateway = start_gateway('dialect=event_id')
    gateway.client(version='2026-01-11')
    assert isinstance(gateway.look().result(PATIENCE_S), PictureSet)


def test_nobody_is_told_at_once(gateway: Any) -> None:
    assert code(gateway.look().result(PATIENCE_S)) is LookCode.NO_CLIENT


@pytest.fixture
def slow() -> Iterator[Callable[[str], bytes]]:
    """A capture that takes as long as the test."""
    is_over = threading.Event()

    def capture(_source: str) -> bytes:
        is_over.wait()
        return png()

    yield capture
    is_over.set()


def test_an_overrunning_capture_ends_by_the_clock_and_is_no_error(
    start_gateway: Start, slow: Callable[[str], bytes]
) -> None:
    gateway = start_gateway('capture_timeout_s=0.1')
    client = gateway.client(capture=slow)
    assert code(gateway.look().result(PATIENCE_S)) is LookCode.TIMED_OUT
    assert client.statuses == []


@pytest.mark.slow
def test_what_comes_too_late_is_kept(start_gateway: Start, slow: Callable[[str], bytes]) -> None:
    gateway = start_gateway('capture_timeout_s=0.1')
    client = gateway.client(capture=slow)
    assert code(gateway.look().result(PATIENCE_S)) is LookCode.TIMED_OUT
    wait_until(lambda: client.requests)
    answer = {'request_id': client.requests[0]['request_id'], 'client_id': 'console-1'}
    assert client.post(answer | {'images': [data_uri(png())]}) == 204
    wait_until(lambda: len(gateway.late) == 1)


@pytest.mark.slow
def test_the_boast_of_a_client_is_not_believed_twice(gateway: Any) -> None:
    def capture(source: str) -> bytes | str | None:
        return f'unsupported source: {source}' if source == 'camera' else png()

    gateway.client(capture=capture)
    assert code(gateway.look(Source.CAMERA).result(PATIENCE_S)) is LookCode.CLIENT_ERROR
    assert code(gateway.look(Source.CAMERA).result(PATIENCE_S)) is LookCode.NO_CLIENT
    assert isinstance(gateway.look().result(PATIENCE_S), PictureSet)


@pytest.mark.slow
def test_a_client_that_loses_its_connection_is_asked_again(start_gateway: Start) -> None:
    gateway = start_gateway('capture_timeout_s=30.0')
    dropped = threading.Event()

    def capture(_source: str) -> bytes | str | None:
        if not dropped.is_set():
            dropped.set()
            client.drop()
            return None
        return png()

    client = gateway.client(capture=capture)
    assert isinstance(gateway.look().result(PATIENCE_S), PictureSet)
    assert len(client.requests) == 2
    assert len({each['request_id'] for each in client.requests}) == 1


@pytest.mark.slow
def test_of_two_sockets_with_one_id_the_older_is_closed(gateway: Any) -> None:
    first = gateway.client(haste=0.01)
    second = gateway.client(capture=lambda _: png(colour=200))
    wait_until(lambda: first.close_codes == [REPLACED_CODE])
    assert isinstance(gateway.look().result(PATIENCE_S), PictureSet)
    assert len(second.requests) == 1


@pytest.mark.slow
def test_a_wrong_token_is_told_by_close_code_1008_and_ends_the_tries(gateway: Any) -> None:
    client = PublicClient(gateway.port, 'wrong')
    wait_until(lambda: client.gave_up)
    assert client.close_codes == [1008]
    assert httpx.get(f'{gateway.url}/api/settings').status_code == 401


@pytest.mark.slow
def test_a_page_of_another_origin_is_refused(gateway: Any) -> None:
    foreign = gateway.headers | {'origin': 'https://elsewhere.example'}
    assert httpx.get(f'{gateway.url}/api/settings', headers=foreign).status_code == 403
    own = gateway.headers | {'origin': gateway.url}
    assert httpx.get(f'{gateway.url}/api/settings', headers=own).status_code == 200
    rebound = gateway.headers | {'host': 'rover.example'}
    assert httpx.get(f'{gateway.url}/api/settings', headers=rebound).status_code == 403
    uri = f'ws://127.0.0.1:{gateway.port}/api/events/stream'
    with pytest.raises(InvalidStatus), connect(uri, additional_headers=foreign):
        pass


def bomb() -> bytes:
    """A small file that says it is 50,000 x 50,000 pixels."""
    head = struct.pack('>IIBBBBB', 50_000, 50_000, 8, 2, 0, 0, 0)

    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(kind + data)
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', crc)

    rows = chunk(b'IDAT', zlib.compress(bytes(100_000)))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + rows + chunk(b'IEND', b'')


BAD: dict[str, dict[str, Any]] = {
    'no picture and no error': {'images': []},
    'both': {'images': [data_uri(png())], 'error': 'what?'},
    'too many': {'images': [data_uri(png())] * 6},
    'no picture at all': {'images': [data_uri(b'not a picture', 'jpeg')]},
    'a drawing': {'images': [data_uri(b'<svg xmlns="http://www.w3.org/2000/svg"/>', 'svg+xml')]},
    'no data URI': {'images': ['http://127.0.0.1/picture.png']},
    'damaged base64': {'images': ['data:image/png;base64,@@@@']},
    'cut off': {'images': [data_uri(png(64, 64)[:-40])]},
    'a bomb': {'images': [data_uri(bomb())]},
    'not a list': {'images': 'data:image/png;base64,'},
}


@pytest.mark.parametrize(
    ('wrong', 'version'),
    [*((wrong, '2026-01-03') for wrong in BAD), ('no picture at all', '2026-05')],
)
@pytest.mark.slow
def test_an_answer_that_cannot_be_used_ends_its_look_at_once(
    start_gateway: Start, wrong: str, version: str
) -> None:
    gateway = start_gateway('capture_timeout_s=300.0')
    asked = threading.Event()

    def capture(_source: str) -> bytes | str | None:
        asked.set()
        return None

    client = gateway.client(capture=capture, version=version)
    look = gateway.look()
    assert asked.wait(PATIENCE_S)
    ids = {'request_id': client.requests[0]['request_id'], 'client_id': 'console-1'}
    assert client.post(ids | BAD[wrong]) == 422
    assert code(look.result(PATIENCE_S)) is LookCode.BAD_ANSWER


@pytest.mark.slow
def test_another_client_cannot_end_a_look(start_gateway: Start) -> None:
    gateway = start_gateway('capture_timeout_s=300.0')
    answer = threading.Event()

    def capture(_source: str) -> bytes:
        answer.wait(PATIENCE_S)
        return png()

    asked = gateway.client('asked', capture=capture)
    other = gateway.client('other')
    look = gateway.look(Source.DESKTOP, 'asked')
    wait_until(lambda: bool(asked.requests))
    ids = {'request_id': asked.requests[0]['request_id'], 'client_id': 'other'}
    assert other.post(ids | {'images': [data_uri(png())]}) == 204
    assert other.post(ids | {'images': []}) == 422
    assert not look.done()
    answer.set()
    seen = look.result(PATIENCE_S)
    assert isinstance(seen, PictureSet)
    assert seen.client_id == 'asked'
    assert gateway.captures.counts.wrong_client == 1


def test_bodies_that_are_too_large_are_refused_before_they_have_come(
    start_gateway: Start,
) -> None:
    gateway = start_gateway('capture_timeout_s=300.0', 'limits.max_body_mb=1.0')
    client = gateway.client(capture=lambda _: None)
    look = gateway.look()
    wait_until(lambda: bool(client.requests))
    head = json.dumps(
        {'request_id': client.requests[0]['request_id'], 'client_id': 'console-1', 'images': ['']}
    )[:-3]
    with socket.create_connection(('127.0.0.1', gateway.port)) as peer:
        peer.sendall(
            b'POST /api/v2/vision/capture-response HTTP/1.1\r\nHost: localhost\r\n'
            + f'Authorization: Bearer {gateway.token}\r\n'.encode()
            + b'Content-Length: 128000000\r\n\r\n'
            + head.encode()
        )
        assert peer.recv(100).startswith(b'HTTP/1.1 413')
    assert code(look.result(PATIENCE_S)) is LookCode.BAD_ANSWER


@pytest.mark.slow
def test_a_body_without_end_is_cut_off(start_gateway: Start) -> None:
    gateway = start_gateway('limits.max_body_mb=0.5')

    def endless() -> Any:
        while True:
            yield b' ' * 65536

    url = f'{gateway.url}/api/v2/vision/capture-response'
    try:
        response = httpx.post(url, content=endless(), headers=gateway.headers)
        assert response.status_code == 413
    except httpx.TransportError:
        pass  # it may be cut off while it is still sending
    assert httpx.get(f'{gateway.url}/api/settings', headers=gateway.headers).status_code == 200


@pytest.mark.slow
def test_more_sockets_than_allowed_are_sent_away_and_the_rest_goes_on(
    start_gateway: Start,
) -> None:
    gateway = start_gateway('limits.max_sockets=3')
    gateway.client()
    uri = f'ws://127.0.0.1:{gateway.port}/api/events/stream'
    with ExitStack() as stack:
        sockets = [
            stack.enter_context(connect(uri, additional_headers=gateway.headers)) for _ in range(8)
        ]
        for each in sockets[2:]:
            with pytest.raises(ConnectionClosed):
                each.recv(timeout=PATIENCE_S)
        assert [each.close_code for each in sockets[2:]] == [1013] * 6
        assert isinstance(gateway.look().result(PATIENCE_S), PictureSet)


def test_what_is_no_hello_is_ignored(gateway: Any) -> None:
    uri = f'ws://127.0.0.1:{gateway.port}/api/events/stream'
    with connect(uri, additional_headers=gateway.headers) as peer:
        hellos = [
            '{',
            '[]',
            '7',
            '{"type":"hello"}',
            '{"type":"hello","client_id":" "}',
            'x' * 20000,
        ]
        for text in hellos:
            peer.send(text)
        peer.send('{"type":"hello","client_id":"late","caps":7}')
        wait_until(lambda: gateway.captures.client_ids == ['late'])


def test_events_reach_everybody_and_are_told_again_to_who_comes(gateway: Any) -> None:
    first = gateway.client('first')
    gateway.server.call(lambda: gateway.events.publish('desktop_watch', {'message': 'Hm.'}, 7))
    wait_until(lambda: len(first.events) == 1)
    assert first.events[0] == {
        'unit_id': 7,
        'type': 'desktop_watch',
        'data': {'message': 'Hm.'},
    }
    second = gateway.client('second')
    wait_until(lambda: second.events == first.events)


NEWEST = {
    'caps': [{'id': 'vision.capture', 'version': '1'}],
    'vision_sources': [
        {'vision_source_id': 'one', 'capability_id': 'vision.capture', 'kind': 'desktop'}
    ],
}


@pytest.mark.parametrize(
    ('hello', 'read'),
    [
        ({'dialect': 'event_id'}, [(7, 'desktop_watch')]),
        (NEWEST, [(7, 'assistant_message')]),
        (NEWEST | {'event_subscriptions': []}, []),
    ],
)
def test_who_comes_reads_the_events_of_before_in_the_form_that_its_hello_says(
    gateway: Any, hello: dict[str, Any], read: list[tuple[int, str]]
) -> None:
    gateway.server.call(lambda: gateway.events.publish('desktop_watch', {'message': 'Hm.'}, 7))
    uri = f'ws://127.0.0.1:{gateway.port}/api/events/stream'
    with connect(uri, additional_headers=gateway.headers) as peer:
        peer.send(json.dumps({'type': 'hello', 'client_id': 'one', **hello}))
        wait_until(lambda: gateway.captures.client_ids == ['one'])
        gateway.server.call(gateway.events.close_all)
        frames = [json.loads(each) for each in peer]
    assert [(each.get('event_id'), each['type']) for each in frames] == read


@pytest.mark.slow
def test_many_looks_wait_at_once_and_none_is_lost(start_gateway: Start) -> None:
    gateway = start_gateway('capture_timeout_s=300.0')

    def capture(_source: str) -> bytes | str | None:
        return None  # the test answers

    client = gateway.client(capture=capture)
    looks = [gateway.look() for _ in range(200)]
    wait_until(lambda: len(client.requests) == 200)
    assert gateway.captures.waiting == 200
    assert threading.active_count() < 100
    uri = data_uri(png())
    with httpx.Client(headers=gateway.headers) as http:
        for request in client.requests:
            answer = {'request_id': request['request_id'], 'client_id': 'console-1'}
            url = f'{gateway.url}/api/v2/vision/capture-response'
            assert http.post(url, json=answer | {'images': [uri]}).status_code == 204
    assert all(isinstance(look.result(PATIENCE_S), PictureSet) for look in looks)


@pytest.mark.slow
def test_chat_needs_to_know_who_asks(gateway: Any) -> None:
    url = f'{gateway.url}/api/chat'
    blank = httpx.post(url, json={'client_id': ' ', 'input_text': 'x'}, headers=gateway.headers)
    assert blank.status_code == 422
    asked = {'client_id': 'a', 'input_text': 'Hello'}
    response = httpx.post(url, json=asked, headers=gateway.headers)
    assert response.headers['content-type'].startswith('text/event-stream')
    assert response.text.startswith('event: token\ndata: {"text": "Hello"}\n\nevent: done\n')


def test_a_port_in_use_is_one_sentence() -> None:
    with listening_socket('127.0.0.1', 0) as taken, pytest.raises(UsageError) as refused:
        listening_socket('127.0.0.1', taken.getsockname()[1])
    assert 'is in use' in str(refused.value)
    assert 'vision.port' in str(refused.value)


def test_of_several_ports_the_first_free_one_is_taken() -> None:
    with ExitStack() as stack:
        first = stack.enter_context(listening_socket('127.0.0.1', 0)).getsockname()[1]
        second = stack.enter_context(listening_socket('127.0.0.1', first, 100)).getsockname()[1]
        assert first < second < first + 100
        tries = second - first + 1
        with pytest.raises(UsageError, match=f'The ports {first} to {second} are in use'):
            listening_socket('127.0.0.1', first, tries)


@pytest.mark.slow
def test_a_connection_without_a_request_is_ended(
    start_gateway: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'HEAD_S', 0.05)
    gateway = start_gateway()
    with ExitStack() as stack:
        strangers = [
            stack.enter_context(socket.create_connection(('127.0.0.1', gateway.port)))
            for _ in range(100)
        ]
        for each in strangers:
            each.sendall(b'GET /api/episodes HTTP/1.1\r\nhost: 127.0.0.1\r\n')
        for each in strangers:
            each.settimeout(PATIENCE_S)
            with suppress(ConnectionError):
                while each.recv(1000):
                    pass
    monkeypatch.undo()
    gateway.client()
    assert isinstance(gateway.look().result(PATIENCE_S), PictureSet)
