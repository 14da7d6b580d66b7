"""The rover's camera as a built-in client of the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Protocol

from rover_vision.capture.capture_exchange import CaptureAnswer, Send
from rover_vision.capture.connected_clients import ROVER, Hello, Source
from rover_vision.capture.picture_check import PictureError, PictureLimits, check_picture
from rover_vision.gateway.looks_of_gateway import Captures
from rover_vision.place_of_look import Place


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
    """Runs in the gateway's loop. Pictures of the topic are checked like any client's."""

    def __init__(
        self, captures: Captures, feed: CameraFeed, limits: PictureLimits, workers: Executor
    ) -> None:
        self._captures = captures
        self._feed = feed
        self._limits = limits
        self._workers = workers
        self._loop = asyncio.get_running_loop()
        self._answering: set[asyncio.Task[None]] = set()
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
