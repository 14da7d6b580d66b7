"""The connected clients, their claimed sources, and whom to ask first. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

Dialect = Literal['unit_id', 'event_id', 'capabilities']
ROVER = 'rover'  # reserved id of the built-in client: the rover's camera


class Source(str, Enum):
    """The source of a picture: the rover's camera, or an operator's screen."""

    CAMERA = 'camera'
    DESKTOP = 'desktop'


@dataclass(frozen=True)
class Offer:
    """A source as the client names it."""

    source_id: str
    label: str


@dataclass(frozen=True)
class Hello:
    """The registration of a client.

    Attributes:
        dialect: The form of the frames that it reads; see `client_protocol.py`.
        offers: The names of its sources, if it has given any.
        event_names: The events that it subscribes to; None: all of them.
    """

    client_id: str
    sources: frozenset[Source]
    dialect: Dialect
    offers: Mapping[Source, Offer] = field(default_factory=dict)
    event_names: frozenset[str] | None = None


@dataclass
class _Client:
    hello: Hello
    connection: int
    number: int  # of the hello, counted over all clients
    unable: set[Source]
    failures: int = 0  # looks in a row without an answer


class Clients:
    """Connections by client id. A claim of a client holds until an answer contradicts it.

    A claim that an answer has shown to be wrong counts again after the next hello.
    """

    def __init__(self) -> None:
        self._clients: dict[str, _Client] = {}
        self._ids: dict[int, str] = {}
        self._hellos = 0

    def hello(self, connection: int, hello: Hello) -> int | None:
        """Register a client; return its older connection, to be closed."""
        known = self._ids.get(connection)
        if known is not None and known != hello.client_id:
            self.close(connection)
        before = self._clients.get(hello.client_id)
        failures = before.failures if before else 0
        self._hellos += 1
        self._clients[hello.client_id] = _Client(hello, connection, self._hellos, set(), failures)
        self._ids[connection] = hello.client_id
        if before is None or before.connection == connection:
            return None
        self._ids.pop(before.connection, None)
        return before.connection

    def close(self, connection: int) -> None:
        """Remove a connection, unless its client has reconnected on another one."""
        client_id = self._ids.pop(connection, None)
        if client_id is not None:
            del self._clients[client_id]

    def connection(self, client_id: str) -> int | None:
        """Return the connection of a client."""
        client = self._clients.get(client_id)
        return client.connection if client else None

    def hello_of(self, client_id: str) -> Hello:
        """Return the latest registration of a connected client."""
        return self._clients[client_id].hello

    def note_unable(self, client_id: str, source: Source) -> None:
        """Record that a client cannot capture a source, against its claim."""
        if client_id in self._clients:
            self._clients[client_id].unable.add(source)

    def note_answer(self, client_id: str, came: bool) -> None:
        """Record whether a look at this client ended with an answer."""
        if client_id in self._clients:
            client = self._clients[client_id]
            client.failures = 0 if came else client.failures + 1

    def best(
        self,
        source: Source,
        preferred: Collection[str],
        others: bool,
        tried: Collection[str] = (),
    ) -> str | None:
        """Return the client to ask.

        Args:
            source: What it must be able to capture.
            preferred: Clients to ask first, in this order.
            others: Whether anybody else may be asked: the healthiest first, then the newest.
            tried: Clients that were asked already.
        """
        able = {each.hello.client_id: each for each in self._able(source, tried)}
        for client_id in preferred:
            if client_id in able:
                return client_id
        if not others or not able:
            return None
        return min(able.values(), key=lambda each: (each.failures, -each.number)).hello.client_id

    def ids(self) -> list[str]:
        """Return the ids of all registered clients."""
        return list(self._clients)

    def _able(self, source: Source, tried: Collection[str]) -> Iterator[_Client]:
        for client in self._clients.values():
            claims = source in client.hello.sources and source not in client.unable
            if claims and client.hello.client_id not in tried:
                yield client
