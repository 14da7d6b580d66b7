"""What the vision gateway adds to a look, against a bare socket and POST in the same run.

A look: the request goes out, a picture of 200 KB comes in, the waiter wakes. The client is a
process of its own and answers at once. The bare server has the same web server under it, and does
nothing but read the body. Both are asked in turns, so that a busy machine disturbs them alike.
Then 1,000 looks wait at once, and none may be lost; and the preamble is read letter by letter.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
import io
import json
from pathlib import Path
import subprocess
import sys
import tempfile
import time
from typing import Any

from fakes.vision import FakeChat, FakeResource
import numpy as np
from PIL import Image
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from bench import _answering_client
from bench._figures import percentile, report, report_times
from rover_common.config.load import load_config
from rover_vision.capture.connected_clients import Source
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.chat.vision_request_line import MARK, PreambleParser
from rover_vision.gateway.client_sockets_and_rover_camera import Events
from rover_vision.gateway.gateway_routes import Parts, make_app
from rover_vision.gateway.gateway_server import GatewayServer, listening_socket
from rover_vision.look_request_and_result import PictureSet

ROUNDS, WARM_UP = 300, 20
AT_ONCE = 1000
PICTURE_KB = 200  # of what `_answer` makes
TOKEN = 'bench token'
P99_TARGET_MS, RATIO_TARGET, PREAMBLE_TARGET_MS = 10.0, 2.0, 1.0
PATIENCE_S = 600.0
Look = Callable[[], Coroutine[Any, Any, bool]]


class BareServer:
    """A socket and a POST, and nothing else."""

    def __init__(self) -> None:
        self._sockets: list[WebSocket] = []
        self._arrived = asyncio.Event()

    def app(self) -> ASGIApp:
        """Its routes."""
        return Starlette(
            routes=[
                WebSocketRoute(_answering_client.STREAM, self._serve),
                Route(_answering_client.PATH, self._take, methods=['POST']),
            ]
        )

    @property
    def ready(self) -> bool:
        """Whether the client is there."""
        return bool(self._sockets)

    async def look(self) -> bool:
        """Sends a request and waits for the body."""
        self._arrived.clear()
        await self._sockets[0].send_text(json.dumps({'data': {'request_id': 'x' * 36}}))
        await self._arrived.wait()
        return True

    async def _serve(self, websocket: WebSocket) -> None:
        await websocket.accept()
        try:
            while True:
                await websocket.receive_text()
                self._sockets.append(websocket)
        except WebSocketDisconnect:
            pass

    async def _take(self, request: Request) -> Response:
        await request.body()
        self._arrived.set()
        return Response(status_code=204)


class Gateway:
    """The real one."""

    def __init__(self) -> None:
        settings = load_config(overrides=['vision.capture_timeout_s=600.0']).vision
        self._captures = Captures(settings.capture_timeout_s)
        events = Events(self._captures, settings.dialect, settings.limits.max_sockets)
        resource = FakeResource()
        self._parts = Parts(
            settings, TOKEN, self._captures, events, FakeChat(), resource, resource
        )

    def app(self) -> ASGIApp:
        """Its routes."""
        return make_app(self._parts)

    @property
    def ready(self) -> bool:
        """Whether the client is there."""
        return bool(self._captures.client_ids)

    async def look(self) -> bool:
        """One look; return whether it brought a picture."""
        return isinstance(await self._captures.look(Source.DESKTOP, 'chat'), PictureSet)

    async def looks_at_once(self) -> int:
        """How many of many looks brought a picture."""
        return sum(await asyncio.gather(*(self.look() for _ in range(AT_ONCE))))


def run() -> bool:
    """Measures all three."""
    with ExitStack() as stack:
        body = Path(stack.enter_context(tempfile.TemporaryDirectory())) / 'body'
        body.write_bytes(_answer())
        gateway, bare = Gateway(), BareServer()
        servers = [
            stack.enter_context(_serving(gateway.app, lambda: gateway.ready, body)),
            stack.enter_context(_serving(bare.app, lambda: bare.ready, body)),
        ]
        own: list[float] = []
        floor: list[float] = []
        for number in range(WARM_UP + ROUNDS):
            for server, look, times in (
                (servers[0], gateway.look, own),
                (servers[1], bare.look, floor),
            ):
                taken = server.submit(_timed(look)).result(PATIENCE_S)
                if number >= WARM_UP:
                    times.append(taken)
        met = _report(own, floor)
        began_at = time.perf_counter()
        seen = servers[0].submit(gateway.looks_at_once()).result(PATIENCE_S)
        report(f'{AT_ONCE} looks at once', time.perf_counter() - began_at, 's')
        met &= report('lost of them', AT_ONCE - seen, at_most=0)
    return _preamble() and met


async def _timed(look: Look) -> float:
    """Milliseconds of one look, in the loop."""
    began_at = time.perf_counter()
    assert await look()
    return (time.perf_counter() - began_at) * 1e3


def _report(own: list[float], floor: list[float]) -> bool:
    met = report_times(f'look with {PICTURE_KB} KB', own, p99=P99_TARGET_MS)
    report_times('bare socket and POST', floor)
    ratio = percentile(own, 99) / percentile(floor, 99)
    return report('look / bare, p99', ratio, at_most=RATIO_TARGET) and met


def _preamble() -> bool:
    times = []
    for _ in range(ROUNDS):
        parser, began_at = PreambleParser(), time.thread_time()  # others do not count
        shown = [parser.feed(letter) for letter in f'{MARK} none\nH']
        times.append((time.thread_time() - began_at) * 1e3)
        assert ''.join(shown) == 'H'
    return report_times('preamble, letter by letter', times, p99=PREAMBLE_TARGET_MS)


def _answer() -> bytes:
    """The body of an answer with a JPEG of 200 KB."""
    noise = np.random.default_rng(1).normal(120, 14, (720, 1280, 3))
    file = io.BytesIO()
    Image.fromarray(np.clip(noise, 0, 255).astype(np.uint8)).save(file, 'JPEG', quality=79)
    uri = f'data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}'
    return json.dumps({'request_id': 'REQUEST_ID', 'client_id': 'bench', 'images': [uri]}).encode()


@contextmanager
def _serving(
    make: Callable[[], ASGIApp], ready: Callable[[], bool], body: Path
) -> Iterator[GatewayServer]:
    server = GatewayServer(listening_socket('127.0.0.1', 0), make)
    server.start()
    client = subprocess.Popen(
        [sys.executable, _answering_client.__file__, str(server.port), TOKEN, str(body)]
    )
    try:
        while not ready():
            assert client.poll() is None
            time.sleep(0.01)
        yield server
    finally:
        client.terminate()
        server.end()
        client.wait()


if __name__ == '__main__':
    sys.exit(not run())
