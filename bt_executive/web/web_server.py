"""`bt-executive web`: hub, doors and server put together, until somebody ends it."""

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
from bt_executive.web.changed_calls import ChangedCalls
from bt_executive.web.live_page_data import LivePageData
from bt_executive.web.operator_view import make_operator_view
from bt_executive.web.page_access import Access, new_token
from bt_executive.web.page_actions import PageActions
from bt_executive.web.page_hub import Hub
from bt_executive.web.page_websocket import PageFeeds
from bt_executive.web.routes_of_robot_page import PageParts, Share, make_app
from bt_executive.web.stop_socket import StopServer
from rover_common.config.settings import Config
from rover_common.process.ending_signals import ending_signals
from rover_common.process.lifeline import watch_lifeline
from rover_common.process.loopback import HOST, listen_on_loopback
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
        name: Of the run, as the page shows it.
        port: To listen on; 0: the first free one from `FIRST_PORT` on.
        read_only: Nobody may act at the page.
        quiet: Somebody else has told the link.
        share: Makes the file to be downloaded, of a kind: its name and bytes; None: not known.
        began: When the run did, in system s; None: not known.
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
    """The address that opens the page."""
    return f'http://{HOST}:{port}/?token={token}'


def free_port(wanted: int = 0) -> int:
    """A port that is free at this moment: the wanted one, or the first from `FIRST_PORT` on.

    Raises:
        UsageError: None is.
    """
    with listen_on(wanted) as listening:
        port: int = listening.getsockname()[1]
        return port


def listen_on(wanted: int) -> socket.socket:
    """A socket that listens on loopback.

    Raises:
        UsageError: The wanted port is taken, or all of ours are.
    """
    return listen_on_loopback(wanted, FIRST_PORT, LAST_PORT)


class PageServer:
    """One robot's page: its server on loopback, and its own ways to the robot.

    Args:
        options: What is served.
        make_port: Makes what the page asks of the ROS side.
        make_stop: Makes the stop's own way.
        token: That opens the page.
        closing: Closes all of it in the end.

    Attributes:
        number: Of the port that it listens on.
        hub: What pages are shown.
        port: What pages ask.
        line: The stop's own way.

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
        self.number: int = self._listening.getsockname()[1]
        access = Access(token, self.number, options.read_only)
        can_share = options.share is not None
        stage = LivePageData(
            options.name, options.config, time.time, _facts(options), can_share, options.began
        )
        closing.callback(stage.pictures.close)
        self.hub = Hub(stage, make_operator_view(options.config, time.monotonic))
        self.port = make_port(options.config, self.hub.put, options.ros_arguments)
        closing.callback(self.port.close)
        self.line = make_stop(options.config, options.ros_arguments)
        closing.callback(self.line.close)
        door = StopServer(access, self.line, lambda: self.port.call_service('stop'))
        closing.callback(door.close)
        life = uuid.uuid4().hex
        changes = ChangedCalls(options.config, lambda: stage.current)
        actions = PageActions(
            life, Vocabulary(options.config), self.port, stage.knows_goal, changes.in_words
        )
        feeds = PageFeeds(self.hub, access, self.port, life)
        parts = PageParts(
            access, self.hub, actions, self.port, feeds, door.port, self.line, options.share
        )
        self._server = make_server(make_app(parts))

    def serve(self) -> None:
        """Serves the page until `end`."""
        self._server.run(sockets=[self._listening])

    def end(self) -> None:
        """Lets `serve` return; may be called in any thread."""
        self._server.should_exit = True


def make_server(app: Starlette) -> uvicorn.Server:
    """A server of pages on this machine."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=HttpConnection,
            log_level='warning',
            access_log=False,
            timeout_graceful_shutdown=END_S,
            ws_per_message_deflate=False,  # loopback is fast: compressing only delays
        )
    )


def run_web(
    options: WebOptions,
    make_port: MakePagePort,
    make_stop: MakeStopPort,
    environment: Mapping[str, str],
) -> bool:
    """Serves pages until a signal or the end of its supervisor; returns whether a signal came."""
    with ending_signals() as ending, ExitStack() as closing:
        token = environment.get(TOKEN_VARIABLE) or new_token()
        cockpit = PageServer(options, make_port, make_stop, token, closing)
        ending.then(cockpit.end)
        watch_lifeline(cockpit.end)
        cockpit.port.subscribe_page_topics()
        if not options.quiet:
            print(f'The page: {link(cockpit.number, token)}')
            print('The system keeps running when this server ends. Ctrl-C ends it.', flush=True)
        cockpit.serve()
    return ending.requested


def _facts(options: WebOptions) -> list[tuple[str, str]]:
    config = options.config
    planner = config.executive.planner
    return [
        ('Planner', ' '.join(part for part in (planner.provider, planner.model) if part)),
        ('Variant', config.executive.variant),
        *([('World', config.world.name)] if config.has_world else []),
    ]
