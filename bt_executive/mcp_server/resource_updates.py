"""Notifies clients of changed resources: MCP's `notifications/resources/updated`.

Both kinds of subscription are served from one bus: a stream of `subscriptions/listen` (since
2026-07-28), and `resources/subscribe` before it. A notification has no content but the URI, so
those that a slow client has not received yet are merged into one.
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
    """Return the names of the resources that an event changes.

    Telemetry changes none: a pose or a battery would change with each tick.
    """
    match event:
        case TraceEvent():
            return 'state', 'tree', 'trace'
        case PendingApprovals():
            return 'state', 'tree'
        case PictureReceived():
            return ('picture',)
    return ('state', 'tree', 'robots') if isinstance(event, PRESENCE) else ()


class UpdatePublisher:
    """Publishes the resources of one robot that have changed, each at most once a `BETWEEN_S`.

    Args:
        bus: Delivers to the subscriptions.
        uris: The URIs of the resources that can be subscribed to, by their names.
    """

    def __init__(self, bus: InMemorySubscriptionBus, uris: dict[str, str]) -> None:
        self._bus = bus
        self._uris = uris
        self._changed: dict[str, None] = {}  # URIs, in order
        self._wake = asyncio.Event()

    def apply(self, event: ClientEvent) -> None:
        """Marks the resources that an event changes."""
        changed = [self._uris[name] for name in changed_by(event) if name in self._uris]
        self._changed |= dict.fromkeys(changed)
        if changed:
            self._wake.set()

    async def run(self) -> None:
        """Publishes until it is cancelled: the first change at once, later ones together."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            changed, self._changed = self._changed, {}
            for uri in changed:
                await self._bus.publish(ResourceUpdated(uri))
            await asyncio.sleep(BETWEEN_S)


class Subscriptions:
    """The `resources/subscribe` of one connection."""

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        self._bus = bus
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def add(self, uri: str, session: ServerSession) -> None:
        """Subscribes to a resource."""
        if uri in self._tasks:
            return
        changed = asyncio.Event()

        def deliver(event: ServerEvent) -> None:
            if event == ResourceUpdated(uri):
                changed.set()

        unsubscribe = self._bus.subscribe(deliver)
        self._tasks[uri] = asyncio.ensure_future(_notify(uri, session, changed))
        self._tasks[uri].add_done_callback(lambda _: unsubscribe())

    def remove(self, uri: str) -> None:
        """Unsubscribes from a resource."""
        if uri in self._tasks:
            self._tasks.pop(uri).cancel()

    def close(self) -> None:
        """Unsubscribes from every resource."""
        for uri in [*self._tasks]:
            self.remove(uri)


async def _notify(uri: str, session: ServerSession, changed: asyncio.Event) -> None:
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client has gone
        while True:
            await changed.wait()
            changed.clear()
            await session.send_resource_updated(uri)
