"""The routes of a fleet's page; the rules of who may look and act are those of every page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from html import escape
import json
import mimetypes

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from bt_executive.view import assets
from bt_executive.view.data import to_json
from bt_executive.web.fleet_stop import FleetLine
from bt_executive.web.fleet_view import Tile
from bt_executive.web.page_access import Access, security_headers
from bt_executive.web.page_feed import BEAT_S, LONGEST_WORD, NOT_ALLOWED, SEND_LIMIT_S, TOO_SLOW

LOOK_S = 0.1  # between two looks at the tiles
STOPS_AT_ONCE = 64
FILES = {'fleet.css': assets.fleet_style, 'fleet.js': assets.fleet_script}
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="csrf" content="{csrf}">
<meta name="door" content="{door}">
<title>bt_executive: fleet</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/fleet.css">
<script defer src="/static/fleet.js"></script>
</head>
<body>
<noscript><p>This page needs JavaScript; bt-executive console does not.</p></noscript>
<main id="fleet"></main>
</body>
</html>
"""


@dataclass(frozen=True)
class FleetParts:
    """What the routes need.

    Attributes:
        access: Who may look and act.
        tiles: What is known of the robots now.
        links: To each robot's own page.
        picture: The latest live picture of a robot; empty: none.
        look: Somebody looks at the pictures; to be called again and again.
        line: Stops.
        door: Port of the stop's own way.
    """

    access: Access
    tiles: Callable[[], tuple[Tile, ...]]
    links: Mapping[str, str]
    picture: Callable[[str], bytes]
    look: Callable[[], None]
    line: FleetLine
    door: int


def make_fleet_app(parts: FleetParts) -> Starlette:
    """The application."""
    routes = FleetRoutes(parts)
    return Starlette(
        routes=[
            Route('/', routes.page),
            Route('/static/{name}', routes.file),
            Route('/camera/{robot:path}', routes.camera),
            Route('/stop', routes.stop_all, methods=['POST']),
            Route('/stop/{robot:path}', routes.stop_one, methods=['POST']),
            WebSocketRoute('/feed', routes.feed),
        ]
    )


class FleetRoutes:
    """One handler for each route."""

    def __init__(self, parts: FleetParts) -> None:
        self._parts, self._access = parts, parts.access
        self._headers = security_headers(parts.access.port, parts.door)
        self._page = PAGE.format(csrf=escape(parts.access.csrf), door=parts.door)
        self._files = {name: made().encode() for name, made in FILES.items()}
        self._stops = CapacityLimiter(STOPS_AT_ONCE)  # no other work of threads delays a stop

    async def page(self, request: Request) -> Response:
        """The page; a link with the token becomes a cookie, and an address without it."""
        token = request.query_params.get('token')
        if token is None or request.headers.get('host') not in self._access.hosts:
            return self._look(request) or self._answer(self._page.encode(), 'text/html')
        if not self._access.is_token(token):
            return self._refuse('The token of this link is not the right one.')
        response = RedirectResponse('/', 303, self._headers)
        response.set_cookie(self._access.cookie, token, httponly=True, samesite='lax')
        return response

    async def file(self, request: Request) -> Response:
        """One of the page's own files; they hold no secret."""
        name = request.path_params['name']
        if name not in self._files:
            return self._refuse('There is no such file.', 404)
        return self._answer(self._files[name], mimetypes.guess_type(name)[0] or 'text/plain')

    async def camera(self, request: Request) -> Response:
        """What a robot's camera sees now."""
        refused, robot = self._look(request), request.path_params['robot']
        if refused is not None:
            return refused
        jpeg = self._parts.picture(robot) if robot in self._parts.links else b''
        missing = None if jpeg else self._refuse('There is no picture of it.', 404)
        return missing or self._answer(jpeg, 'image/jpeg')

    async def stop_all(self, request: Request) -> Response:
        """Stops every robot; says what came of each."""
        refused = self._act(request)
        if refused is not None:
            return refused
        said = await to_thread.run_sync(self._parts.line.stop, limiter=self._stops)
        robots = {name: {'ok': each.ok, 'text': each.text} for name, each in said.robots.items()}
        answer = {'ok': said.ok, 'text': said.text, 'robots': robots}
        return JSONResponse(answer, headers=self._headers)

    async def stop_one(self, request: Request) -> Response:
        """Stops one robot; says what came of it."""
        refused, robot = self._act(request), request.path_params['robot']
        if refused is not None:
            return refused
        if robot not in self._parts.links:
            names = ', '.join(self._parts.links)
            return self._refuse(f'There is no robot {robot!r:.80}; there are: {names}.', 404)
        said = await to_thread.run_sync(self._parts.line.stop_one, robot, limiter=self._stops)
        return JSONResponse({'ok': said.ok, 'text': said.text}, headers=self._headers)

    async def feed(self, socket: WebSocket) -> None:
        """Sends the tiles whenever they have changed."""
        cookie = socket.cookies.get(self._access.cookie, '')
        reason = self._access.why_not_connect(socket.headers, cookie)
        await socket.accept()
        if reason:
            await socket.close(NOT_ALLOWED, reason)
            return
        async with anyio.create_task_group() as group:
            group.start_soon(self._until_one_ends, group.cancel_scope, self._receive(socket))
            group.start_soon(self._until_one_ends, group.cancel_scope, self._send(socket))

    async def _until_one_ends(self, both: anyio.CancelScope, one: Awaitable[None]) -> None:
        await one
        both.cancel()

    async def _send(self, socket: WebSocket) -> None:
        hello = {'links': self._parts.links, 'read_only': self._access.read_only}
        sent, sent_at = f'{{"hello":{json.dumps(hello)}}}', anyio.current_time()
        try:
            with anyio.fail_after(SEND_LIMIT_S):
                await socket.send_text(sent)
            while True:
                text = f'{{"fleet":{to_json(self._parts.tiles())}}}'
                if text != sent or anyio.current_time() - sent_at >= BEAT_S:
                    with anyio.fail_after(SEND_LIMIT_S):
                        await socket.send_text(text)
                    sent, sent_at = text, anyio.current_time()
                await anyio.sleep(LOOK_S)
        except TimeoutError:
            await socket.close(TOO_SLOW)
        except (WebSocketDisconnect, RuntimeError):
            return  # it has gone while something was being sent

    async def _receive(self, socket: WebSocket) -> None:
        """Any message says that the pictures are looked at."""
        with suppress(RuntimeError):  # it has gone
            while (message := await socket.receive())['type'] != 'websocket.disconnect':
                if len(message.get('text') or '') <= LONGEST_WORD:
                    self._parts.look()

    def _look(self, request: Request) -> Response | None:
        cookie = request.cookies.get(self._access.cookie, '')
        reason = self._access.why_not_look(request.headers, cookie)
        return self._refuse(reason) if reason else None

    def _act(self, request: Request) -> Response | None:
        cookie = request.cookies.get(self._access.cookie, '')
        reason = self._access.why_not_act(request.headers, cookie)
        return self._refuse(reason) if reason else None

    def _refuse(self, reason: str, status: int = 403) -> Response:
        return PlainTextResponse(reason, status, self._headers)

    def _answer(self, body: bytes, kind: str) -> Response:
        return Response(body, media_type=kind, headers=self._headers)
