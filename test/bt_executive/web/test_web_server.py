"""The page's server as a program: whenever it is interrupted, it leaves the graph first."""

from __future__ import annotations

import signal
from typing import Any

from late_signal import Dying
import pytest
import uvicorn

from bt_executive.web import web_server
from rover_common.config.settings import Config
from rover_common.process.process_end import ENDING_SIGNALS
from rover_common.process.unfinished_http_requests import HttpConnection


class Line:
    """Stands in for the client and for the stop line: both have to be closed."""

    def __init__(self, closed: list[str], name: str) -> None:
        self._closed, self._name = closed, name

    def subscribe_page_topics(self) -> None:
        """Nothing is shown."""

    def close(self) -> None:
        self._closed.append(self._name)


@pytest.mark.parametrize('number', ENDING_SIGNALS)
def test_a_signal_before_the_server_listens_ends_it_and_it_leaves_the_graph(
    config: Config, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    closed: list[str] = []
    client: Any = Line(closed, 'client')
    stop: Any = Line(closed, 'stop line')
    monkeypatch.setattr(
        web_server, 'print', lambda *_, **__: Dying(number) and None, raising=False
    )
    options = web_server.WebOptions(config, (), 'run')
    assert web_server.run_web(options, lambda *_: client, lambda *_: stop, {})
    assert closed == ['stop line', 'client']


def test_a_connection_without_a_request_is_ended(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[object] = []
    monkeypatch.setattr(uvicorn.Server, 'run', lambda server, **_: used.append(server.config.http))
    line: Any = Line([], 'line')
    options = web_server.WebOptions(config, (), 'run', quiet=True)
    web_server.run_web(options, lambda *_: line, lambda *_: line, {})
    assert used == [HttpConnection]
