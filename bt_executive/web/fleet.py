"""`bt-executive web --robots`: a fleet page with a tile for each robot, and a page per robot.

Every robot has its own page, server and connections, as if it were alone. The fleet page only
reads their views, and uses their stop ports. So a robot that hangs delays no other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
import time

from bt_executive.view.current_view import CurrentView
from bt_executive.web.fleet_stop import FleetStopPort
from bt_executive.web.fleet_view import Tiles
from bt_executive.web.operator_view import OperatorView
from bt_executive.web.page_access import Access, new_token
from bt_executive.web.page_hub import Hub
from bt_executive.web.routes_of_fleet_page import FleetParts, make_fleet_app
from bt_executive.web.stop_socket import StopServer
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

        tiles = Tiles({name: partial(_views, each.hub) for name, each in servers.items()})

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


def _views(hub: Hub) -> tuple[OperatorView, CurrentView]:
    return hub.desk.view, hub.stage.current
