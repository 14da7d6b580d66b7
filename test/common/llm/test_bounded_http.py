"""A request that is given up ends at its server too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
import socket
import threading

import httpx
import pytest
from waiting import wait_until

from rover_common.config.settings import RequestSettings
from rover_common.llm.bounded_http import Transport, make_client, proxy_for

HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n'
LIMITS = RequestSettings(connect_s=120.0, silence_s=120.0, whole_s=120.0, max_bytes=1_000_000_000)


class Pouring:
    """A server that pours into its one client, as fast as it takes it, until it has gone."""

    def __init__(self) -> None:
        self._listening = socket.create_server(('127.0.0.1', 0))
        self.url = f'http://127.0.0.1:{self._listening.getsockname()[1]}'
        self.sent = 0
        self.thread = threading.Thread(target=self._pour, daemon=True)
        self.thread.start()

    def _pour(self) -> None:
        client, _ = self._listening.accept()
        self._listening.close()
        try:
            client.recv(65536)
            client.sendall(HEAD)
            while True:
                self.sent += client.send(b'word ' * 10_000)
        except OSError:
            client.close()


@pytest.fixture
def pouring() -> Iterator[Pouring]:
    server = Pouring()
    yield server
    assert not server.thread.is_alive()


def is_blocked(server: Pouring) -> bool:
    """Whether the window of the server's client is closed: nothing more is sent."""
    before = server.sent
    threading.Event().wait(0.2)
    return 0 < before == server.sent


@pytest.mark.slow
def test_a_server_in_the_middle_of_an_answer_sees_its_client_go(pouring: Pouring) -> None:
    """All that has come is read, so it is the cut that resets the connection, not the rest."""
    transport = Transport(LIMITS, lambda: None)
    with (
        make_client(LIMITS) as client,
        transport.in_use(),
        client.stream('GET', pouring.url) as response,
    ):
        opened = response.extensions['network_stream'].get_extra_info('socket')
        wait_until(lambda: is_blocked(pouring), 'the window is closed')
        transport.cut()
        opened.setblocking(False)
        with suppress(BlockingIOError):
            while opened.recv(65536):
                pass
    wait_until(lambda: not pouring.thread.is_alive(), 'the server has seen it', limit_s=20.0)


@pytest.mark.parametrize(
    ('named', 'proxy'),
    [
        ('proxy.example:3128', 'http://proxy.example:3128'),
        ('127.0.0.1:3128', 'http://127.0.0.1:3128'),
        ('https://proxy.example', 'https://proxy.example'),
        ('', None),
    ],
)
def test_a_proxy_without_a_scheme_is_one_of_http(
    monkeypatch: pytest.MonkeyPatch, named: str, proxy: str | None
) -> None:
    monkeypatch.setenv('no_proxy', '')
    monkeypatch.setenv('https_proxy', named)
    assert proxy_for(httpx.URL('https://api.example/v1')) == proxy
    assert proxy_for(httpx.URL('https://localhost/v1')) is None
