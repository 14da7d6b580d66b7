"""Tells clients which resources have changed: MCP's `notifications/resources/updated`.

Both of the protocol's ways are served from one bus: a stream of `subscriptions/listen` (since
2026-07-28), and `resources/subscribe` before it. Each notification says "read it again", and no
more than that; so those that a slow client has not taken become one.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent

from bt_executive.client.front_end_events import (
    ClientEvent,
    ClientFailed,
    ExecutiveLost,
    ExecutiveQuiet,
    ExecutiveReady,
    PendingApprovals,
    PictureReceived,
)
from rover_common.trace_event import TraceEvent

BETWEEN_S = 1.0  # between two notifications of one resource
PRESENCE = (ExecutiveReady, ExecutiveQuiet, ExecutiveLost, ClientFailed)


def changed_by(event: ClientEvent) -> tuple[str, ...]:
    """Return the names of the resources that are new after what happened.

    Telemetry alone is none: a pose or a battery would change with each tick.
    """
    match event:
        case TraceEvent():
            return 'state', 'tree', 'trace'
        case PendingApprovals():
            return 'state', 'tree'
        case PictureReceived():
            return ('picture',)
    return ('state', 'tree', 'robots') if isinstance(event, PRESENCE) else ()


class Updates:
    """Publishes the resources of one robot that have changed, each at most once a `BETWEEN_S`.

    Args:
        bus: What subscriptions hear.
        uris: The addresses of the resources that are followed, by their names.
    """

    def __init__(self, bus: InMemorySubscriptionBus, uris: dict[str, str]) -> None:
        self._bus = bus
        self._uris = uris
        self._due: dict[str, None] = {}
        self._wake = asyncio.Event()

    def apply(self, event: ClientEvent) -> None:
        """Enters what happened."""
        due = [self._uris[name] for name in changed_by(event) if name in self._uris]
        self._due |= dict.fromkeys(due)
        if due:
            self._wake.set()

    async def run(self) -> None:
        """Publishes until it is cancelled: the first change at once, later ones together."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            due, self._due = self._due, {}
            for uri in due:
                await self._bus.publish(ResourceUpdated(uri))
            await asyncio.sleep(BETWEEN_S)


class Subscriptions:
    """The `resources/subscribe` of one connection."""

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        self._bus = bus
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def add(self, uri: str, session: ServerSession) -> None:
        """Tells of a resource from now on."""
        if uri in self._tasks:
            return
        due = asyncio.Event()

        def deliver(event: ServerEvent) -> None:
            if event == ResourceUpdated(uri):
                due.set()

        unsubscribe = self._bus.subscribe(deliver)
        self._tasks[uri] = asyncio.ensure_future(_tell(uri, session, due))
        self._tasks[uri].add_done_callback(lambda _: unsubscribe())

    def remove(self, uri: str) -> None:
        """Tells no more of it."""
        if uri in self._tasks:
            self._tasks.pop(uri).cancel()

    def close(self) -> None:
        """The connection ends."""
        for uri in [*self._tasks]:
            self.remove(uri)


async def _tell(uri: str, session: ServerSession, due: asyncio.Event) -> None:
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client has gone
        while True:
            await due.wait()
            due.clear()
            await session.send_resource_updated(uri)
