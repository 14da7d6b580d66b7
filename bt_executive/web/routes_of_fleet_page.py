"""The routes of a fleet page, with the access rules of every page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
import json

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from bt_executive.view import page_files
from bt_executive.view.page_data import to_json
from bt_executive.web.fleet_stop import STOPS_AT_ONCE, FleetStopPort
from bt_executive.web.fleet_view import Tile
from bt_executive.web.page_access import Access
from bt_executive.web.page_websocket import (
    HEARTBEAT_S,
    MAX_MESSAGE_CHARS,
    OpenPages,
    closing_lost_page,
    send_within,
)
from bt_executive.web.routes_of_every_page import PageRoutes, until_one_ends

POLL_S = 0.1  # period of reading the tiles


@dataclass(frozen=True)
class FleetParts:
    """Dependencies of the routes.

    Attributes:
        access: The access rules.
        tiles: Returns the current tiles.
        links: To each robot's page, by name.
        picture: Returns the latest live picture of a robot; empty: there is none.
        request_pictures: To be called repeatedly while a page shows pictures.
        stop_port: Stops the robots.
        stop_server_port: Port of the stop server.
    """

    access: Access
    tiles: Callable[[], tuple[Tile, ...]]
    links: Mapping[str, str]
    picture: Callable[[str], bytes]
    request_pictures: Callable[[], None]
    stop_port: FleetStopPort
    stop_server_port: int


def make_fleet_app(parts: FleetParts) -> Starlette:
    """Make the application of a fleet page."""
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


class FleetRoutes(PageRoutes):
    """Handlers of the routes."""

    def __init__(self, parts: FleetParts) -> None:
        files = {'fleet.css': page_files.fleet_style(), 'fleet.js': page_files.fleet_script()}
        root = '<main id="fleet"></main>'
        super().__init__(parts.access, parts.stop_server_port, 'bt_executive: fleet', root, files)
        self._parts = parts
        self._pages = OpenPages(parts.access)
        self._stops = CapacityLimiter(
            STOPS_AT_ONCE
        )  # so that no other work of threads delays a stop

    async def camera(self, request: Request) -> Response:
        """Serves the latest picture of a robot's camera."""
        refused, robot = self._deny_view(request), request.path_params['robot']
        if refused is not None:
            return refused
        jpeg = self._parts.picture(robot) if robot in self._parts.links else b''
        missing = None if jpeg else self._refuse('No picture of this robot has come yet.', 404)
        return missing or self._answer(jpeg, 'image/jpeg')

    async def stop_all(self, request: Request) -> Response:
        """Stops every robot; answers with the result of each."""
        refused = self._deny_action(request)
        if refused is not None:
            return refused
        result = await to_thread.run_sync(self._parts.stop_port.stop, limiter=self._stops)
        robots = {name: {'ok': each.ok, 'text': each.text} for name, each in result.robots.items()}
        answer = {'ok': result.ok, 'text': result.text, 'robots': robots}
        return JSONResponse(answer, headers=self._headers)

    async def stop_one(self, request: Request) -> Response:
        """Stops one robot; answers with the result."""
        refused, robot = self._deny_action(request), request.path_params['robot']
        if refused is not None:
            return refused
        if robot not in self._parts.links:
            names = ', '.join(self._parts.links)
            return self._refuse(f'There is no robot {robot!r:.80}; there are: {names}.', 404)
        result = await to_thread.run_sync(
            self._parts.stop_port.stop_one, robot, limiter=self._stops
        )
        return JSONResponse({'ok': result.ok, 'text': result.text}, headers=self._headers)

    async def feed(self, socket: WebSocket) -> None:
        """Sends the tiles whenever they have changed."""
        async with self._pages.enter(socket) as entered:
            if entered:
                await until_one_ends(self._receive(socket), self._send(socket))

    async def _send(self, socket: WebSocket) -> None:
        hello = {'links': self._parts.links, 'read_only': self._access.read_only}
        sent: tuple[Tile, ...] | None = None
        sent_at = anyio.current_time()
        async with closing_lost_page(socket):
            await send_within(socket, json.dumps({'hello': hello}))
            while True:
                tiles = self._parts.tiles()
                if tiles != sent or anyio.current_time() - sent_at >= HEARTBEAT_S:
                    await send_within(socket, f'{{"fleet":{to_json(tiles)}}}')
                    sent, sent_at = tiles, anyio.current_time()
                await anyio.sleep(POLL_S)

    async def _receive(self, socket: WebSocket) -> None:
        """Receives messages; each requests pictures."""
        with suppress(RuntimeError):  # it has gone
            while (message := await socket.receive())['type'] != 'websocket.disconnect':
                if len(message.get('text') or '') <= MAX_MESSAGE_CHARS:
                    self._parts.request_pictures()
