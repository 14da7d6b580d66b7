"""The stop's own way: it works while the rest hangs, and is open to our own page alone."""

from __future__ import annotations

import socket
import threading
from typing import Any
import uuid

from fakes.web import FakeStopPort
import httpx
import pytest
from waiting import wait_until

from bt_executive.web import stop_server
from bt_executive.web.page_access import Access
from bt_executive.web.stop_server import StopServer
from bt_executive.web.stops_of_pages import StopsOfPages

ACCESS = Access('the-token', 8700)


@pytest.fixture
def opened() -> Any:
    line = FakeStopPort()
    made = StopServer(ACCESS, line, lambda: None)
    made.stop_port = line  # type: ignore[attr-defined]
    yield made
    made.close()


def post(to: StopServer, secret: str = ACCESS.csrf, **headers: str) -> httpx.Response:
    own = {'origin': ACCESS.origins[0], 'content-type': 'text/plain'}
    url = f'http://127.0.0.1:{to.port}/stop'
    return httpx.post(url, content=secret, headers={**own, **headers}, timeout=20.0)


@pytest.mark.slow
def test_our_own_page_stops(opened: Any) -> None:
    answer = post(opened)
    assert answer.json() == {'ok': True, 'text': 'executive: stopping'}
    assert answer.headers['access-control-allow-origin'] == ACCESS.origins[0]
    assert opened.stop_port.stops == 1


@pytest.mark.slow
def test_the_stop_of_a_page_is_noted_before_it_is_carried_out() -> None:
    page, ended, line, stops = str(uuid.uuid4()), threading.Event(), FakeStopPort(), StopsOfPages()
    line.may_answer.clear()
    made = StopServer(ACCESS, line, ended.set, stops)
    asked = threading.Thread(target=post, args=(made, f'{ACCESS.csrf} {page} 1'))
    asked.start()
    wait_until(lambda: line.stops)
    assert stops.has_stopped_since(page, 0)
    assert not ended.is_set()
    line.may_answer.set()
    asked.join(30.0)
    made.close()


@pytest.mark.parametrize(
    ('secret', 'headers'),
    [
        ('guessed', {}),
        ('', {}),
        (ACCESS.csrf, {'origin': 'http://evil.example'}),
        (ACCESS.csrf, {'host': 'evil.example:1'}),
        ('x' * 100_000, {}),
    ],
)
@pytest.mark.slow
def test_nobody_else_does(opened: Any, secret: str, headers: Any) -> None:
    answer = post(opened, secret, **headers)
    assert answer.status_code == 403
    assert not opened.stop_port.stops


@pytest.mark.slow
def test_a_read_only_page_does_not() -> None:
    line = FakeStopPort()
    made = StopServer(Access('the-token', 8700, read_only=True), line, lambda: None)
    answer = post(made, Access('the-token', 8700).csrf)
    made.close()
    assert answer.status_code == 403
    assert not line.stops


def test_a_length_without_end_is_refused_like_any_other(opened: Any) -> None:
    with socket.create_connection(('127.0.0.1', opened.port)) as stranger:
        head = f'POST /stop HTTP/1.1\r\nContent-Length: {"9" * 5000}\r\n\r\n'
        stranger.sendall(head.encode())
        assert stranger.recv(100).startswith(b'HTTP/1.1 403')


@pytest.mark.slow
def test_a_silent_connection_blocks_no_other(opened: Any) -> None:
    with socket.create_connection(('127.0.0.1', opened.port)):
        assert post(opened).json()['ok'] is True


@pytest.mark.slow
def test_several_at_once_all_stop(opened: Any) -> None:
    answers: list[bool] = []
    threads = [
        threading.Thread(target=lambda: answers.append(post(opened).json()['ok']))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30.0)
    assert answers == [True] * 8


def ended(stranger: socket.socket) -> bool:
    """Waits for the end of a connection, whatever is said before."""
    stranger.settimeout(60.0)
    try:
        while stranger.recv(1000):
            pass
    except ConnectionError:
        pass
    return True


@pytest.mark.parametrize('begun', [b'', b'POST /stop HT', b'POST /stop HTTP/1.1\r\nHost: x\r\n'])
def test_a_request_without_an_end_is_ended(
    opened: Any, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(stop_server, 'OPEN_S', 0.05)
    with socket.create_connection(('127.0.0.1', opened.port)) as stranger:
        stranger.sendall(begun)
        assert ended(stranger)
    assert not opened.stop_port.stops


@pytest.mark.slow
def test_of_too_many_connections_the_oldest_go_and_the_page_still_stops(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_server, 'MAX_OPEN', 5)
    monkeypatch.setattr(stop_server, 'OPEN_S', 1000.0)
    strangers = [socket.create_connection(('127.0.0.1', opened.port)) for _ in range(20)]
    for each in strangers[:15]:
        assert ended(each)
    assert post(opened).json()['ok'] is True
    for each in strangers:
        each.close()
