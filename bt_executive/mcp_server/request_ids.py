"""Refuses a request with the id of an open one, which the SDK does not.

The SDK forgets the first of two requests with one id: a cancellation ended the second, which was
waiting, and the drive of the first could no longer be cancelled. Over HTTP the response to the
first stayed open for ever, so there the second is refused before the SDK receives it.
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

    A second request with the id of an open one is refused, and the first is cancelled, because a
    response or a cancellation could belong to either. A cancellation ends the request with its
    id, whatever the SDK has forgotten.
    """

    def __init__(self) -> None:
        self._open: dict[Key, anyio.CancelScope] = {}
        self._posted: set[Key] = set()
        self._repeated: set[Key] = set()  # posted twice before the first was open

    @contextmanager
    def posted(self, session: str, request_id: types.RequestId) -> Iterator[str]:
        """Reserves the id of a request over HTTP; yields why it is refused, or empty."""
        key = session, coerce_request_id(request_id)
        if key in self._posted:
            if key in self._open:
                self._open[key].cancel()
            else:
                self._repeated.add(key)
            yield _used_twice(request_id).error.message
            return
        self._posted.add(key)
        try:
            yield ''
        finally:
            self._posted.discard(key)
            self._repeated.discard(key)

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Handles a request or a notification.

        Raises:
            MCPError: Its id was used by two open requests.
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
        if key in self._repeated:
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
    """Return this middleware of a server."""
    return next(item for item in server.middleware if isinstance(item, RequestIds))


def connection_of(context: ServerRequestContext[Any]) -> Connection:
    """Return the connection of a request, for its session and its `exit_stack`.

    The SDK has no public access to it from a handler.
    """
    return context.session._connection


def _channel_of(context: ServerRequestContext[Any]) -> int | str:
    """Return the channel within which ids must be unique: a pipe, or a session.

    Since 2026-07-28 each request over HTTP is a connection of its own, without such a channel.
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
