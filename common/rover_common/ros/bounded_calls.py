"""Requests whose answers may never come: rclpy keeps each until then, so they are bounded."""

from __future__ import annotations

from collections import deque
from typing import Any

from rclpy.client import Client
from rclpy.task import Future

MOST_OPEN = 32  # of requests before the latest one, an answer is still listened for


class BoundedFutures:
    """The latest futures of requests; the oldest are cancelled beyond a bound.

    rclpy's action client forgets a request when its future is done, cancelled too.
    """

    def __init__(self, most: int = MOST_OPEN) -> None:
        self._most = most
        self._open: deque[Future] = deque()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, future: Future) -> Future:
        """Add a future; return it."""
        self._open = deque(each for each in self._open if not each.done())
        self._open.append(future)
        if len(self._open) > self._most:
            self._open.popleft().cancel()
        return future


class BoundedCalls:
    """Calls one service. Any thread may call it."""

    def __init__(self, client: Client, most: int = MOST_OPEN) -> None:
        self._client, self._most = client, most
        self._open: deque[Future] = deque()

    def call(self, request: Any) -> Future:
        """Send a request; the oldest one without an answer is dropped."""
        future = self._client.call_async(request)
        self._open.append(future)
        if len(self._open) > self._most:
            self._client.remove_pending_request(self._open.popleft())
        return future
