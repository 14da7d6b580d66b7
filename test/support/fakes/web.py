"""The ports of a page's server: each notes what it is asked."""

from __future__ import annotations

import threading
from typing import Any

from bt_executive.client.front_end_ports import StopResult


class FakePagePort:
    """Implements `PagePort`. `asked`: the method and the arguments of each request, in order."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.asked.append((name, *arguments))


class FakeStopPort:
    """Implements `StopPort`.

    Attributes:
        stops: How often it was asked.
        said: What it answers, as soon as it may.
    """

    def __init__(self) -> None:
        self.stops, self.said = 0, StopResult(True, 'executive: stopping')
        self.may_answer = threading.Event()
        self.may_answer.set()

    def stop(self) -> StopResult:
        self.stops += 1
        self.may_answer.wait(30.0)
        return self.said

    def close(self) -> None:
        """Nothing to close."""
