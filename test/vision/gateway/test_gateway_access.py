"""Who may reach the gateway, by the headers of a request."""

from __future__ import annotations

import pytest

from rover_vision.gateway.gateway_access import is_foreign


@pytest.mark.parametrize('host', ['127.0.0.1:55601', 'localhost', '[::1]:55601'])
def test_a_request_to_this_machine_is_not_foreign(host: str) -> None:
    assert not is_foreign({'host': host}, '127.0.0.1')


@pytest.mark.parametrize(
    'host', ['', '[', '[::1', 'a\u2100b', 'rover.example', '127.0.0.1:1@evil']
)
def test_a_host_that_is_none_is_foreign(host: str) -> None:
    assert is_foreign({'host': host}, '127.0.0.1')
