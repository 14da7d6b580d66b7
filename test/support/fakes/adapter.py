"""The client of a ROS service for tests: answers come when the test says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fakes.common import FakeFuture


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
