"""Routes that every page has: its HTML and its files, with access checks."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from html import escape
import mimetypes

import anyio
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from bt_executive.view import page_files
from bt_executive.web.page_access import Access, security_headers

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="csrf" content="{csrf}">
<meta name="door" content="{stop_server_port}">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/{name}.css">
<script defer src="/static/{name}.js"></script>
</head>
<body>
<noscript><p>This page needs JavaScript; bt-executive console does not.</p></noscript>
{root}
</body>
</html>
"""


class PageRoutes:
    """Handlers of the common routes.

    Args:
        access: The access rules.
        stop_server_port: Port of the stop server.
        title: Of the page.
        root: The element that the script fills.
        files: Style and script by file name; the names differ only in their suffix.
    """

    def __init__(
        self,
        access: Access,
        stop_server_port: int,
        title: str,
        root: str,
        files: Mapping[str, str],
    ) -> None:
        self._access = access
        self._headers = security_headers(access.port, stop_server_port)
        name = next(iter(files)).partition('.')[0]
        self._page = PAGE.format(
            csrf=escape(access.csrf),
            stop_server_port=stop_server_port,
            title=title,
            name=name,
            root=root,
        )
        self._files = {each: text.encode() for each, text in files.items()}
        self._files['japanese.woff2'] = page_files.font()

    async def page(self, request: Request) -> Response:
        """Serves the page; a link with the token is redirected to one with a cookie."""
        token = request.query_params.get('token')
        if token is not None and request.headers.get('host') in self._access.hosts:
            return self._enter(token)
        return self._deny_view(request) or self._answer(self._page.encode(), 'text/html')

    async def file(self, request: Request) -> Response:
        """Serves one of the page's files, which contain no secret."""
        name = request.path_params['name']
        if name not in self._files:
            return self._refuse('There is no such file.', 404)
        return self._answer(self._files[name], mimetypes.guess_type(name)[0] or 'text/plain')

    def _enter(self, token: str) -> Response:
        if not self._access.is_token(token):
            return self._refuse('The token of this link is not the right one.')
        response = RedirectResponse('/', 303, self._headers)
        response.set_cookie(self._access.cookie, token, httponly=True, samesite='lax')
        return response

    def _cookie(self, request: Request) -> str:
        return request.cookies.get(self._access.cookie, '')

    def _deny_view(self, request: Request) -> Response | None:
        reason = self._access.deny_view(request.headers, self._cookie(request))
        return self._refuse(reason) if reason else None

    def _deny_action(self, request: Request) -> Response | None:
        reason = self._access.deny_action(request.headers, self._cookie(request))
        return self._refuse(reason) if reason else None

    def _refuse(self, reason: str, status: int = 403) -> Response:
        return PlainTextResponse(reason, status, self._headers)

    def _answer(self, body: bytes, kind: str) -> Response:
        return Response(body, media_type=kind, headers=self._headers)


async def until_one_ends(*awaitables: Awaitable[None]) -> None:
    """Waits for the first one to end, and cancels the others."""
    async with anyio.create_task_group() as group:

        async def run(one: Awaitable[None]) -> None:
            await one
            group.cancel_scope.cancel()

        for each in awaitables:
            group.start_soon(run, each)
