"""A port of loopback has one listener, however close together two ask for it."""

from __future__ import annotations

from collections.abc import Iterator
import socket

from ports import next_port
import pytest

from rover_common.errors import UsageError
from rover_common.process import loopback
from rover_common.process.loopback import listen_on_loopback


@pytest.fixture
def first() -> Iterator[socket.socket]:
    """A socket that listens."""
    with listen_on_loopback(next_port(), 0, 0) as made:
        yield made


def test_a_port_is_taken_before_its_server_runs(first: socket.socket) -> None:
    number = first.getsockname()[1]
    with pytest.raises(UsageError, match=f'Port {number} is in use'):
        listen_on_loopback(number, 0, 0)
    with pytest.raises(UsageError, match='in use'):
        listen_on_loopback(0, number, number)


def test_a_port_that_the_system_refuses_is_not_told_as_one_in_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loopback, 'HOST', '192.0.2.1')  # of no machine
    with pytest.raises(UsageError, match=r'is refused by the system \(Cannot assign'):
        listen_on_loopback(next_port(), 0, 0)


@pytest.mark.parametrize('number', [-5, 65536, 99999])
def test_a_number_that_is_no_port_is_told_with_its_option(number: int) -> None:
    with pytest.raises(UsageError, match=f'--http is {number}: give a port from 1 to 65535'):
        listen_on_loopback(number, 0, 0, '--http')


def test_who_connects_early_waits_for_the_server(first: socket.socket) -> None:
    with socket.create_connection(first.getsockname()) as early:
        taken, _ = first.accept()
        with taken:
            taken.sendall(b'here')
            assert early.recv(4) == b'here'


def test_a_port_is_free_again_when_its_server_has_ended(first: socket.socket) -> None:
    name, number = first.getsockname()
    with socket.create_connection((name, number)) as early:
        taken, _ = first.accept()
        taken.close()
        first.close()
        assert early.recv(1) == b''
    with listen_on_loopback(number, 0, 0) as again:
        assert again.getsockname() == (name, number)
