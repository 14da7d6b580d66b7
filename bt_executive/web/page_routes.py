"""The routes of every page, and those of a robot's page: HTML, files, pictures, requests, stop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
import mimetypes

from anyio import Lock, to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute

from bt_executive.client.front_end_ports import PagePort, StopPort
from bt_executive.view.page_files import LIVE_SCRIPTS, LIVE_STYLES, font, joined
from bt_executive.web.page_access import Access, security_headers
from bt_executive.web.page_actions import MAX_REQUEST_CHARS, PageActions
from bt_executive.web.page_feed import Hub, PageFeeds
from bt_executive.web.stops_of_pages import StopsOfPages
from rover_common.errors import RecordingError

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
Share = Callable[[str], tuple[str, bytes]]  # kind → file name and bytes
KINDS = ('report', 'film', 'run')
PAGE_STOP_HEADER = 'x-page-stop'  # of a stop: what `StopsOfPages` notes


class PageRoutes:
    """Handlers of the common routes.

    Args:
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
        self._files['japanese.woff2'] = font()

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


@dataclass(frozen=True)
class PageParts:
    """Dependencies of the routes.

    `stop_server_port`: port of the stop server. `share`: makes a download; runs in a thread.
    `stops`: in which a stop of a page is noted.
    """

    access: Access
    hub: Hub
    actions: PageActions
    port: PagePort
    feeds: PageFeeds
    stop_server_port: int
    stop_port: StopPort
    share: Share | None = None
    stops: StopsOfPages = field(default_factory=StopsOfPages)


def make_app(parts: PageParts) -> Starlette:
    """Make the application of a robot's page."""
    routes = Routes(parts)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        parts.hub.begin()
        yield

    return Starlette(
        routes=[
            Route('/', routes.page),
            Route('/static/{name:path}', routes.file),
            Route('/pictures/{name}', routes.picture),
            Route('/camera.jpg', routes.camera),
            Route('/share/{kind}', routes.share),
            Route('/act', routes.act, methods=['POST']),
            Route('/stop', routes.stop, methods=['POST']),
            WebSocketRoute('/feed', parts.feeds.serve),
        ],
        lifespan=lifespan,
    )


class Routes(PageRoutes):
    """Handlers of the routes."""

    def __init__(self, parts: PageParts) -> None:
        files = {'page.css': joined(LIVE_STYLES), 'page.js': joined(LIVE_SCRIPTS)}
        root = '<div id="stage"></div>'
        super().__init__(parts.access, parts.stop_server_port, 'bt_executive', root, files)
        self._parts = parts
        self._sharing = Lock()

    async def page(self, request: Request) -> Response:
        """Serves the page, and requests the camera for the first paint."""
        answer = await super().page(request)
        if answer.status_code == HTTPStatus.OK:
            self._parts.port.request_camera()
        return answer

    async def picture(self, request: Request) -> Response:
        """Serves a scored picture."""
        jpeg = self._parts.hub.stage.pictures.jpeg(request.path_params['name'])
        missing = None if jpeg else self._refuse('That picture is not kept any more.', 404)
        # A picture never changes: the browser may cache it.
        headers = {**self._headers, 'cache-control': 'private, max-age=86400, immutable'}
        found = Response(jpeg, media_type='image/jpeg', headers=headers)
        return self._deny_view(request) or missing or found

    async def camera(self, request: Request) -> Response:
        """Serves the latest picture of the camera."""
        jpeg = self._parts.hub.desk.camera
        missing = None if jpeg else self._refuse('The camera has sent nothing yet.', 404)
        return self._deny_view(request) or missing or self._answer(jpeg, 'image/jpeg')

    async def share(self, request: Request) -> Response:
        """Serves the run so far as a report, a film or a zip; one is made at a time."""
        refused, kind, make = (
            self._deny_view(request),
            request.path_params['kind'],
            self._parts.share,
        )
        if refused is not None:
            return refused
        if make is None or kind not in KINDS:
            return self._refuse('The folder of this run is not known here.', 404)
        async with self._sharing:
            try:
                name, content = await to_thread.run_sync(make, kind)
            except RecordingError as error:
                return self._refuse(str(error), 409)
            except OSError as error:  # such as a temporary folder that is full
                return self._refuse(f'It cannot be made now ({error.strerror}).', 507)
        type_ = mimetypes.guess_type(name)[0] or 'application/octet-stream'
        headers = {**self._headers, 'content-disposition': f'attachment; filename="{name}"'}
        return Response(content, media_type=type_, headers=headers)

    async def act(self, request: Request) -> Response:
        """Carries out a request of the page, once."""
        refused = self._deny_action(request)
        if refused is not None:
            return refused
        if int(request.headers.get('content-length') or MAX_REQUEST_CHARS + 1) > MAX_REQUEST_CHARS:
            return self._refuse('That request is too long.', 413)
        try:
            body = await request.body()
        except ClientDisconnect:
            return self._refuse('That request did not come whole.', 400)
        done = self._parts.actions.handle(body)
        return JSONResponse(vars(done), 200 if done.ok else 400, self._headers)

    async def stop(self, request: Request) -> Response:
        """Stops, if the stop server cannot be reached; answers with the result.

        The body is not read: it may come late, or not at all.
        """
        refused = self._deny_action(request)
        if refused is not None:
            return refused
        self._parts.stops.note(request.headers.get(PAGE_STOP_HEADER, ''))
        self._parts.port.call_service('stop')
        result = await to_thread.run_sync(self._parts.stop_port.stop)
        return JSONResponse({'ok': result.ok, 'text': result.text}, headers=self._headers)
