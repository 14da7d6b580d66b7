"""A client as the public ones of the vision protocol behave, byte for byte where it matters.

Three versions: of 2026-01-03 drops every frame whose event_id is a number, of 2026-01-11 drops
every frame without one, of 2026-05 names its sources in its hello, is asked for one of them, and
answers to another address, whose reply must say that it is ok. All of them say hello at once after
each connect, leave nulls out, send PNG data URIs, come back after 1, 2, 5, 10, 30, 60 s, but never
after close code 1008, and send nothing at all if the capture takes longer than they were told.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
import io
import json
import threading
import time
from typing import Any, Literal

import httpx
from PIL import Image
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

Version = Literal['2026-01-03', '2026-01-11', '2026-05']
DELAYS_S = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
NEVER_AGAIN = 1008


def png(width: int = 32, height: int = 24, colour: int = 90) -> bytes:
    file = io.BytesIO()
    Image.new('RGB', (width, height), (colour, colour, colour)).save(file, 'PNG')
    return file.getvalue()


def data_uri(picture: bytes, label: str = 'png') -> str:
    return f'data:image/{label};base64,{base64.b64encode(picture).decode()}'


class PublicClient:
    """Runs in a thread of its own until it is closed.

    `capture`: what is captured, by source; a text is an error, None: it
    never answers. `haste`: its delays are shorter by
    this factor. `bom`: its JSON begins with a byte order mark. `nulls`: it sends them, too.
    """

    def __init__(
        self,
        port: int,
        token: str,
        client_id: str = 'console-1',
        version: Version = '2026-01-03',
        capture: Callable[[str], bytes | str | None] = lambda _source: png(),
        haste: float = 100.0,
        bom: bool = False,
        nulls: bool = False,
        dialect: str | None = None,
        subscriptions: tuple[str, ...] = ('assistant_message',),
    ) -> None:
        self.client_id = client_id
        self.requests: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.statuses: list[int] = []
        self.hellos = 0
        self.close_codes: list[int] = []
        self._port, self._token, self._version = port, token, version
        self._capture, self._haste, self._bom = capture, haste, bom
        self._dialect, self._nulls = dialect, nulls
        self._subscriptions = subscriptions
        self.failures: list[str] = []  # what the client of 2026-05 reads in a reply that is not ok
        self._socket: ClientConnection | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def gave_up(self) -> bool:
        return not self._thread.is_alive()

    def close(self) -> None:
        self._ended.set()
        self.drop()
        self._thread.join(10)

    def drop(self) -> None:
        """Loses the connection; comes back by itself."""
        if self._socket is not None:
            self._socket.close()

    def post(self, answer: dict[str, Any]) -> int:
        """Sends an answer in the form of this version."""
        path, sent = '/api/v2/vision/capture-response', dict(answer)
        if not self._nulls:
            sent = without_nulls(answer)
        if self._version == '2026-05':
            path, sent = '/api/capability/result', as_result(sent)
        body = (b'\xef\xbb\xbf' if self._bom else b'') + json.dumps(sent).encode()
        response = httpx.post(
            f'http://127.0.0.1:{self._port}{path}',
            content=body,
            headers={
                'authorization': f'Bearer {self._token}',
                'content-type': 'application/json; charset=utf-8',
            },
            timeout=30,
        )
        self.statuses.append(response.status_code)
        if self._version == '2026-05':
            reply = response.json()
            if not (response.is_success and reply['ok']):
                self.failures.append(reply['error']['message'])
        return response.status_code

    def _run(self) -> None:
        tries = 0
        while not self._ended.is_set():
            try:
                self._talk()
                tries = 0
            except InvalidStatus:
                pass  # the handshake was refused: it tries again
            except (ConnectionClosed, OSError):
                pass
            if self.close_codes[-1:] == [NEVER_AGAIN]:
                return
            self._ended.wait(DELAYS_S[min(tries, 5)] / self._haste)
            tries += 1

    def _talk(self) -> None:
        uri = f'ws://127.0.0.1:{self._port}/api/events/stream'
        headers = {'Authorization': f'Bearer {self._token}'}
        with connect(uri, additional_headers=headers, open_timeout=30) as socket:
            self._socket = socket
            try:
                socket.send(json.dumps(self._hello()))
                self.hellos += 1
                for text in socket:
                    read = json.loads(text)
                    for frame in read if isinstance(read, list) else [read]:
                        self._take(frame)
            finally:
                self._socket = None
                self.close_codes.append(socket.close_code or 0)

    def _hello(self) -> dict[str, Any]:
        hello: dict[str, Any] = {'type': 'hello', 'client_id': self.client_id}
        hello |= {'dialect': self._dialect} if self._dialect else {}
        if self._version != '2026-05':
            return hello | {'caps': ['vision.desktop', 'vision.camera']}
        return hello | {
            'caps': [{'id': 'vision.capture', 'version': '1'}],
            'event_subscriptions': list(self._subscriptions),
            'vision_sources': [
                {
                    'vision_source_id': f'vision_source:desktop:{self.client_id}',
                    'capability_id': 'vision.capture',
                    'kind': 'desktop',
                    'label': 'メイン画面',
                    'aliases': ['画面', 'デスクトップ'],
                    'default_for': ['visual', 'desktop'],
                    'required_permissions': ['observe_desktop'],
                }
            ],
        }

    def _take(self, frame: dict[str, Any]) -> None:
        if not self._reads(frame):
            return
        if frame['type'] != 'vision.capture_request':
            self.events.append(frame)
            return
        self.requests.append(frame['data'])
        threading.Thread(target=self._answer, args=(frame['data'],), daemon=True).start()

    def _reads(self, frame: dict[str, Any]) -> bool:
        if self._version == '2026-01-03':
            return not isinstance(frame.get('event_id'), int)
        shown = ('vision.capture_request', 'assistant_message')
        is_known = self._version == '2026-01-11' or frame['type'] in shown
        return isinstance(frame.get('event_id'), int) and is_known

    def _answer(self, request: dict[str, Any]) -> None:
        limit_s = (request.get('timeout_ms') or 5000) / 1000
        began_at = time.monotonic()
        captured = self._unable(request) or self._capture(request.get('source', 'desktop'))
        if captured is None or time.monotonic() - began_at > limit_s:
            return  # one token covers capture and upload: silence, not an error
        error = captured if isinstance(captured, str) else None
        images = [] if isinstance(captured, str) else [data_uri(captured)]
        context = {'active_app': 'code', 'window_title': 'rover – plan', 'locale': 'ja-JP'}
        self.post(
            {
                'request_id': request['request_id'],
                'client_id': self.client_id,
                'images': images,
                'client_context': context,
                'error': error,
            }
        )

    def _unable(self, request: dict[str, Any]) -> str:
        """What a client of 2026-05 says to a request that is not for its own source."""
        if self._version != '2026-05':
            return ''
        expected = {
            'capability_id': 'vision.capture',
            'mode': 'still',
            'source_kind': 'desktop',
            'vision_source_id': f'vision_source:desktop:{self.client_id}',
        }
        wrong = [key for key, value in expected.items() if request.get(key) != value]
        return f'unsupported {wrong[0]}: {request.get(wrong[0])}' if wrong else ''


def without_nulls(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in answer.items() if each is not None}


def as_result(answer: dict[str, Any]) -> dict[str, Any]:
    """The same answer as the client of 2026-05 sends it."""
    ids = {key: answer.pop(key) for key in ('request_id', 'client_id') if key in answer}
    return ids | {'capability_id': 'vision.capture', 'result': answer}
