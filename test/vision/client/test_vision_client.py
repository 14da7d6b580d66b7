"""Our own client: answers with what it captures, comes back, and knows when it is not wanted."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
import socket
import threading
from typing import Any

from public_client import png
import pytest
from waiting import wait_until

from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.reason import Reason
from rover_vision.capture.connected_clients import Source
from rover_vision.client.screen_and_webcam import CaptureFailedError
from rover_vision.client.vision_client import (
    DELAYS_S,
    JITTER_S,
    Address,
    Reconnecting,
    VisionClient,
    run_client,
)
from rover_vision.look_request_and_result import LookCode, PictureSet

PATIENCE_S = 60.0


@contextmanager
def running(
    gateway: Any, capture: Callable[[], bytes], token: str = ''
) -> Iterator[tuple[VisionClient, list[str], threading.Thread]]:
    lines: list[str] = []
    address = Address('127.0.0.1', gateway.port, token or gateway.token)
    client = VisionClient(lambda: address, 'mine', {'desktop': capture}, lines.append)
    thread = threading.Thread(target=client.run, daemon=True)
    thread.start()
    try:
        yield client, lines, thread
    finally:
        client.end()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@pytest.mark.slow
def test_it_shows_the_screen(gateway: Any) -> None:
    with running(gateway, png):
        wait_until(lambda: gateway.captures.client_ids == ['mine'])
        seen = gateway.look().result(PATIENCE_S)
        assert isinstance(seen, PictureSet)
        assert seen.pictures[0].data == png()


def test_neither_token_nor_picture_goes_to_a_proxy(
    gateway: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(('127.0.0.1', 0)) as proxy:
        address = f'http://127.0.0.1:{proxy.getsockname()[1]}'
        for name in ('http_proxy', 'https_proxy', 'all_proxy'):
            monkeypatch.setenv(name, address)
            monkeypatch.setenv(name.upper(), address)
        for name in ('no_proxy', 'NO_PROXY'):
            monkeypatch.delenv(name, raising=False)
        with running(gateway, png):
            wait_until(lambda: gateway.captures.client_ids == ['mine'])
            assert isinstance(gateway.look().result(PATIENCE_S), PictureSet)
        proxy.setblocking(False)
        with pytest.raises(BlockingIOError):
            proxy.accept()


@pytest.mark.slow
def test_what_it_cannot_do_it_says(gateway: Any) -> None:
    def broken() -> bytes:
        raise CaptureFailedError('capture failed: no display')

    with running(gateway, broken):
        wait_until(lambda: gateway.captures.client_ids == ['mine'])
        fault = gateway.look().result(PATIENCE_S)
        assert isinstance(fault, Reason)
        assert fault.code is LookCode.CLIENT_ERROR
        assert 'no display' in fault.sentence
        nobody = gateway.look(Source.CAMERA).result(PATIENCE_S)
        assert isinstance(nobody, Reason)
        assert nobody.code is LookCode.NO_CLIENT


@pytest.mark.slow
def test_a_time_that_is_no_number_counts_as_not_told(gateway: Any) -> None:
    asked = threading.Event()

    def capture() -> bytes:
        asked.set()
        return png()

    with running(gateway, capture):
        wait_until(lambda: gateway.captures.client_ids == ['mine'])
        request = {'source': 'desktop', 'timeout_ms': 10**400}
        publish = gateway.events.publish
        gateway.server.call(lambda: publish('vision.capture_request', request, 1))
        wait_until(asked.is_set)


def test_events_are_shown_to_whoever_runs_it(gateway: Any) -> None:
    with running(gateway, png) as (_, lines, _thread):
        wait_until(lambda: gateway.captures.client_ids == ['mine'])
        gateway.server.call(lambda: gateway.events.publish('desktop_watch', {'message': 'Hm.'}, 1))
        wait_until(lambda: 'desktop_watch: Hm.' in lines)


def test_events_that_are_repeated_after_a_lost_connection_are_shown_once(gateway: Any) -> None:
    with running(gateway, png) as (_, lines, _thread):
        wait_until(lambda: gateway.captures.client_ids == ['mine'])
        for text, number in (('It is dark.', 7), ('The disk is full.', 0)):
            publish = partial(gateway.events.publish, 'desktop_watch', {'message': text}, number)
            gateway.server.call(publish)
        wait_until(lambda: 'desktop_watch: The disk is full.' in lines)
        gateway.server.call(gateway.events.close_all)
        wait_until(lambda: lines.count('desktop_watch: The disk is full.') == 2)
        gateway.server.call(
            lambda: gateway.events.publish('desktop_watch', {'message': 'It is dark.'}, 8)
        )
        wait_until(lambda: lines.count('desktop_watch: It is dark.') == 2)
        assert lines[-1] == 'desktop_watch: It is dark.'


def test_a_wrong_token_ends_it(gateway: Any) -> None:
    with running(gateway, png, 'wrong token') as (_, lines, thread):
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        assert lines[-1] == 'The gateway refuses the token.'
        assert not any('next try' in line for line in lines)


@pytest.mark.slow
def test_it_ends_although_it_is_told_so_while_it_connects(gateway: Any) -> None:
    lines: list[str] = []
    address, clients = Address('127.0.0.1', gateway.port, gateway.token), list[VisionClient]()

    def find() -> Address:
        for each in clients:
            each.end()
        return address

    clients.append(VisionClient(find, 'mine', {'desktop': png}, lines.append))
    thread = threading.Thread(target=clients[0].run, daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert lines == []


def test_it_comes_back_after_ever_longer_pauses_and_never_after_1008() -> None:
    reconnecting = Reconnecting()
    delays = [reconnecting.delay_s(1006, 0.0) for _ in range(8)]
    assert delays == [*DELAYS_S, 60.0, 60.0]
    reconnecting.connected()
    assert reconnecting.delay_s(None, 1.0) == pytest.approx(1.0 + JITTER_S)
    assert reconnecting.delay_s(1008, 0.0) is None
    assert reconnecting.delay_s(4000, 0.0) is None


def test_of_two_with_one_id_the_older_one_ends_and_says_why(gateway: Any) -> None:
    """They took the id from each other once a second, for ever."""
    with running(gateway, png) as (_, lines, thread):
        wait_until(lambda: gateway.captures.client_ids == ['mine'])
        with running(gateway, png) as (_, newer, _thread):
            thread.join(PATIENCE_S)
            assert not thread.is_alive()
            assert lines[-1] == (
                'Another client has connected as mine: give one of them another name with --id.'
            )
            assert newer == ['Connected as mine: desktop.']


@pytest.mark.parametrize('given', ['rover', ' rover ', ' ', 'x' * 201])
def test_an_id_that_the_gateway_does_not_take_is_refused_at_once(given: str) -> None:
    """It was "Connected as rover", and nobody could look at it."""
    with pytest.raises(UsageError, match='--id is'):
        run_client(Namespace(id=given), load_config(), '/')


@pytest.mark.parametrize(
    ('host', 'place'),
    [
        ('127.0.0.1', '127.0.0.1:55601'),
        ('rover.example', 'rover.example:55601'),
        ('::1', '[::1]:55601'),
        ('[::1]', '[::1]:55601'),
    ],
)
def test_an_address_of_ipv6_is_in_brackets(host: str, place: str) -> None:
    assert Address(host, 55601, 'token').place == place
