"""Access to the MCP server over HTTP: its address, and the token of each request."""

from __future__ import annotations

import hmac
import secrets
import sys

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rover_common.process.loopback import HOST

PATH = '/mcp'


def new_token() -> str:
    """Return a random token."""
    return secrets.token_urlsafe(32)


def announce(port: int, token: str | None) -> None:
    """Print the server's address on standard error; `token`: None if the user has set it."""
    print(f'MCP server: http://{HOST}:{port}{PATH}', file=sys.stderr)
    if token is not None:
        print(f'Header of each request: Authorization: Bearer {token}', file=sys.stderr)
    sys.stderr.flush()


class BearerToken:
    """Middleware that requires the token in each request."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Responds with 401, or calls the application."""
        if scope['type'] == 'http' and not self._is_authorized(scope):
            refusal = PlainTextResponse(
                'This server wants its token: Authorization: Bearer TOKEN.\n',
                status_code=401,
                headers={'WWW-Authenticate': 'Bearer'},
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_authorized(self, scope: Scope) -> bool:
        header: bytes = dict(scope['headers']).get(b'authorization', b'')
        scheme, _, token = header.partition(b' ')  # the scheme is case-insensitive (RFC 9110)
        is_bearer = scheme.lower() == b'bearer'
        return is_bearer and hmac.compare_digest(token.strip(b' '), self._token)
