"""The page's server as a program: whenever it is interrupted, it leaves the graph first."""

from __future__ import annotations

from typing import Any

import pytest

from bt_executive.web import serve
from rover_common.config.settings import Config


class Line:
    """Stands in for the client and for the stop line: both have to be closed."""

    def __init__(self, closed: list[str], name: str) -> None:
        self._closed, self._name = closed, name

    def watch_stage(self) -> None:
        """Nothing is shown."""

    def close(self) -> None:
        self._closed.append(self._name)


def test_an_interrupt_before_the_server_listens_still_leaves_the_graph(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serve, 'print', interrupted, raising=False)
    client: Any = Line(closed, 'client')
    stop: Any = Line(closed, 'stop line')
    with pytest.raises(KeyboardInterrupt):
        serve.run_web(serve.WebOptions(config, (), 'run'), lambda *_: client, lambda *_: stop, {})
    assert closed == ['stop line', 'client']
