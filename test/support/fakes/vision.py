"""Fakes of this package's ports, for tests and measurements."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from rover_vision.capture.client_protocol import ChatRequest
from rover_vision.capture.connected_clients import Hello, Source
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.capture.pending_looks import CaptureAnswer, Send
from rover_vision.gateway.gateway_routes import ChatEvent
from rover_vision.look_request_and_result import Picture


class FakeChat:
    """Says what was said to it."""

    async def turn(
        self, request: ChatRequest, pictures: Sequence[Picture]
    ) -> AsyncIterator[ChatEvent]:
        """One token and the end."""
        yield 'token', {'text': request.input_text}
        yield 'done', {'episode_unit_id': 1, 'reply_text': request.input_text, 'usage': {}}


class FakeResource:
    """Settings that are what was put, and no episodes."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    async def get(self) -> Mapping[str, Any]:
        """All settings."""
        return {'bodies': len(self.bodies)}

    async def put(self, body: bytes) -> Mapping[str, Any]:
        """Replaces all settings."""
        self.bodies.append(body)
        return await self.get()

    async def find(self, words: str, most: int) -> Sequence[Mapping[str, Any]]:
        """No episodes."""
        return []

    async def picture(self, number: int) -> Picture | None:
        """No picture."""
        return None


class AnsweringClient:
    """Is connected, and answers each request at once with a picture of ROS time 3.5 s."""

    def __init__(
        self, captures: Captures, client_id: str, source: Source, picture: Picture
    ) -> None:
        self._captures, self._id, self._picture = captures, client_id, picture
        captures.hello(captures.connect(self), Hello(client_id, frozenset([source]), 'unit_id'))

    def send(self, send: Send) -> None:
        """Answers."""
        answer = CaptureAnswer(send.request.request_id, self._id, (self._picture,), stamp_s=3.5)
        asyncio.get_running_loop().call_soon(self._captures.answer, answer)

    def close(self, code: int) -> None:
        """Is never called."""
        raise AssertionError
