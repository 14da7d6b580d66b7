"""`bt-executive web`: the server of a page with its hub and stop server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
import socket
import time
import uuid

from starlette.applications import Starlette
import uvicorn

from bt_executive.client.front_end_events import ClientEvent
from bt_executive.client.front_end_ports import PagePort, StopPort
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.web.effects_of_edited_calls import ChangedCalls
from bt_executive.web.operator_view import OperatorViewFold
from bt_executive.web.page_access import Access, new_token
from bt_executive.web.page_actions import PageActions
from bt_executive.web.page_feed import Hub, PageFeeds
from bt_executive.web.page_routes import PageParts, Share, make_app
from bt_executive.web.page_snapshots_and_patches import LivePageData
from bt_executive.web.stop_server import StopServer
from bt_executive.web.stops_of_pages import StopsOfPages
from rover_common.config.settings import Config
from rover_common.process.loopback import HOST, listen_on_loopback
from rover_common.process.process_end import ending_signals, watch_lifeline
from rover_common.process.unfinished_http_requests import HttpConnection

FIRST_PORT, LAST_PORT = 8700, 8719
TOKEN_VARIABLE = 'BT_EXECUTIVE_WEB_TOKEN'
END_S = 1

MakePagePort = Callable[[Config, Callable[[ClientEvent], None], Sequence[str]], PagePort]
MakeStopPort = Callable[[Config, Sequence[str]], StopPort]


@dataclass(frozen=True)
class WebOptions:
    """One page's server.

    Attributes:
        port: To listen on; 0: the first free one from `FIRST_PORT` on.
        read_only: Whether pages may not act.
        quiet: Whether the link is not printed.
        share: Makes a download of a kind; returns its name and bytes; None: not available.
        began: Begin of the run in system s; None: not known.
    """

    config: Config
    ros_arguments: Sequence[str]
    name: str
    port: int = 0
    read_only: bool = False
    quiet: bool = False
    share: Share | None = None
    began: float | None = None


def link(port: int, token: str) -> str:
    """Return the address that opens the page."""
    return f'http://{HOST}:{port}/?token={token}'


def free_port(wanted: int = 0) -> int:
    """Return a free port: the wanted one, or the first from `FIRST_PORT` on.

    Raises:
        UsageError: There is none.
    """
    with listen_on(wanted) as listening:
        port: int = listening.getsockname()[1]
        return port


def listen_on(wanted: int) -> socket.socket:
    """Return a socket that listens on loopback.

    Raises:
        UsageError: The wanted port, or each of the default range, is in use.
    """
    return listen_on_loopback(wanted, FIRST_PORT, LAST_PORT)


class PageServer:
    """The server of one robot's page, on loopback, with its own connections to the robot.

    Args:
        closing: Closes everything at the end.

    Raises:
        UsageError: No port is free, or ROS refuses a node.
    """

    def __init__(
        self,
        options: WebOptions,
        make_port: MakePagePort,
        make_stop: MakeStopPort,
        token: str,
        closing: ExitStack,
    ) -> None:
        self._listening = closing.enter_context(listen_on(options.port))
        self.port_number: int = self._listening.getsockname()[1]
        access = Access(token, self.port_number, options.read_only)
        can_share = options.share is not None
        stage = LivePageData(options.name, options.config, time.time, can_share, options.began)
        closing.callback(stage.pictures.close)
        self.hub = Hub(stage, OperatorViewFold(time.monotonic, options.config))
        self.port = make_port(options.config, self.hub.put, options.ros_arguments)
        closing.callback(self.port.close)
        self.stop_port = make_stop(options.config, options.ros_arguments)
        closing.callback(self.stop_port.close)
        stops = StopsOfPages()
        stop_server = StopServer(
            access, self.stop_port, lambda: self.port.call_service('stop'), stops
        )
        closing.callback(stop_server.close)
        server_id = uuid.uuid4().hex
        changes = ChangedCalls(options.config, lambda: stage.current)
        actions = PageActions(
            server_id,
            Vocabulary(options.config),
            self.port,
            stage.knows_goal,
            changes.describe,
            stops,
        )
        feeds = PageFeeds(self.hub, access, self.port, server_id)
        parts = PageParts(
            access,
            self.hub,
            actions,
            self.port,
            feeds,
            stop_server.port,
            self.stop_port,
            options.share,
            stops,
        )
        self._server = make_server(make_app(parts))

    def serve(self) -> None:
        """Serves the page until `end`."""
        self._server.run(sockets=[self._listening])

    def end(self) -> None:
        """Lets `serve` return. Thread-safe."""
        self._server.should_exit = True


def make_server(app: Starlette) -> uvicorn.Server:
    """Make a server for an application on loopback."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=HttpConnection,
            log_level='warning',
            access_log=False,
            timeout_graceful_shutdown=END_S,
            ws_per_message_deflate=False,  # on loopback, compression only delays
        )
    )


def run_web(
    options: WebOptions,
    make_port: MakePagePort,
    make_stop: MakeStopPort,
    environment: Mapping[str, str],
) -> bool:
    """Serves a page until a signal or the end of its supervisor; returns True for a signal."""
    with ending_signals() as ending, ExitStack() as closing:
        token = environment.get(TOKEN_VARIABLE) or new_token()
        server = PageServer(options, make_port, make_stop, token, closing)
        ending.then(server.end)
        watch_lifeline(server.end)
        server.port.subscribe_page_topics()
        if not options.quiet:
            print(f'The page: {link(server.port_number, token)}')
            print('The system keeps running when this server ends. Ctrl-C ends it.', flush=True)
        server.serve()
    return ending.requested
