"""Who begins a request and does not end it: is ended. Whoever is being answered is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
import logging
import socket

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
import uvicorn

from rover_common.process import unfinished_http_requests
from rover_common.process.loopback import HOST
from rover_common.process.unfinished_http_requests import MOST_HALF_OPEN, TOO_LATE, HttpConnection

pytestmark = pytest.mark.process  # opens a port of its own
GET = b'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n'
POST_HALF = b'POST /fast HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf'
LARGE = bytes(1 << 23)  # more than the buffers of two sockets hold
Peer = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Slow:
    """An application that answers when the test says so."""

    def __init__(self) -> None:
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()
        self.app = Starlette(
            routes=[
                Route('/slow', self._slow),
                Route('/fast', self._fast, methods=['POST']),
                Route('/read', self._read, methods=['POST']),
                Route('/late', self._late, methods=['POST']),
                Route('/stream', self._stream, methods=['POST']),
                Route('/large', self._large),
                WebSocketRoute('/socket', self._socket),
                WebSocketRoute('/refused', self._refused),
            ]
        )

    async def _slow(self, _: Request) -> PlainTextResponse:
        self.asked.set()
        await self.go_on.wait()
        return PlainTextResponse('done')

    async def _fast(self, _: Request) -> PlainTextResponse:
        return PlainTextResponse('no', 401)

    async def _read(self, request: Request) -> PlainTextResponse:
        with suppress(ClientDisconnect):
            await request.body()
        return PlainTextResponse('read')

    async def _late(self, request: Request) -> PlainTextResponse:
        await self._slow(request)
        return await self._read(request)

    async def _stream(self, _: Request) -> StreamingResponse:
        async def words() -> AsyncIterator[str]:
            yield 'begun '
            self.asked.set()
            await self.go_on.wait()
            yield 'done'

        return StreamingResponse(words())

    async def _large(self, _: Request) -> PlainTextResponse:
        return PlainTextResponse(LARGE)

    async def _refused(self, websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.close(4403)

    async def _socket(self, websocket: WebSocket) -> None:
        await websocket.accept()
        with suppress(WebSocketDisconnect, KeyError):
            while True:
                await websocket.receive_text()


@asynccontextmanager
async def served(app: Starlette, ws: str = 'auto') -> AsyncIterator[Callable[[], Awaitable[Peer]]]:
    """Serves the application; makes connections to it."""
    with socket.create_server((HOST, 0)) as listening:
        config = uvicorn.Config(app, http=HttpConnection, ws=ws, log_config=None, lifespan='off')
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield lambda: asyncio.open_connection(HOST, listening.getsockname()[1])
        finally:
            server.should_exit = True
            await serving


def play(scene: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scene(), 60.0))


@pytest.mark.parametrize('begun', [b'', b'G', b'GET /slow HTTP/1.1\r\nhost: x\r\n'])
def test_a_request_whose_head_does_not_end_is_ended(
    monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'HEAD_S', 0.05)

    async def scene() -> None:
        async with served(Slow().app) as connect:
            reader, writer = await connect()
            writer.write(begun)
            assert await reader.read() == TOO_LATE
            writer.close()

    play(scene)


def test_one_byte_after_the_other_is_no_request_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'HEAD_S', 0.05)

    async def scene() -> None:
        async with served(Slow().app) as connect:
            reader, writer = await connect()
            writer.write(b'GET /slow HTTP/1.1\r\n')
            read = asyncio.create_task(reader.read())
            while not read.done():
                writer.write(b'x')
                await asyncio.sleep(0)
            with suppress(ConnectionError):  # it may have been reset by what came too late
                await read
            writer.close()

    play(scene)


def test_a_body_that_nobody_waits_for_keeps_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'HEAD_S', 0.05)

    async def scene() -> None:
        async with served(Slow().app) as connect:
            reader, writer = await connect()
            writer.write(POST_HALF)
            answer = await reader.read()
            assert b'401' in answer.splitlines()[0]
            writer.close()

    play(scene)


@pytest.mark.parametrize('more', [b'', b'x'], ids=['silent', 'one byte after the other'])
def test_a_body_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch, more: bytes) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'BODY_S', 0.05)

    async def scene() -> None:
        async with served(Slow().app) as connect:
            reader, writer = await connect()
            writer.write(CHUNKED.format('/read').encode())
            read = asyncio.create_task(reader.read())
            while not read.done():
                writer.write(b'1\r\nx\r\n' * len(more))
                await asyncio.sleep(0.001)
            with suppress(ConnectionError):  # it may have been reset by what came too late
                assert await read == TOO_LATE
            writer.close()

    play(scene)


def test_a_body_that_the_application_reads_late_or_answers_before_its_end_has_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'HEAD_S', 0.2)
    monkeypatch.setattr(unfinished_http_requests, 'BODY_S', 0.05)

    async def scene() -> None:
        slow = Slow()
        async with served(slow.app) as connect:
            for path, end in (('/late', b'read'), ('/stream', b'done')):
                slow.asked.clear()
                slow.go_on.clear()
                reader, writer = await connect()
                writer.write(CHUNKED.format(path).encode() + b'1\r\nx\r\n')
                await slow.asked.wait()
                idle, _ = await connect()
                assert await idle.read() == TOO_LATE  # so much time has passed meanwhile
                slow.go_on.set()
                writer.write(b'0\r\n\r\n')
                assert (await reader.readuntil(end)).startswith(b'HTTP/1.1 200')
                writer.close()

    play(scene)


def test_a_request_that_is_being_answered_takes_as_long_as_it_likes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'HEAD_S', 0.05)

    async def scene() -> None:
        slow = Slow()
        async with served(slow.app) as connect:
            reader, writer = await connect()
            writer.write(GET)
            await slow.asked.wait()
            idle, _ = await connect()
            assert await idle.read() == TOO_LATE  # so much time has passed meanwhile
            slow.go_on.set()
            assert (await reader.readuntil(b'done')).startswith(b'HTTP/1.1 200')
            assert await reader.read() == TOO_LATE  # it asks for nothing more
            writer.close()

    play(scene)


def test_of_too_many_that_are_half_open_the_oldest_go() -> None:
    async def scene() -> None:
        slow = Slow()
        slow.go_on.set()
        async with served(slow.app) as connect:
            peers = [await connect() for _ in range(MOST_HALF_OPEN + 10)]
            for reader, _ in peers[:10]:
                assert await reader.read() == b''
            reader, writer = peers[10]  # is still heard
            writer.write(GET)
            assert (await reader.readuntil(b'done')).startswith(b'HTTP/1.1 200')
            for _, each in peers:
                each.close()

    play(scene)


@pytest.mark.parametrize('more', [b'', b'connection: close\r\n'])
def test_of_too_many_that_read_no_answer_the_oldest_go(
    monkeypatch: pytest.MonkeyPatch, more: bytes
) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'MOST_HALF_OPEN', 2)

    async def scene() -> None:
        async with served(Slow().app) as connect:
            peers = []
            for _ in range(5):
                reader, writer = await connect()
                writer.write(b'GET /large HTTP/1.1\r\nhost: x\r\n' + more + b'\r\n')
                await reader.readuntil(b'\r\n\r\n')
                peers.append((reader, writer))
            with suppress(ConnectionError):
                assert len(await asyncio.wait_for(peers[0][0].read(), 5.0)) < len(LARGE)
            await peers[-1][0].readexactly(len(LARGE))  # is still answered
            for _, writer in peers:
                writer.transport.abort()

    play(scene)


def test_of_too_many_that_do_not_confirm_the_end_of_their_socket_the_oldest_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unfinished_http_requests, 'MOST_HALF_OPEN', 2)

    async def scene() -> None:
        async with served(Slow().app) as connect:
            peers = []
            for _ in range(5):
                reader, writer = await connect()
                writer.write(UPGRADE.replace(b'/socket', b'/refused'))
                await reader.readuntil((4403).to_bytes(2, 'big'))
                peers.append((reader, writer))
            with suppress(ConnectionError):
                assert await asyncio.wait_for(peers[0][0].read(), 5.0) == b''
            assert not peers[-1][0].at_eof()
            for _, writer in peers:
                writer.transport.abort()

    play(scene)


CHUNKED = 'POST {} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n'
BROKEN = [b'zz\r\n', b'5\r\nhello\r\n-1\r\n', b'5\r\nhelloworld', b'\r\n\r\n', b'f' * 99 + b'\r\n']


@pytest.mark.parametrize('at_once', [True, False])
@pytest.mark.parametrize('path', ['/fast', '/read', '/slow', '/nowhere', '/stream'])
@pytest.mark.parametrize('body', BROKEN)
def test_a_body_that_is_no_http_is_answered_once_and_leaves_no_traceback(
    caplog: pytest.LogCaptureFixture, body: bytes, path: str, at_once: bool
) -> None:
    async def scene() -> None:
        slow = Slow()
        async with served(slow.app) as connect:
            reader, writer = await connect()
            head = CHUNKED.format(path).encode()
            writer.write(head + body if at_once else head)
            if not at_once:
                if path == '/stream':
                    await slow.asked.wait()
                writer.write(body)
            answer = await reader.read()
            slow.go_on.set()
            assert answer.count(b'HTTP/1.1') == 1
            writer.close()
            reader, writer = await connect()  # others are served
            writer.write(GET)
            assert (await reader.readuntil(b'done')).startswith(b'HTTP/1.1 200')
            writer.close()

    with caplog.at_level(logging.WARNING):
        play(scene)
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


UPGRADE = (
    b'GET /socket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n'
    b'sec-websocket-version: 13\r\nsec-websocket-key: eHh4eHh4eHh4eHh4eHh4eA==\r\n\r\n'
)
UNMASKED = bytes(4)
FRAMES = {
    'no UTF-8': b'\x81\x82' + UNMASKED + b'\xff\xfe',
    'half a character': b'\x81\x81' + UNMASKED + b'\xe2',
    'no UTF-8 in pieces': b'\x01\x81' + UNMASKED + b'x' + b'\x80\x81' + UNMASKED + b'\xff',
    'without a mask': b'\x81\x02{}',
    'reserved bits': b'\xf1\x82' + UNMASKED + b'{}',
    'too large': b'\x81\xff\x7f' + b'\xff' * 7,
    'a piece of nothing': b'\x80\x81' + UNMASKED + b'x',
    'half a code of the end': b'\x88\x81' + UNMASKED + b'\x03',
}


@pytest.mark.parametrize('ws', ['auto', 'websockets-sansio'])
@pytest.mark.parametrize('name', FRAMES)
def test_a_frame_that_is_none_closes_its_socket_and_leaves_no_traceback(
    caplog: pytest.LogCaptureFixture, name: str, ws: str
) -> None:
    async def scene() -> None:
        async with served(Slow().app, ws) as connect:
            reader, writer = await connect()
            writer.write(UPGRADE)
            await reader.readuntil(b'\r\n\r\n')
            writer.write(FRAMES[name])
            assert (await reader.readexactly(1)) == b'\x88'  # it is closed
            writer.close()

    with caplog.at_level(logging.WARNING):
        play(scene)
    assert not [each for each in caplog.records if each.exc_info]
