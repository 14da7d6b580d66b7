"""State of the looks that wait for a picture: whom to ask, which answer counts, how each ends.

No socket, no clock, no thread: events and the time (steady seconds) go in, actions come out. The
rules, which tests hold over every order of events:

- Every look ends exactly once, by one `Ended`.
- Only the client that was asked can answer; its first answer counts.
- It is told a time limit, and is waited for half a second longer.
- It may lose its connection: when it is back within the limit, it is asked once more.
- One that says that it cannot capture the source is replaced by the next one that claims to.
- An answer after the end is no look, but it is not thrown away: `Late`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
import heapq
from typing import TypeAlias

from rover_vision.capture.connected_clients import Clients, Hello, Source
from rover_vision.look_request_and_result import LookCode, LookFault, Picture, PictureSet
from rover_vision.place_of_look import Place

GRACE_S = 0.5  # the client's timeout starts when it receives the request
ENDED_KEPT = 2000  # looks whose late answers are recognized
UNSUPPORTED = 'unsupported '  # prefix of a client's error: it lacks the claimed capability
SKIPPED = 'capture skipped'  # prefix of a client's error: the user skipped it
LONGEST_ERROR = 300  # characters of a client's error
REPLACED_CODE = 4000  # WebSocket close code for the older of two connections


@dataclass(frozen=True)
class CaptureRequest:
    """A request for a picture.

    Attributes:
        purpose: chat or desktop_watch, as the client is told.
        preferred: Ids of the clients to ask first.
        others: Whether any other client that is able may be asked.
        timeout_s: As the client is told; s.
    """

    request_id: str
    source: Source
    purpose: str
    preferred: tuple[str, ...] = ()
    others: bool = True
    timeout_s: float = 5.0


@dataclass(frozen=True)
class CaptureAnswer:
    """A well-formed answer: pictures, or an error. `context`: of the window that was captured."""

    request_id: str
    client_id: str
    pictures: tuple[Picture, ...] = ()
    error: str = ''
    context: Mapping[str, str] = field(default_factory=dict)
    stamp_s: float = 0.0
    place: Place | None = None

    @property
    def seen(self) -> PictureSet:
        """Return its pictures; only for an answer that has some."""
        return PictureSet(self.client_id, self.pictures, self.context, self.stamp_s, self.place)


@dataclass(frozen=True)
class Send:
    """Send the request over this connection, to the client that registered on it.

    `timeout_s`: what is left of the time limit.
    """

    connection: int
    request: CaptureRequest
    hello: Hello
    timeout_s: float


@dataclass(frozen=True)
class Close:
    """Close this connection."""

    connection: int
    code: int


@dataclass(frozen=True)
class Ended:
    """The end of a look: pictures, or the reason why there are none."""

    request_id: str
    outcome: PictureSet | LookFault


@dataclass(frozen=True)
class Late:
    """A picture that arrived after its look had ended."""

    request: CaptureRequest
    seen: PictureSet


Action: TypeAlias = Send | Close | Ended | Late


@dataclass
class Counts:
    """Counts of answers that ended no look."""

    wrong_client: int = 0
    unknown: int = 0
    late: int = 0
    doubled: int = 0


@dataclass
class _Pending:
    request: CaptureRequest
    client_id: str
    connection: int
    deadline: float
    resent: bool = False
    tried: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Past:
    request: CaptureRequest
    client_id: str
    answered: bool


class CaptureRequests:
    """The pending looks, and the clients that can answer them."""

    def __init__(self) -> None:
        self.clients = Clients()
        self.counts = Counts()
        self._pending: dict[str, _Pending] = {}
        self._past: OrderedDict[str, _Past] = OrderedDict()
        self._deadlines: list[tuple[float, str]] = []

    @property
    def waiting(self) -> int:
        """Return the number of pending looks."""
        return len(self._pending)

    def next_deadline(self) -> float | None:
        """Return the time of the next call of `tick`; None: nothing is pending."""
        while self._deadlines and not self._is_pending(*self._deadlines[0]):
            heapq.heappop(self._deadlines)
        return self._deadlines[0][0] if self._deadlines else None

    def hello(self, connection: int, hello: Hello, now: float) -> list[Action]:
        """Register a client. Its requests from before a lost connection are sent again.

        Of two connections with one id the newer one counts, and the older one is closed.
        """
        older = self.clients.hello(connection, hello)
        actions: list[Action] = [] if older is None else [Close(older, REPLACED_CODE)]
        for pending in self._pending.values():
            lost = pending.client_id == hello.client_id and pending.connection != connection
            if lost and not pending.resent and pending.request.source in hello.sources:
                pending.connection, pending.resent = connection, True
                actions.append(self._send(pending, now))
        return actions

    def close(self, connection: int) -> None:
        """Handle the end of a connection. Its looks stay pending: the client may reconnect."""
        self.clients.close(connection)

    def ask(self, request: CaptureRequest, now: float) -> list[Action]:
        """Start a look; `request_id` must be new."""
        client_id = self.clients.best(request.source, request.preferred, request.others)
        if client_id is None:
            return [self._end(request, '', self._nobody(request))]
        deadline = now + request.timeout_s + GRACE_S
        pending = _Pending(request, client_id, self._connection(client_id), deadline)
        self._pending[request.request_id] = pending
        heapq.heappush(self._deadlines, (deadline, request.request_id))
        return [self._send(pending, now)]

    def answer(self, answer: CaptureAnswer, now: float) -> list[Action]:
        """Handle a well-formed answer."""
        pending = self._answered(answer.request_id, answer.client_id)
        if pending is None:
            return self._late(answer)
        self.clients.note_answer(answer.client_id, came=True)
        if not answer.error:
            return [self._end(pending.request, answer.client_id, answer.seen)]
        if answer.error.startswith(UNSUPPORTED):
            self.clients.note_unable(answer.client_id, pending.request.source)
            return self._ask_next(pending, answer, now)
        return [self._end(pending.request, answer.client_id, _fault_of(answer))]

    def refuse(self, request_id: str, client_id: str | None, why: str) -> list[Action]:
        """Handle an unusable answer: its look ends at once.

        `client_id` None: the answer could not be read so far.
        """
        pending = self._pending.get(request_id)
        if pending is None or client_id not in (None, pending.client_id):
            return []
        fault = LookFault(LookCode.BAD_ANSWER, f'The picture of the client was refused: {why}')
        return [self._end(pending.request, pending.client_id, fault)]

    def cancel(self, request_id: str) -> list[Action]:
        """Cancel a look."""
        pending = self._pending.get(request_id)
        if pending is None:
            return []
        fault = LookFault(LookCode.CANCELLED, 'The look was cancelled.')
        return [self._end(pending.request, pending.client_id, fault)]

    def tick(self, now: float) -> list[Action]:
        """End the looks that have timed out."""
        actions: list[Action] = []
        while (at := self.next_deadline()) is not None and at <= now:
            pending = self._pending[self._deadlines[0][1]]
            self.clients.note_answer(pending.client_id, came=False)
            actions.append(self._end(pending.request, pending.client_id, self._silent(pending)))
        return actions

    def _is_pending(self, deadline: float, request_id: str) -> bool:
        pending = self._pending.get(request_id)
        return pending is not None and pending.deadline == deadline

    def _connection(self, client_id: str) -> int:
        connection = self.clients.connection(client_id)
        assert connection is not None, f'{client_id} was chosen, but is not connected'
        return connection

    def _send(self, pending: _Pending, now: float) -> Send:
        left = max(pending.deadline - GRACE_S - now, 0.001)
        hello = self.clients.hello_of(pending.client_id)
        return Send(pending.connection, pending.request, hello, left)

    def _ask_next(self, pending: _Pending, answer: CaptureAnswer, now: float) -> list[Action]:
        request = pending.request
        pending.tried.append(pending.client_id)
        following = self.clients.best(
            request.source, request.preferred, request.others, pending.tried
        )
        if following is None:
            return [self._end(request, answer.client_id, _fault_of(answer))]
        pending.client_id, pending.resent = following, False
        pending.connection = self._connection(following)
        return [self._send(pending, now)]

    def _end(
        self, request: CaptureRequest, client_id: str, outcome: PictureSet | LookFault
    ) -> Ended:
        self._pending.pop(request.request_id, None)
        if client_id:
            self._past[request.request_id] = _Past(
                request, client_id, isinstance(outcome, PictureSet)
            )
            while len(self._past) > ENDED_KEPT:
                self._past.popitem(last=False)
        return Ended(request.request_id, outcome)

    def _answered(self, request_id: str, client_id: str) -> _Pending | None:
        """Return the look that an answer of this client ends."""
        pending = self._pending.get(request_id)
        return pending if pending is not None and pending.client_id == client_id else None

    def _late(self, answer: CaptureAnswer) -> list[Action]:
        """Count an answer that ends no look."""
        past = self._past.get(answer.request_id)
        if answer.request_id in self._pending or (past and past.client_id != answer.client_id):
            self.counts.wrong_client += 1
        elif past is None:
            self.counts.unknown += 1
        elif past.answered:
            self.counts.doubled += 1
        else:
            self.counts.late += 1
            if answer.pictures:
                self._past[answer.request_id] = _Past(past.request, past.client_id, answered=True)
                return [Late(past.request, answer.seen)]
        return []

    def _nobody(self, request: CaptureRequest) -> LookFault:
        wanted = ' or '.join(request.preferred) if not request.others else 'a client'
        there = ', '.join(self.clients.ids()) or 'none'
        return LookFault(
            LookCode.NO_CLIENT,
            f'Nobody can capture the {request.source.value} now: {wanted} that can is not '
            f'connected (connected: {there}).',
        )

    def _silent(self, pending: _Pending) -> LookFault:
        left = self.clients.connection(pending.client_id) is None
        why = 'lost its connection and did not come back' if left else 'did not answer'
        return LookFault(
            LookCode.TIMED_OUT,
            f'The client {pending.client_id} {why} within {pending.request.timeout_s:g} s.',
        )


def _fault_of(answer: CaptureAnswer) -> LookFault:
    skipped = answer.error.startswith(SKIPPED)
    code = LookCode.SKIPPED if skipped else LookCode.CLIENT_ERROR
    return LookFault(code, f'The client {answer.client_id} says: {answer.error:.{LONGEST_ERROR}}')
