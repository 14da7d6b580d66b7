"""The transports of the MCP server: standard input and output, and HTTP.

Over HTTP, several clients are served on loopback, with a token. On standard input, the SDK drops a
line that it cannot read, and the host waits for its time-out. Here the response has the id of the
request if it can be read, else `null`, as in JSON-RPC 2.0.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
import fcntl
import os
import socket
from typing import IO, cast

import anyio
from anyio.abc import ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
import mcp_types as types
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
import uvicorn

from bt_executive.mcp_server.json_rpc_messages_and_ids import (
    LONGEST,
    SESSION,
    Posted,
    RequestIds,
    read_posted,
    refusal_of,
    refusal_with,
    request_ids_of,
)
from bt_executive.mcp_server.mcp_access import PATH, BearerToken
from rover_common.process.loopback import HOST
from rover_common.process.unfinished_http_requests import HttpConnection

_BEYOND_STANDARD = 3
END_S = 5  # for open responses when the server ends


async def serve_stdio(server: Server[object]) -> None:
    """Serves the one client that started this process, until it closes the input or the output."""
    try:
        await _serve_stdio(server)
    except Exception as fault:
        if not _has_closed_output(fault):
            raise


async def _serve_stdio(server: Server[object]) -> None:
    with _private_input() as stdin:
        lines = ValidLines(stdin)
        # `stdio_server` only iterates over it.
        async with stdio_server(stdin=cast('anyio.AsyncFile[str]', lines)) as (incoming, outgoing):
            lines.set_output(cast('ObjectSendStream[SessionMessage]', outgoing))
            await server.run(incoming, outgoing, server.create_initialization_options())


def _has_closed_output(fault: BaseException) -> bool:
    """Return whether a fault, or each one of a group, is that nobody reads the output."""
    group: Sequence[BaseException] = getattr(fault, 'exceptions', ())  # Python 3.10 has no groups
    return all(map(_has_closed_output, group)) if group else isinstance(fault, BrokenPipeError)


class ValidLines:
    """Iterates over the valid messages of JSON-RPC; answers the invalid lines itself.

    Args:
        stdin: Bytes; read in a worker thread.
    """

    def __init__(self, stdin: IO[bytes]) -> None:
        self._stdin = stdin
        self._outgoing: asyncio.Future[ObjectSendStream[SessionMessage]] = (
            asyncio.get_running_loop().create_future()
        )

    def set_output(self, outgoing: ObjectSendStream[SessionMessage]) -> None:
        """Sets where error responses are sent; until then an invalid line waits."""
        self._outgoing.set_result(outgoing)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yields each valid line."""
        while line := await self._next():
            if not line.strip():
                continue
            refusal = await anyio.to_thread.run_sync(refusal_of, line)
            if refusal is None:
                yield line.decode()
            else:
                await self._answer(refusal)

    async def _next(self) -> bytes:
        """Return the next line, cut after `LONGEST` + 1 bytes; empty at the end of input."""
        line = await anyio.to_thread.run_sync(self._stdin.readline, LONGEST + 1)
        chunk = line
        while len(line) > LONGEST and chunk and not chunk.endswith(b'\n'):
            chunk = await anyio.to_thread.run_sync(self._stdin.readline, LONGEST)
        return line

    async def _answer(self, refusal: types.JSONRPCError) -> None:
        outgoing = await self._outgoing
        try:
            await outgoing.send(SessionMessage(refusal))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the server ends


@contextmanager
def _private_input() -> Iterator[IO[bytes]]:
    """Reserves standard input for the protocol: other readers find its end meanwhile."""
    private = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _BEYOND_STANDARD)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        # Not closed: a thread may still read it at the end.
        yield os.fdopen(private, 'rb', closefd=False)
    finally:
        os.dup2(private, 0)


async def serve_http(server: Server[object], listening: socket.socket, token: str) -> None:
    """Serves every client on this machine that has the token, until it is cancelled."""
    app = http_app(server, token)
    config = uvicorn.Config(
        app,
        http=HttpConnection,
        log_level='warning',
        access_log=False,
        lifespan='off',
        timeout_graceful_shutdown=END_S,
    )
    http = HttpServer(config)
    async with AsyncExitStack() as sessions:
        await sessions.enter_async_context(app.router.lifespan_context(app))
        serving = asyncio.ensure_future(http.serve(sockets=[listening]))
        try:
            await asyncio.shield(serving)
        finally:
            http.should_exit = True
            await sessions.aclose()  # which ends their connections
            await serving


class HttpServer(uvicorn.Server):
    """A server that does not handle the signals of the process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures no signals."""
        yield


def http_app(server: Server[object], token: str) -> Starlette:
    """The application; requests from pages of other hosts are refused by the SDK."""
    app = server.streamable_http_app(
        streamable_http_path=PATH, host=HOST, max_request_body_size=LONGEST
    )
    app.add_middleware(ReadableMessages, ids=request_ids_of(server))
    app.add_middleware(BearerToken, token=token)  # the last one added is called first
    return app


class ReadableMessages:
    """Middleware that responds with 400 to a message that the SDK would misread.

    Also to a request with the id of one that is open in its session.
    """

    def __init__(self, app: ASGIApp, ids: RequestIds) -> None:
        self._app, self._ids = app, ids

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reads the whole message, then calls the application or refuses it."""
        if scope['type'] != 'http' or scope['method'] != 'POST':
            await self._app(scope, receive, send)
            return
        body, received = bytearray(), list[Message]()
        while len(body) <= LONGEST:
            message = await receive()
            if message['type'] == 'http.disconnect':  # in the middle: nobody waits for an answer
                return
            received.append(message)
            body += message.get('body', b'')
            if not message.get('more_body', False):
                break
        posted = Posted()
        if len(body) <= LONGEST:  # a longer one is refused by the SDK
            posted = await anyio.to_thread.run_sync(read_posted, bytes(body))
        refusal, session = posted.refusal, Headers(scope=scope).get(SESSION)
        if refusal is None:
            replay = _replayed(received, receive)
            if session is None or posted.request_id is None:
                await self._app(scope, replay, send)
                return
            with self._ids.posted(session, posted.request_id) as reason:
                if not reason:
                    await self._app(scope, replay, send)
                    return
                refusal = refusal_with(posted.request_id, reason)
        response = JSONResponse(refusal.model_dump(mode='json', by_alias=True), status_code=400)
        await response(scope, receive, send)


def _replayed(received: list[Message], receive: Receive) -> Receive:
    """Return a channel that yields the received messages again before it receives others."""
    messages = iter(received)

    async def next_message() -> Message:
        return next(messages, None) or await receive()

    return next_message
