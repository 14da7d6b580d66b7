"""A clock and a future for tests and measurements."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any


@dataclass
class ManualClock:
    """Shows `now`, in s, until somebody sets it; called like `time.monotonic`."""

    now: float = 0.0

    def __call__(self) -> float:
        """The time that it shows."""
        return self.now


class FakeFuture:
    """The signal of `condition_waiter.py` for coroutines that the test drives; answers, too.

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
