"""Waiting without blocking: coroutines that go on when a condition holds or their time is up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol


class Signal(Awaitable[bool], Protocol):
    """A future of the executor that runs the coroutines."""

    def done(self) -> bool:
        """Whether a result was set."""

    def set_result(self, result: bool, /) -> None:
        """Resume the coroutine that awaits the signal."""


@dataclass(frozen=True)
class _Wait:
    condition: Callable[[], bool]
    deadline: float
    signal: Signal


class ConditionWaiter:
    """All conditions that coroutines await, evaluated when something may have changed."""

    def __init__(self, clock: Callable[[], float], make_signal: Callable[[], Signal]) -> None:
        self._clock = clock
        self._make_signal = make_signal
        self._waiter: list[_Wait] = []

    @property
    def is_waiting(self) -> bool:
        """Whether a coroutine waits."""
        return bool(self._waiter)

    async def until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Waits until the condition holds, at most `timeout_s` seconds; True if it held."""
        if condition():
            return True
        wait = _Wait(condition, self._clock() + timeout_s, self._make_signal())
        self._waiter.append(wait)
        return await wait.signal

    def evaluate(self) -> None:
        """Evaluates every condition; those that hold and those that are out of time go on."""
        now, waiter = self._clock(), self._waiter
        self._waiter = []
        for wait in waiter:
            held = wait.condition()
            if held or now >= wait.deadline:
                wait.signal.set_result(held)
            else:
                self._waiter.append(wait)
