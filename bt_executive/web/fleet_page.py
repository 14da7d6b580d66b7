"""The page of a fleet, `bt-executive web --robots`: server, routes, stops of all robots.

Every robot has its own page, server and connections, as if it were alone. The fleet page only
reads their views, and uses their stop ports. So a robot that hangs delays no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
import json
import time

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from bt_executive.client.front_end_ports import StopPort, StopResult
from bt_executive.view.page_data_fields_and_json import to_json
from bt_executive.view.page_files import FLEET_SCRIPTS, FLEET_STYLES, joined
from bt_executive.web.fleet_tiles import Tile, Tiles
from bt_executive.web.page_access import Access, new_token
from bt_executive.web.page_feed import (
    HEARTBEAT_S,
    MAX_MESSAGE_CHARS,
    OpenPages,
    closing_lost_page,
    send_within,
    until_one_ends,
)
from bt_executive.web.page_routes import PageRoutes
from bt_executive.web.stop_server import StopServer
from bt_executive.web.web_server import (
    TOKEN_VARIABLE,
    MakePagePort,
    MakeStopPort,
    PageServer,
    WebOptions,
    link,
    listen_on,
    make_server,
)
from rover_common.process.process_end import ending_signals, watch_lifeline
from rover_common.process.threads import start_thread

STOPS_AT_ONCE = 64
POLL_S = 0.1  # period of reading the tiles


@dataclass(frozen=True)
class FleetStop(StopResult):
    """The result of a stop of several robots. `robots`: the result of each, by name."""

    robots: Mapping[str, StopResult]


class FleetStopPort:
    """Stops all robots at once, each by its own stop port. Thread-safe.

    Args:
        stop_ports: By name of the robot.
        on_stop: Called for each robot, to cancel unsent requests; must not block.
    """

    def __init__(self, stop_ports: Mapping[str, StopPort], on_stop: Callable[[str], None]) -> None:
        self._stop_ports, self._on_stop = stop_ports, on_stop
        self._threads = ThreadPoolExecutor(2 * len(stop_ports), 'stop of a fleet')

    def stop(self) -> FleetStop:
        """Stops all robots; returns after the last answer, within about 1 s."""
        futures = {name: self._threads.submit(self.stop_one, name) for name in self._stop_ports}
        robots = {name: each.result() for name, each in futures.items()}
        ordered = sorted(robots.items(), key=lambda each: each[1].ok)  # unconfirmed ones first
        text = ' · '.join(f'{name}: {result.text}' for name, result in ordered)
        return FleetStop(all(each.ok for each in robots.values()), text, robots)

    def stop_one(self, name: str) -> StopResult:
        """Stops one robot."""
        self._on_stop(name)
        return self._stop_ports[name].stop()

    def close(self) -> None:
        """Ends the threads; the stop ports stay open."""
        self._threads.shutdown(wait=False)


@dataclass(frozen=True)
class FleetParts:
    """Dependencies of the routes.

    Attributes:
        links: To each robot's page, by name.
        picture: Returns the latest live picture of a robot; empty: there is none.
        request_pictures: To be called repeatedly while a page shows pictures.
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
        files = {'fleet.css': joined(FLEET_STYLES), 'fleet.js': joined(FLEET_SCRIPTS)}
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


def run_fleet(
    robots: Sequence[WebOptions],
    port: int,
    make_port: MakePagePort,
    make_stop: MakeStopPort,
    environment: Mapping[str, str],
) -> bool:
    """Serves the pages of all robots until a signal; returns whether there was one.

    Args:
        robots: Options of each page; `name` is that of the tile. Each listens on a free port.
        port: Of the fleet page; 0: the first free one.
        make_port: See `PageServer`.
        make_stop: See `PageServer`.
        environment: May contain the token.

    Raises:
        UsageError: There are not enough ports, or ROS refuses a node.
    """
    with ending_signals() as ending, ExitStack() as closing:
        token = environment.get(TOKEN_VARIABLE) or new_token()
        listening = closing.enter_context(listen_on(port))
        port_number = listening.getsockname()[1]
        servers = {
            each.name: PageServer(each, make_port, make_stop, token, closing) for each in robots
        }
        stop_port = FleetStopPort(
            {name: each.stop_port for name, each in servers.items()},
            lambda name: servers[name].port.call_service('stop'),
        )
        closing.callback(stop_port.close)
        access = Access(token, port_number, robots[0].read_only)
        stop_server = StopServer(access, stop_port, lambda: None)
        closing.callback(stop_server.close)

        tiles = Tiles({name: each.hub.views for name, each in servers.items()})

        def request_pictures() -> None:
            for each in servers.values():
                each.port.request_camera()

        parts = FleetParts(
            access,
            lambda: tiles.at(time.monotonic()),
            {name: link(each.port_number, token) for name, each in servers.items()},
            lambda name: servers[name].hub.desk.camera,
            request_pictures,
            stop_port,
            stop_server.port,
        )
        server = make_server(make_fleet_app(parts))

        def end() -> None:
            server.should_exit = True
            for each in servers.values():
                each.end()

        ending.then(end)
        watch_lifeline(end)
        threads = [start_thread(each.serve, f'page of {name}') for name, each in servers.items()]
        for each in servers.values():
            each.port.subscribe_page_topics()
        print(f'The fleet: {link(port_number, token)}')
        print('The robots keep running when this server ends. Ctrl-C ends it.', flush=True)
        server.run(sockets=[listening])
        end()
        for thread in threads:
            thread.join()
    return ending.requested
