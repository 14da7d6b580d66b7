"""The routes of the gateway, which delegate to its parts.

| route | |
|---|---|
| WS /api/events/stream | clients say hello; are asked for pictures; hear events |
| POST /api/v2/vision/capture-response | a client's answer; 204 for every well-formed one |
| POST /api/capability/result | the same of clients since 2026-05, whose reply has a body |
| POST /api/chat | a turn of conversation, as server-sent events |
| GET, PUT /api/settings | the settings of the watch |
| GET /api/episodes | what was seen and said; `?q=` searches |
| GET /api/episodes/N/picture | the picture of an episode |

Bodies are received within limits of memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
import re
from typing import Any, Protocol, TypeAlias

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope
from starlette.types import Send as AsgiSend
from starlette.websockets import WebSocket

from rover_common.config.settings import VisionSettings
from rover_common.errors import EpisodesError
from rover_vision.capture.client_protocol import (
    ACCEPTED,
    PEEK,
    CaptureResponse,
    ChatRequest,
    WireError,
    peek_ids,
    read_body,
    read_capability_result,
    read_capture_response,
    refusal,
    sse,
)
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.capture.pending_looks import CaptureAnswer
from rover_vision.capture.picture_check import MEGABYTE, PictureError, picture_from_uri
from rover_vision.gateway.client_sockets_and_rover_camera import POLICY_VIOLATION, Events
from rover_vision.gateway.gateway_access import is_foreign, shows_token
from rover_vision.look_request_and_result import Picture

RECEIVE_S = 30.0  # from the first byte to the last one
STREAM_PATH = '/api/events/stream'
RESPONSE_PATH = '/api/v2/vision/capture-response'
RESULT_PATH = '/api/capability/result'
SMALL_BODY_MB = 1.0  # of settings
MOST = re.compile(r'[0-9]{1,4}')
NUMBER = re.compile(r'[0-9]{1,20}')
AT_ONCE = 1_000_000  # characters; a smaller picture is checked in the loop, which is faster
ChatEvent: TypeAlias = tuple[str, Mapping[str, Any]]
ReadAnswer: TypeAlias = Callable[[bytes, int], CaptureResponse]


class BodyRefusedError(Exception):
    """A refused body. `head`: its received start."""

    def __init__(self, status: int, why: str, head: bytes = b'') -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.head = head


class Bodies:
    """Limits each body, and all bodies that are being received together.

    Args:
        max_mb: Of one body.
        max_all_mb: Of all bodies that are in memory at once.
    """

    def __init__(self, max_mb: float, max_all_mb: float) -> None:
        self._most = int(max_mb * MEGABYTE)
        self._most_at_once = int(max_all_mb * MEGABYTE)
        self._held = 0

    async def receive(self, request: Request) -> bytes:
        """Return the whole body.

        Raises:
            BodyRefusedError: Too large (413), too slow (408), or too many at once (503).
        """
        body = bytearray()
        try:
            await asyncio.wait_for(self._fill(request, body), RECEIVE_S)
        except asyncio.TimeoutError:
            why = f'the body did not come within {RECEIVE_S:.0f} s'
            raise BodyRefusedError(408, why, bytes(body)) from None
        except ClientDisconnect:
            raise BodyRefusedError(400, 'the client left', bytes(body)) from None
        finally:
            self._held -= len(body)
        return bytes(body)

    async def _fill(self, request: Request, body: bytearray) -> None:
        declared = request.headers.get('content-length', '')
        too_large = declared.isdigit() and int(declared) > self._most
        async for chunk in request.stream():
            if len(body) + len(chunk) > self._most or too_large:
                head = bytes(body[:1] and body) or chunk
                raise BodyRefusedError(413, f'the body has more than {self._most} bytes', head)
            if self._held + len(chunk) > self._most_at_once:
                raise BodyRefusedError(503, 'too many bodies come at once', bytes(body) or chunk)
            body += chunk
            self._held += len(chunk)


class Chat(Protocol):
    """A turn of conversation."""

    def turn(self, request: ChatRequest, pictures: Sequence[Picture]) -> AsyncIterator[ChatEvent]:
        """Yield events `token`, then one `done` or `error`."""


class SettingsResource(Protocol):
    """The resource /api/settings."""

    async def get(self) -> Mapping[str, Any]:
        """Return all settings."""

    async def put(self, body: bytes) -> Mapping[str, Any]:
        """Replace all settings.

        Raises:
            WireError: They cannot be used.
        """


class EpisodesResource(Protocol):
    """The resource /api/episodes."""

    async def find(self, words: str, most: int) -> Sequence[Mapping[str, Any]]:
        """Return the latest episodes, or those with these words."""

    async def picture(self, number: int) -> Picture | None:
        """Return the picture of an episode; None: it is deleted."""


@dataclass(frozen=True)
class Parts:
    """The parts that the routes delegate to."""

    settings: VisionSettings
    token: str
    captures: Captures
    events: Events
    chat: Chat
    settings_resource: SettingsResource
    episodes: EpisodesResource


def make_app(parts: Parts) -> ASGIApp:
    """Return the gateway as an ASGI application."""
    routes = _Routes(parts)
    app = Starlette(
        routes=[
            WebSocketRoute(STREAM_PATH, parts.events.serve),
            Route(RESPONSE_PATH, routes.capture_response, methods=['POST']),
            Route(RESULT_PATH, routes.capability_result, methods=['POST']),
            Route('/api/chat', routes.chat, methods=['POST']),
            Route('/api/settings', routes.settings, methods=['GET', 'PUT']),
            Route('/api/episodes', routes.episodes, methods=['GET']),
            Route('/api/episodes/{number}/picture', routes.picture, methods=['GET']),
        ],
        exception_handlers={
            BodyRefusedError: _refuse_body,
            WireError: _refuse_form,
            EpisodesError: _refuse_store,
        },
    )
    return _Doorkeeper(app, parts.token, parts.settings.host)


class _Doorkeeper:
    """Accepts requests with the token; others get no information and cost no work.

    A socket is accepted and then closed with 1008, after which the public client does not come
    back; refused before, it would try for ever.
    """

    def __init__(self, app: ASGIApp, token: str, host: str) -> None:
        self._app = app
        self._token = token
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: AsgiSend) -> None:
        """Serve a request or socket."""
        if scope['type'] == 'lifespan':
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode('latin-1'): value.decode('latin-1') for name, value in scope['headers']
        }
        foreign = is_foreign(headers, self._host)
        if not foreign and shows_token(headers, self._token):
            await self._app(scope, receive, send)
        elif scope['type'] == 'websocket':
            websocket = WebSocket(scope, receive, send)
            if not foreign:
                await websocket.accept()
            await websocket.close(POLICY_VIOLATION)
        else:
            why = 'Foreign origin.' if foreign else 'The bearer token is missing or wrong.'
            refused = _refusal(403 if foreign else 401, why)
            await refused(scope, receive, send)


class _Routes:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._limits = limits = parts.settings.limits
        self._bodies = Bodies(limits.max_body_mb, limits.max_bodies_mb)
        self._small = Bodies(SMALL_BODY_MB, limits.max_bodies_mb)

    async def capture_response(self, request: Request) -> Response:
        """Handle a client's answer."""
        await self._receive(request, read_capture_response)
        return Response(status_code=204)

    async def capability_result(self, request: Request) -> Response:
        """Handle the answer of a client with named sources."""
        await self._receive(request, read_capability_result)
        return JSONResponse(ACCEPTED)

    async def _receive(self, request: Request, read: ReadAnswer) -> None:
        """Handle an answer. An unusable one ends its look at once."""
        captures = self._parts.captures
        try:
            body = await self._bodies.receive(request)
        except BodyRefusedError as refused:
            captures.refuse(*peek_ids(refused.head[:PEEK]), refused.why)
            raise
        try:
            response = read(body, self._limits.max_pictures)
        except WireError as error:
            captures.refuse(*peek_ids(body[:PEEK]), str(error))
            raise
        try:
            pictures = await self._pictures(response.images or ())
        except WireError as error:
            captures.refuse(response.request_id, response.client_id, str(error))
            raise
        captures.answer(_answer(response, pictures))

    async def chat(self, request: Request) -> Response:
        """Stream a turn of conversation."""
        asked = read_body(ChatRequest, await self._bodies.receive(request))
        pictures = await self._pictures([_uri(each) for each in asked.images or ()])
        events = self._parts.chat.turn(asked, pictures)
        texts = (sse(kind, data) async for kind, data in events)
        return StreamingResponse(
            texts, media_type='text/event-stream', headers={'cache-control': 'no-cache'}
        )

    async def settings(self, request: Request) -> Response:
        """Return the settings of the watch; PUT replaces them."""
        resource = self._parts.settings_resource
        if request.method == 'PUT':
            return JSONResponse(await resource.put(await self._small.receive(request)))
        return JSONResponse(await resource.get())

    async def episodes(self, request: Request) -> Response:
        """Return the latest episodes, or those with the words of `q`."""
        words, most = request.query_params.get('q', ''), request.query_params.get('last', '50')
        if not MOST.fullmatch(most) or not 1 <= int(most) <= 1000 or len(words) > 500:
            raise WireError('last must be a number from 1 to 1000, q at most 500 characters.')
        found = await self._parts.episodes.find(words, int(most))
        return JSONResponse({'episodes': list(found)})

    async def picture(self, request: Request) -> Response:
        """Return the picture of an episode."""
        given = request.path_params['number']
        if not NUMBER.fullmatch(given):
            return _refusal(404, f'There is no episode {given!r:.80}: they have numbers from 1.')
        found = await self._parts.episodes.picture(int(given))
        if found is None:
            return _refusal(404, 'That episode has no picture, or not any more.')
        headers = {'x-content-type-options': 'nosniff'}
        return Response(found.data, media_type=found.media_type, headers=headers)

    async def _pictures(self, uris: Sequence[str]) -> tuple[Picture, ...]:
        """Return the pictures of data URIs; large ones are checked in a worker thread.

        Raises:
            WireError: One of them cannot be used.
        """
        if len(uris) > self._limits.max_pictures:
            raise WireError(f'{len(uris)} pictures came, allowed are {self._limits.max_pictures}.')
        pictures = []
        for number, uri in enumerate(uris, 1):
            try:
                if len(uri) < AT_ONCE:
                    pictures.append(picture_from_uri(uri, self._limits))
                else:
                    pictures.append(await asyncio.to_thread(picture_from_uri, uri, self._limits))
            except PictureError as error:
                raise WireError(f'Picture {number} cannot be used: {error}.') from None
        return tuple(pictures)


def _uri(image: Mapping[str, Any]) -> str:
    """Return the data URI of a picture of /api/chat, given as base64 or as a data URI."""
    text = image.get('base64')
    if not isinstance(text, str):
        raise WireError('images: each needs base64.')
    return text if text.lstrip()[:5].lower() == 'data:' else f'data:;base64,{text}'


def _answer(response: CaptureResponse, pictures: tuple[Picture, ...]) -> CaptureAnswer:
    return CaptureAnswer(
        response.request_id,
        response.client_id,
        pictures,
        response.error or '',
        response.context(),
    )


async def _refuse_body(request: Request, error: Exception) -> Response:
    assert isinstance(error, BodyRefusedError)
    headers = {'connection': 'close'}
    return _refusal(error.status, f'Refused: {error.why}.', headers, request.url.path)


async def _refuse_form(request: Request, error: Exception) -> Response:
    return _refusal(getattr(error, 'status', 422), str(error), path=request.url.path)


async def _refuse_store(_: Request, error: Exception) -> Response:
    return _refusal(503, str(error))


def _refusal(
    status: int, sentence: str, headers: Mapping[str, str] | None = None, path: str = ''
) -> Response:
    body = refusal(sentence) if path == RESULT_PATH else {'detail': sentence}
    return JSONResponse(body, status, headers)
