"""`bt-executive web --robots`: a page with a tile for each robot, and each robot's own page.

Every robot has its own page, server and ways to it, as if it were alone; the fleet's page only
reads what these know, and stops by their stop lines. So a robot that hangs delays no other.
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
from rover_common.process.ending_signals import ending_signals
from rover_common.process.lifeline import watch_lifeline
from rover_common.process.threads import start_thread


def run_fleet(
    robots: Sequence[WebOptions],
    port: int,
    make_port: MakePagePort,
    make_stop: MakeStopPort,
    environment: Mapping[str, str],
) -> bool:
    """Serves the pages of all robots until a signal; returns whether one came.

    Args:
        robots: Their `name` is that of the tile; each listens on a free port.
        port: Of the fleet's page; 0: the first free one.
        make_port: As for one page.
        make_stop: As for one page.
        environment: May hold the token.

    Raises:
        UsageError: There are not enough ports, or ROS refuses a node.
    """
    with ending_signals() as ending, ExitStack() as closing:
        token = environment.get(TOKEN_VARIABLE) or new_token()
        listening = closing.enter_context(listen_on(port))
        number = listening.getsockname()[1]
        cockpits = {
            each.name: PageServer(each, make_port, make_stop, token, closing) for each in robots
        }
        line = FleetStopPort(
            {name: each.line for name, each in cockpits.items()},
            lambda name: cockpits[name].port.call_service('stop'),
        )
        closing.callback(line.close)
        access = Access(token, number, robots[0].read_only)
        door = StopServer(access, line, lambda: None)
        closing.callback(door.close)

        tiles = Tiles({name: partial(_known, each.hub) for name, each in cockpits.items()})

        def look() -> None:
            for each in cockpits.values():
                each.port.request_camera()

        parts = FleetParts(
            access,
            lambda: tiles.at(time.monotonic()),
            {name: link(each.number, token) for name, each in cockpits.items()},
            lambda name: cockpits[name].hub.desk.camera,
            look,
            line,
            door.port,
        )
        server = make_server(make_fleet_app(parts))

        def end() -> None:
            server.should_exit = True
            for each in cockpits.values():
                each.end()

        ending.then(end)
        watch_lifeline(end)
        threads = [start_thread(each.serve, f'page of {name}') for name, each in cockpits.items()]
        for each in cockpits.values():
            each.port.subscribe_page_topics()
        print(f'The fleet: {link(number, token)}')
        print('The robots keep running when this server ends. Ctrl-C ends it.', flush=True)
        server.run(sockets=[listening])
        end()
        for thread in threads:
            thread.join()
    return ending.requested


def _known(hub: Hub) -> tuple[OperatorView, CurrentView]:
    return hub.desk.view, hub.stage.current
