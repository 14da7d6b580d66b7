"""Runs the gateway: an asyncio loop in its own thread, on one port."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
import errno
import socket
import threading
from typing import Any, TypeVar

from starlette.types import ASGIApp
import uvicorn

from rover_common.errors import UsageError
from rover_common.process.threads import make_thread
from rover_common.process.unfinished_http_requests import HttpConnection

KEEP_ALIVE_S = 30.0  # between pings, and until one must be answered
PORTS = 65536
LARGEST_FRAME = 1 << 16  # bytes from a client; pictures come by HTTP
END_S = 3.0
DATE_S = 1.0  # of the header with the date
Result = TypeVar('Result')


def listening_socket(host: str, port: int, tries: int = 1) -> socket.socket:
    """Return a socket on this port; 0: the system chooses one.

    `tries`: if the port is in use, so many are tried, this one and those after it.

    Raises:
        UsageError: It cannot be had.
    """
    highest = min(port + tries, PORTS) - 1 if port else 0
    for each in range(port, highest):
        try:
            return _listening(host, each)
        except _PortInUseError:
            continue
    try:
        return _listening(host, highest)
    except _PortInUseError:
        which = f'Port {port} is' if highest == port else f'The ports {port} to {highest} are'
        raise UsageError(
            f'{which} in use at {host}, so the vision gateway cannot start: name another one with '
            '--set vision.port=N, or leave it out with --without vision.'
        ) from None


class _PortInUseError(Exception):
    """The port is in use."""


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host.strip('[]'), port))
        listening.listen(2048)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise _PortInUseError from None
        raise UsageError(
            f'The vision gateway cannot listen on {host} port {port} ({error.strerror}): set '
            'vision.host and vision.port.'
        ) from None
    return listening


class _Server(uvicorn.Server):
    """Wakes up once a second for the date header; uvicorn does ten times."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._leaving = asyncio.Event()

    def leave(self) -> None:
        """Let `serve` return; to be called in the loop."""
        self.should_exit = True
        self._leaving.set()

    async def main_loop(self) -> None:
        """Wait until it is to leave."""
        while not await self.on_tick(counter=0):
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._leaving.wait(), DATE_S)


class GatewayServer:
    """The thread with the loop.

    Args:
        listening: A socket that listens; closed at the end.
        make_app: Called once in the loop; makes the application and whatever else lives there.
        before_end: Called in the loop before connections are closed.
    """

    def __init__(
        self,
        listening: socket.socket,
        make_app: Callable[[], ASGIApp],
        before_end: Callable[[], None] = lambda: None,
    ) -> None:
        self.port = int(listening.getsockname()[1])
        self._listening = listening
        self._make_app = make_app
        self._before_end = before_end
        self._ready = threading.Event()
        self._fault: BaseException | None = None
        self._server: _Server | None = None
        self.loop = asyncio.new_event_loop()
        self._thread = make_thread(self._run, 'vision gateway', self._broke_off)

    @property
    def alive(self) -> bool:
        """Return whether it serves."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the thread; return when clients are served."""
        self._thread.start()
        self._ready.wait()
        if self._fault is not None:
            raise self._fault

    def submit(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Run a coroutine in the loop, from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def call(self, work: Callable[[], None]) -> None:
        """Call a function in the loop, from any thread; nothing if it has ended."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(work)

    def end(self) -> None:
        """Close all connections and end the thread."""
        if self._server is not None and self.alive:
            self.call(self._before_end)
            self.call(self._server.leave)
            self._thread.join(END_S)
        self._listening.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_until_complete(self._serve())
        finally:
            self.loop.close()

    def _broke_off(self, fault: BaseException) -> None:
        """Handle a fault: before it serves, `start` raises it; later, it ends this process."""
        if self._ready.is_set():
            raise fault
        self._fault = fault
        self._ready.set()

    async def _serve(self) -> None:
        config = uvicorn.Config(
            self._make_app(),
            loop='none',
            http=HttpConnection,
            ws='websockets-sansio',
            ws_max_size=LARGEST_FRAME,
            ws_ping_interval=KEEP_ALIVE_S,
            ws_ping_timeout=KEEP_ALIVE_S,
            ws_per_message_deflate=False,
            log_config=None,
            access_log=False,
            lifespan='off',
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        self._server = _Server(config)
        serving = asyncio.ensure_future(self._server.serve(sockets=[self._listening]))
        while not self._server.started and not serving.done():
            await asyncio.sleep(0.005)
        self._ready.set()
        await serving
