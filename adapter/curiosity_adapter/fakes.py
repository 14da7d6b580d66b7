"""The ports of `rover.py` and `condition_waiter.py` for tests: answers come when the test says so.

Only test/ and bench/ import this file (test/test_import_rules.py).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any


class FakeFuture:
    """The answer of a service, and a signal for coroutines that the test itself drives.

    Unlike `concurrent.futures.Future` it lets out what a callback raises.
    """

    def __init__(self) -> None:
        self._callbacks: list[Callable[[Any], None]] = []
        self._result: bool | None = None

    def done(self) -> bool:
        """See `Answer.done` and `Signal.done`."""
        return self._result is not None

    def set_result(self, result: bool, /) -> None:
        """See `Signal.set_result`; for an answer any result will do, as it is empty."""
        self._result = result
        for callback in self._callbacks:
            callback(self)

    def add_done_callback(self, callback: Callable[[Any], None], /) -> None:
        """See `Answer.add_done_callback`."""
        self._callbacks.append(callback)
        if self.done():
            callback(self)

    def __await__(self) -> Generator[FakeFuture, None, bool]:
        while self._result is None:
            yield self
        return self._result


def _nobody(_answer: FakeFuture) -> None:
    """Takes no request."""


class FakeClient:
    """One service of the rover; keeps what waits for an answer, as rclpy does.

    Args:
        take: Is handed the answer of each request: the rover's side of the service.

    Attributes:
        there: Whether somebody offers the service.
        asked: How many requests there were.
        waiting: Their answers, but for those that were dropped.
    """

    def __init__(self, take: Callable[[FakeFuture], None] = _nobody) -> None:
        self._take = take
        self.there = True
        self.asked = 0
        self.waiting: list[FakeFuture] = []

    def service_is_ready(self) -> bool:
        """See `EmptyClient.service_is_ready`."""
        return self.there

    def call_async(self, _request: Any, /) -> FakeFuture:
        """See `EmptyClient.call_async`."""
        answer = FakeFuture()
        self.asked += 1
        self.waiting.append(answer)
        self._take(answer)
        return answer

    def remove_pending_request(self, answer: Any, /) -> None:
        """See `EmptyClient.remove_pending_request`; an unknown one is let be, as in rclpy."""
        self.waiting = [each for each in self.waiting if each is not answer]
