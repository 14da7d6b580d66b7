"""How many clients reach the server: HTTP on loopback, with a token."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
import hmac
import secrets
import socket
import sys

import anyio
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
import uvicorn

from bt_executive.mcp_server.json_rpc_validation import LONGEST, Posted, read_posted, refusal_with
from bt_executive.mcp_server.request_ids import SESSION, RequestIds, request_ids_of
from rover_common.process.loopback import HOST
from rover_common.process.unfinished_http_requests import HttpConnection

PATH = '/mcp'
END_S = 5  # for the answers that are under way, when the server ends


async def serve_http(server: Server[object], listening: socket.socket, token: str) -> None:
    """Serves every client on this machine that knows the token, until it is cancelled."""
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
            await sessions.aclose()  # and with them their connections end
            await serving


class HttpServer(uvicorn.Server):
    """Leaves the signals of the process to others."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


def http_app(server: Server[object], token: str) -> Starlette:
    """The application; requests from pages of other hosts are refused by the SDK."""
    app = server.streamable_http_app(
        streamable_http_path=PATH, host=HOST, max_request_body_size=LONGEST
    )
    app.add_middleware(ReadableMessages, ids=request_ids_of(server))
    app.add_middleware(BearerToken, token=token)  # the last one added is asked first
    return app


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def announce(port: int, token: str | None) -> None:
    """Says on standard error where the server is; `token`: only one that was made here."""
    print(f'MCP server: http://{HOST}:{port}{PATH}', file=sys.stderr)
    if token is not None:
        print(f'Header of each request: Authorization: Bearer {token}', file=sys.stderr)
    sys.stderr.flush()


class BearerToken:
    """Lets nobody in without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers 401, or passes on."""
        if scope['type'] == 'http' and not self._is_known(scope):
            refused = PlainTextResponse(
                'This server wants its token: Authorization: Bearer TOKEN.\n',
                status_code=401,
                headers={'WWW-Authenticate': 'Bearer'},
            )
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        given: bytes = dict(scope['headers']).get(b'authorization', b'')
        scheme, _, token = given.partition(b' ')  # the scheme knows no case (RFC 9110)
        is_bearer = scheme.lower() == b'bearer'
        return is_bearer and hmac.compare_digest(token.strip(b' '), self._wanted)


class ReadableMessages:
    """Answers 400 to a posted message that the SDK would misread, as on standard input.

    And to a request with the id of one that is under way in its session.
    """

    def __init__(self, app: ASGIApp, ids: RequestIds) -> None:
        self._app, self._ids = app, ids

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reads the whole message, then passes it on or refuses it."""
        if scope['type'] != 'http' or scope['method'] != 'POST':
            await self._app(scope, receive, send)
            return
        body, received = bytearray(), list[Message]()
        while len(body) <= LONGEST:
            message = await receive()
            received.append(message)
            body += message.get('body', b'')
            if not message.get('more_body', False):
                break
        posted = Posted()
        if len(body) <= LONGEST:  # a longer one is refused by the SDK
            posted = await anyio.to_thread.run_sync(read_posted, bytes(body))
        refusal, session = posted.refusal, Headers(scope=scope).get(SESSION)
        if refusal is None:
            rest = _received_again(received, receive)
            if session is None or posted.request_id is None:
                await self._app(scope, rest, send)
                return
            with self._ids.posted(session, posted.request_id) as twice:
                if not twice:
                    await self._app(scope, rest, send)
                    return
                refusal = refusal_with(posted.request_id, twice)
        answer = JSONResponse(refusal.model_dump(mode='json', by_alias=True), status_code=400)
        await answer(scope, receive, send)


def _received_again(received: list[Message], receive: Receive) -> Receive:
    """Return a channel that gives the messages once more before it receives others."""
    again = iter(received)

    async def next_message() -> Message:
        return next(again, None) or await receive()

    return next_message
