"""One id, one request: what the SDK leaves to the server when a client uses an id twice.

The SDK forgets the first of two requests with one id. A cancellation then ended the second, which
waited, and the drive of the first went on with nobody to cancel it. Over HTTP the response to the
first stayed open for good, so there the second is refused before the SDK sees it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.exceptions import MCPError
import mcp_types as types

CANCELLED = 'notifications/cancelled'
SESSION = 'mcp-session-id'  # header over HTTP
Key = tuple[int | str, types.RequestId]  # the channel: a pipe, or the id of a session


class RequestIds:
    """Middleware of the SDK's server.

    A second request with the id of one that is under way is refused, and the first is cancelled:
    which of the two an answer or a cancellation belongs to, nobody could say any more. A
    cancellation by an id ends the request that has it, whatever the SDK has forgotten.
    """

    def __init__(self) -> None:
        self._open: dict[Key, anyio.CancelScope] = {}
        self._posted: set[Key] = set()
        self._twice: set[Key] = set()  # posted, but not open yet

    @contextmanager
    def posted(self, session: str, request_id: types.RequestId) -> Iterator[str]:
        """Holds the id of a request over HTTP; yields why it is refused, empty: it is not."""
        key = session, coerce_request_id(request_id)
        if key in self._posted:
            if key in self._open:
                self._open[key].cancel()
            else:
                self._twice.add(key)
            yield _used_twice(request_id).error.message
            return
        self._posted.add(key)
        try:
            yield ''
        finally:
            self._posted.discard(key)
            self._twice.discard(key)

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Handles a request or a notification.

        Raises:
            MCPError: Its id is, or was, used twice at the same time.
        """
        channel = _channel_of(ctx)
        if ctx.request_id is None:
            if ctx.method == CANCELLED:
                self._cancel(channel, (ctx.params or {}).get('requestId'))
            return await call_next(ctx)
        key = channel, coerce_request_id(ctx.request_id)
        if key in self._open:
            self._open[key].cancel()
            raise _used_twice(ctx.request_id)
        if key in self._twice:
            raise _used_twice(ctx.request_id)
        with anyio.CancelScope() as scope:
            self._open[key] = scope
            try:
                return await call_next(ctx)
            finally:
                del self._open[key]
        raise _used_twice(ctx.request_id)

    def _cancel(self, channel: int | str, request_id: Any) -> None:
        if isinstance(request_id, (int, str)):
            scope = self._open.get((channel, coerce_request_id(request_id)))
            if scope is not None:
                scope.cancel()


def request_ids_of(server: Server[object]) -> RequestIds:
    """Return the middleware that a server was made with."""
    return next(each for each in server.middleware if isinstance(each, RequestIds))


def connection_of(context: ServerRequestContext[Any]) -> Connection:
    """Return the connection that a request came by, for its session and its `exit_stack`.

    The SDK offers no other way to it from a handler.
    """
    return context.session._connection


def _channel_of(context: ServerRequestContext[Any]) -> int | str:
    """Return what all requests have in common whose ids must differ: a pipe, or a session.

    Since 2026-07-28 each request is a connection of its own; over HTTP it has no such channel.
    """
    connection = connection_of(context)
    if connection.session_id is not None:
        return connection.session_id
    return id(connection.outbound if connection.has_standalone_channel else connection)


def _used_twice(request_id: types.RequestId) -> MCPError:
    return MCPError(
        types.INVALID_REQUEST,
        f'The id {request_id!r:.80} was used for a second request while the first was under way: '
        'the first is cancelled, and the second was not started. Use each id once.',
    )
