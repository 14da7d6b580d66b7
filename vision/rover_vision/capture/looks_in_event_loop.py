"""Looks that are awaited in the gateway's loop: the table of requests with futures and a timer.

A pending look is a future, not a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
import time
from typing import Protocol
import uuid

from rover_vision.capture.connected_clients import Hello, Source
from rover_vision.capture.pending_looks import (
    Action,
    CaptureAnswer,
    CaptureRequest,
    CaptureRequests,
    Close,
    Counts,
    Ended,
    Late,
    Send,
)
from rover_vision.look_request_and_result import LookFault, PictureSet


class Connection(Protocol):
    """A connected client. Neither method blocks or fails."""

    def send(self, send: Send) -> None:
        """Send a request to the client."""

    def close(self, code: int) -> None:
        """Close the connection; `code` as in WebSocket."""


class Captures:
    """Requests pictures of clients and waits for them.

    Args:
        on_late: Called with a picture that arrives after its look has ended.
        clock: Steady seconds.
    """

    def __init__(
        self,
        timeout_s: float,
        on_late: Callable[[CaptureRequest, PictureSet], None] = lambda _request, _seen: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._timeout_s = timeout_s
        self._on_late = on_late
        self._clock = clock
        self._requests = CaptureRequests()
        self._connections: dict[int, Connection] = {}
        self._number = 0
        self._waiters: dict[str, asyncio.Future[PictureSet | LookFault]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0

    @property
    def waiting(self) -> int:
        """Return the number of pending looks."""
        return self._requests.waiting

    @property
    def counts(self) -> Counts:
        """Return counts of answers that ended no look."""
        return self._requests.counts

    @property
    def client_ids(self) -> list[str]:
        """Return the ids of the registered clients."""
        return self._requests.clients.ids()

    def shows_only_a_camera(self, client_id: str) -> bool:
        """Return whether a client is connected with a camera, and no screen."""
        clients = self._requests.clients
        connected = clients.connection(client_id) is not None
        return connected and clients.hello_of(client_id).sources == {Source.CAMERA}

    def connect(self, connection: Connection) -> int:
        """Add a connection; return its number."""
        self._number += 1
        self._connections[self._number] = connection
        return self._number

    def hello(self, number: int, hello: Hello) -> None:
        """Register the client of a connection."""
        self._carry_out(self._requests.hello(number, hello, self._clock()))

    def disconnect(self, number: int) -> None:
        """Remove a connection."""
        self._connections.pop(number, None)
        self._requests.close(number)

    def waits_for(self, request_id: str) -> bool:
        """Return whether a look is pending."""
        return request_id in self._waiters

    async def look(
        self,
        source: Source,
        purpose: str,
        preferred: Sequence[str] = (),
        others: bool = True,
    ) -> PictureSet | LookFault:
        """Request a picture of a client and wait for it; see `CaptureRequest`."""
        request_id = str(uuid.uuid4())
        request = CaptureRequest(
            request_id, source, purpose, tuple(preferred), others, self._timeout_s
        )
        waiter: asyncio.Future[PictureSet | LookFault] = asyncio.get_running_loop().create_future()
        self._waiters[request_id] = waiter
        self._carry_out(self._requests.ask(request, self._clock()))
        try:
            return await waiter
        finally:
            self._carry_out(self._requests.cancel(request_id))  # if it was cancelled

    def answer(self, answer: CaptureAnswer) -> None:
        """Handle an answer of a client."""
        self._carry_out(self._requests.answer(answer, self._clock()))

    def refuse(self, request_id: str, client_id: str | None, reason: str) -> None:
        """Handle an unusable answer."""
        self._carry_out(self._requests.refuse(request_id, client_id, reason))

    def _carry_out(self, actions: Sequence[Action]) -> None:
        for action in actions:
            match action:
                case Send(connection=number):
                    self._connections[number].send(action)
                case Close(number, code):
                    self._connections[number].close(code)
                case Ended(request_id, outcome):
                    self._wake(request_id, outcome)
                case Late(request, seen):
                    self._on_late(request, seen)
        self._set_timer()

    def _wake(self, request_id: str, outcome: PictureSet | LookFault) -> None:
        waiter = self._waiters.pop(request_id, None)
        if waiter is not None and not waiter.done():
            waiter.set_result(outcome)

    def _set_timer(self) -> None:
        at = self._requests.next_deadline()
        if at is None or (self._timer is not None and self._timer_at <= at):
            return  # an earlier timer sets the next one
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        delay = max(at - self._clock(), 0.0)
        self._timer = asyncio.get_running_loop().call_later(delay, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        self._carry_out(self._requests.tick(self._clock()))
