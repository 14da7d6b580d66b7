"""What every page of a server has: its HTML, its files, and who may look and act."""

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
<meta name="door" content="{door}">
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
    """One handler for each route that every page has.

    Args:
        access: Who may look and act.
        door: Port of the stop's own way.
        title: Of the page.
        root: The element in which its script shows everything.
        files: Its style and its script, by the names under which they are fetched, which differ
            in their suffix alone.
    """

    def __init__(
        self, access: Access, door: int, title: str, root: str, files: Mapping[str, str]
    ) -> None:
        self._access = access
        self._headers = security_headers(access.port, door)
        name = next(iter(files)).partition('.')[0]
        self._page = PAGE.format(
            csrf=escape(access.csrf), door=door, title=title, name=name, root=root
        )
        self._files = {each: text.encode() for each, text in files.items()}
        self._files['japanese.woff2'] = page_files.font()

    async def page(self, request: Request) -> Response:
        """The page; a link with the token becomes a cookie, and an address without it."""
        token = request.query_params.get('token')
        if token is not None and request.headers.get('host') in self._access.hosts:
            return self._enter(token)
        return self._look(request) or self._answer(self._page.encode(), 'text/html')

    async def file(self, request: Request) -> Response:
        """One of the page's own files; they hold no secret."""
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

    def _look(self, request: Request) -> Response | None:
        reason = self._access.deny_view(request.headers, self._cookie(request))
        return self._refuse(reason) if reason else None

    def _act(self, request: Request) -> Response | None:
        reason = self._access.deny_action(request.headers, self._cookie(request))
        return self._refuse(reason) if reason else None

    def _refuse(self, reason: str, status: int = 403) -> Response:
        return PlainTextResponse(reason, status, self._headers)

    def _answer(self, body: bytes, kind: str) -> Response:
        return Response(body, media_type=kind, headers=self._headers)


async def until_one_ends(*both: Awaitable[None]) -> None:
    """Waits for whichever ends first, and cancels the others."""
    async with anyio.create_task_group() as group:

        async def run(one: Awaitable[None]) -> None:
            await one
            group.cancel_scope.cancel()

        for each in both:
            group.start_soon(run, each)
