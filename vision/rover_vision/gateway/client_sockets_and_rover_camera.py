"""The clients of a running gateway: a socket each, and the rover's camera, which is built in.

A client that does not read is cut off; nobody else waits for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
import contextlib
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect

from rover_common.config.settings.vision import VisionLimits
from rover_vision.capture.client_protocol import capture_frame, event_frame, read_hello
from rover_vision.capture.connected_clients import ROVER, Dialect, Hello, Source
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.capture.pending_looks import CaptureAnswer, Send
from rover_vision.capture.picture_check import PictureError, check_picture
from rover_vision.place_of_look import Place

POLICY_VIOLATION = 1008  # the public client does not reconnect after it
TRY_AGAIN_LATER = 1013
GOING_AWAY = 1001
EVENTS_KEPT = 200  # sent to each client that registers
MOST_UNREAD = 4000  # frames that wait for a client that does not read
SEND_S = 10.0


class EventSocket:
    """An open socket. Frames are queued; one task sends them.

    Attributes:
        hello: The registration, which says in what form it reads events, and which; None: it has
            not registered.
    """

    def __init__(self, websocket: WebSocket) -> None:
        self.hello: Hello | None = None
        self._websocket = websocket
        self._frames: asyncio.Queue[str | int] = asyncio.Queue(MOST_UNREAD)
        self._closing = False

    def send(self, send: Send) -> None:
        """Queue a request for a picture."""
        self._put(capture_frame(send))

    def queue_event(self, kind: str, data: Mapping[str, Any], number: int) -> None:
        """Queue an event, if the client has registered and subscribed to it."""
        frame = event_frame(kind, data, number, self.hello) if self.hello else None
        if frame is not None:
            self._put(frame)

    def close(self, code: int) -> None:
        """Close the socket after the queued frames."""
        if not self._closing:
            self._closing = True
            while self._frames.full():
                self._frames.get_nowait()
            self._frames.put_nowait(code)

    def _put(self, frame: str) -> None:
        if self._closing:
            return
        if self._frames.qsize() >= MOST_UNREAD - 1:
            self.close(TRY_AGAIN_LATER)
        else:
            self._frames.put_nowait(frame)

    async def write(self) -> None:
        """Send the queued frames until the socket is to be closed."""
        while True:
            frame = await self._frames.get()
            if isinstance(frame, int):
                await asyncio.wait_for(self._websocket.close(frame), SEND_S)
                return
            await asyncio.wait_for(self._websocket.send_text(frame), SEND_S)


class Events:
    """The open sockets, and the latest events.

    Args:
        default: The dialect of clients that name none.
        most: Sockets that may be open at once.
    """

    def __init__(self, captures: Captures, default: Dialect, most: int) -> None:
        self._captures = captures
        self._default: Dialect = default
        self._most = most
        self._open: set[EventSocket] = set()
        self._last: deque[tuple[str, Mapping[str, Any], int]] = deque(maxlen=EVENTS_KEPT)

    @property
    def open_sockets(self) -> int:
        """Return the number of open sockets."""
        return len(self._open)

    def publish(self, kind: str, data: Mapping[str, Any], number: int) -> None:
        """Send an event to all clients; `number`: of its episode."""
        self._last.append((kind, data, number))
        for socket in self._open:
            socket.queue_event(kind, data, number)

    def close_all(self) -> None:
        """Close all sockets at the end of the gateway."""
        for socket in self._open:
            socket.close(GOING_AWAY)

    async def serve(self, websocket: WebSocket) -> None:
        """Serve one client until either side closes."""
        await websocket.accept()
        if len(self._open) >= self._most:
            await websocket.close(TRY_AGAIN_LATER)
            return
        socket = EventSocket(websocket)
        self._open.add(socket)
        number = self._captures.connect(socket)
        try:
            await self._talk(websocket, socket, number)
        finally:
            self._open.discard(socket)
            self._captures.disconnect(number)

    async def _talk(self, websocket: WebSocket, socket: EventSocket, number: int) -> None:
        tasks = [
            asyncio.create_task(socket.write()),
            asyncio.create_task(self._read(websocket, socket, number)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            # A peer that is gone or does not read ends this connection, and nothing else.
            await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
            await websocket.close(TRY_AGAIN_LATER)

    async def _read(self, websocket: WebSocket, socket: EventSocket, number: int) -> None:
        with contextlib.suppress(WebSocketDisconnect, KeyError):  # KeyError: not a text
            while True:
                hello = read_hello(await websocket.receive_text(), self._default)
                if hello is None or hello.client_id == ROVER:
                    continue
                is_first, socket.hello = socket.hello is None, hello
                self._captures.hello(number, hello)
                for kind, data, episode in self._last if is_first else ():
                    socket.queue_event(kind, data, episode)


@dataclass(frozen=True)
class Shot:
    """A picture of the camera. `stamp_s`: ROS s; `place`: None: unknown."""

    data: bytes
    stamp_s: float
    place: Place | None = None


class CameraFeed(Protocol):
    """The pictures that the camera publishes."""

    def next_picture(self, take: Callable[[Shot], None]) -> None:
        """Call `take` with the next picture; from any thread."""


class RoverCamera:
    """Runs in the gateway's loop. Pictures of the topic are checked like any client's.

    A picture for which several looks have waited in vain, as while the camera was away, is late
    once.
    """

    def __init__(
        self, captures: Captures, feed: CameraFeed, limits: VisionLimits, workers: Executor
    ) -> None:
        self._captures = captures
        self._feed = feed
        self._limits = limits
        self._workers = workers
        self._loop = asyncio.get_running_loop()
        self._answering: set[asyncio.Task[None]] = set()
        self._late = b''  # the latest late picture
        number = captures.connect(self)
        captures.hello(number, Hello(ROVER, frozenset([Source.CAMERA]), 'unit_id'))

    def send(self, send: Send) -> None:
        """Answer with the next picture of the camera."""
        request_id = send.request.request_id

        def take(shot: Shot) -> None:
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._answer, request_id, shot)

        self._feed.next_picture(take)

    def close(self, code: int) -> None:
        """Do nothing: the camera is never closed."""

    def _answer(self, request_id: str, shot: Shot) -> None:
        if not self._captures.waits_for(request_id):
            if shot.data == self._late:
                return
            self._late = shot.data
        task = self._loop.create_task(self._checked(request_id, shot))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _checked(self, request_id: str, shot: Shot) -> None:
        try:
            picture = await self._loop.run_in_executor(
                self._workers, check_picture, shot.data, self._limits
            )
        except PictureError as error:
            self._captures.refuse(request_id, ROVER, str(error))
            return
        self._captures.answer(
            CaptureAnswer(request_id, ROVER, (picture,), stamp_s=shot.stamp_s, place=shot.place)
        )
