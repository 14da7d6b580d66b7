"""The routes of a robot's page, with security headers and access checks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
import mimetypes

from anyio import Lock, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from bt_executive.client.front_end_requests import PagePort, StopPort
from bt_executive.view import page_files
from bt_executive.web.page_access import Access
from bt_executive.web.page_actions import MAX_REQUEST_CHARS, PageActions, as_json
from bt_executive.web.page_hub import Hub
from bt_executive.web.page_websocket import PageFeeds
from bt_executive.web.routes_of_every_page import PageRoutes
from rover_common.errors import RecordingError

Share = Callable[[str], tuple[str, bytes]]  # kind → file name and bytes
KINDS = ('report', 'film', 'run')


@dataclass(frozen=True)
class PageParts:
    """Dependencies of the routes.

    `stop_server_port`: port of the stop server. `share`: makes a download; runs in a thread.
    """

    access: Access
    hub: Hub
    actions: PageActions
    port: PagePort
    feeds: PageFeeds
    stop_server_port: int
    stop_port: StopPort
    share: Share | None = None


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
        files = {'page.css': page_files.live_style(), 'page.js': page_files.live_script()}
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
        return self._deny_view(request) or missing or self._picture(jpeg or b'')

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
        done = self._parts.actions.handle(await request.body())
        return JSONResponse(as_json(done), 200 if done.ok else 400, self._headers)

    async def stop(self, request: Request) -> Response:
        """Stops, if the stop server cannot be reached; answers with the result."""
        refused = self._deny_action(request)
        if refused is not None:
            return refused
        self._parts.port.call_service('stop')
        result = await to_thread.run_sync(self._parts.stop_port.stop)
        return JSONResponse({'ok': result.ok, 'text': result.text}, headers=self._headers)

    def _picture(self, jpeg: bytes) -> Response:
        """A picture never changes: the browser may cache it."""
        headers = {**self._headers, 'cache-control': 'private, max-age=86400, immutable'}
        return Response(jpeg, media_type='image/jpeg', headers=headers)
