"""`bt-executive vision-client`: shows the gateway this screen, a webcam, or both.

It behaves as the public clients of this protocol do: hello at once after each connect, no answer
where the capture took longer than it was told, and it comes back by itself. Token and pictures go
to the gateway itself, never to a proxy that the environment names.
"""

from __future__ import annotations

import argparse
import base64
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
import json
import os
from pathlib import Path
import random
import re
import socket
import threading
import time
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.json_values import finite_number
from rover_common.process.process_end import ending_signals
from rover_common.process.threads import describe_error, start_thread
from rover_common.text_sanitizing import one_line
from rover_vision.capture.client_protocol import LONGEST_ID
from rover_vision.capture.connected_clients import ROVER
from rover_vision.client.screen_and_webcam import (
    Capture,
    CaptureFailedError,
    ScreenCapture,
    WebcamCapture,
)
from rover_vision.gateway.gateway_access import TOKEN_FILE, TOKEN_VARIABLE
from rover_vision.vision_folder import PORT_FILE, vision_folder

DELAYS_S = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
JITTER_S = 0.25
WRONG_TOKEN, REPLACED = 1008, 4000  # close codes: it does not come back
DEFAULT_TIMEOUT_S = 5.0
UPLOAD_S = 30.0
ANSWER_PATH = '/api/v2/vision/capture-response'
STREAM_PATH = '/api/events/stream'
LONGEST_LINE = 500
MOST_REPORTED = 400  # events that are known when they are repeated; the gateway keeps 200
DONE, REFUSED = 0, 1


@dataclass
class Reconnecting:
    """Exponential backoff of connections; a successful one resets it."""

    _tries: int = 0

    def connected(self) -> None:
        """Reset the delay after a successful connection."""
        self._tries = 0

    def delay_s(self, close_code: int | None, chance: float) -> float | None:
        """Return seconds until the next try; None: never. `chance`: random, from 0 to 1."""
        if close_code in (WRONG_TOKEN, REPLACED):
            return None
        delay = DELAYS_S[min(self._tries, len(DELAYS_S) - 1)]
        self._tries += 1
        return delay + chance * JITTER_S


@dataclass(frozen=True)
class Address:
    """Address and token of the gateway."""

    host: str
    port: int
    token: str

    @property
    def place(self) -> str:
        """Return host and port as an URL has them; an address of IPv6 is in brackets."""
        host = self.host.strip('[]')
        return f'[{host}]:{self.port}' if ':' in host else f'{host}:{self.port}'

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of every request."""
        return {'Authorization': f'Bearer {self.token}'}


class VisionClient:
    """Runs until `end` is called, the gateway refuses the token, or another client has its id.

    Args:
        find: Where the gateway is; asked before each connection.
        client_id: The same at every start, so that the watch can name it.
        captures: By source: desktop, camera.
        report: Receives lines for the user.
    """

    def __init__(
        self,
        find: Callable[[], Address],
        client_id: str,
        captures: Mapping[str, Capture],
        report: Callable[[str], None],
    ) -> None:
        self._find = find
        self._address = find()
        self._client_id = client_id
        self._captures = captures
        self._report = report
        self._ended = threading.Event()
        self._socket: ClientConnection | None = None
        self._reported: deque[tuple[str, str]] = deque(maxlen=MOST_REPORTED)

    def end(self) -> None:
        """End it, from any thread."""
        self._ended.set()
        if self._socket is not None:
            self._socket.close()

    def run(self) -> bool:
        """Serve the gateway; return whether it was ended, and not by the gateway."""
        reconnecting = Reconnecting()
        while not self._ended.is_set():
            code = self._talk(reconnecting)
            delay_s = reconnecting.delay_s(code, random.random())
            if delay_s is None:
                self._report(
                    f'Another client has connected as {self._client_id}: give one of them another '
                    'name with --id.'
                    if code == REPLACED
                    else 'The gateway refuses the token.'
                )
                return False
            if not self._ended.is_set():
                self._report(f'Not connected; the next try is in {delay_s:.0f} s.')
            self._ended.wait(delay_s)
        return True

    def _talk(self, reconnecting: Reconnecting) -> int | None:
        """Serve one connection to its end; return its close code."""
        self._address = self._find()
        uri = f'ws://{self._address.place}{STREAM_PATH}'
        try:
            with connect(
                uri, additional_headers=self._address.headers, proxy=None, ping_interval=30
            ) as websocket:
                self._socket = websocket
                if self._ended.is_set():  # while it connected, when `end` had nothing to close
                    return None
                reconnecting.connected()
                try:
                    websocket.send(json.dumps(self._hello()))
                    self._report(f'Connected as {self._client_id}: {", ".join(self._captures)}.')
                    for text in websocket:
                        self._handle(text)
                except ConnectionClosed:
                    pass  # its code says why
                return websocket.close_code
        except (OSError, InvalidHandshake):
            return None
        finally:
            self._socket = None

    def _hello(self) -> dict[str, Any]:
        caps = [f'vision.{source}' for source in self._captures]
        return {'type': 'hello', 'client_id': self._client_id, 'caps': caps}

    def _handle(self, text: str | bytes) -> None:
        try:
            frame = json.loads(text)
        except ValueError:
            return
        for each in frame if isinstance(frame, list) else [frame]:
            data = each.get('data') if isinstance(each, dict) else None
            if not isinstance(data, dict):
                continue
            if each.get('type') == 'vision.capture_request':
                start_thread(partial(self._answer, data), 'capture', self._report_capture_fault)
            elif isinstance(data.get('message'), str):
                self._report_event(each, data['message'])

    def _report_event(self, frame: Mapping[str, Any], message: str) -> None:
        """Report an event, unless it is one of those that the gateway repeats on each connect."""
        number = frame.get('unit_id') or frame.get('event_id')  # of its episode; 0: of none
        event = str(number), f'{frame.get("type")}: {message:.{LONGEST_LINE}}'
        if number and event in self._reported:
            return
        self._reported.append(event)
        self._report(event[1])

    def _answer(self, request: Mapping[str, Any]) -> None:
        timeout_ms = finite_number(request.get('timeout_ms')) or 0.0
        limit_s = timeout_ms / 1000 if timeout_ms > 0 else DEFAULT_TIMEOUT_S
        began_at = time.monotonic()
        answer = {'request_id': request.get('request_id'), 'client_id': self._client_id}
        answer |= self._captured(str(request.get('source')))
        left_s = limit_s - (time.monotonic() - began_at)
        if left_s <= 0:
            self._report('The capture took too long; nothing is sent.')
            return
        try:
            httpx.post(
                f'http://{self._address.place}{ANSWER_PATH}',
                json=answer,
                headers=self._address.headers,
                timeout=min(left_s, UPLOAD_S),
                trust_env=False,
            ).raise_for_status()
        except httpx.HTTPError as error:
            self._report(f'The picture was not taken: {error}')

    def _report_capture_fault(self, fault: BaseException) -> None:
        self._report(f'A capture failed: {describe_error(fault)}')

    def _captured(self, source: str) -> dict[str, Any]:
        capture = self._captures.get(source)
        if capture is None:
            return {'images': [], 'error': f'unsupported source: {source}'}
        try:
            data = base64.b64encode(capture()).decode('ascii')
        except CaptureFailedError as error:
            return {'images': [], 'error': str(error)}
        self._report(f'Showed the {source}.')
        return {'images': [f'data:image/png;base64,{data}']}


def run_client(options: argparse.Namespace, config: Config, namespace: str) -> int:
    """Serve until it is interrupted; return the exit code.

    Raises:
        UsageError: Screen, camera or token cannot be had, or the id cannot be used.
    """
    client_id = _client_id(options.id, os.environ)
    captures = _captures(options)
    folder = vision_folder(config, os.environ, namespace)
    host, port = _address(options.gateway, config)
    token = _token(os.environ, folder)
    client = VisionClient(
        lambda: Address(host, port or find_port(folder, config.vision.port), token),
        client_id,
        captures,
        lambda line: print(one_line(line), flush=True),
    )
    with ending_signals() as ending:
        ending.then(client.end)
        return DONE if client.run() else REFUSED


def _captures(options: argparse.Namespace) -> dict[str, Capture]:
    if not 64 <= options.max_edge <= 16384:
        raise UsageError(f'--max-edge is {options.max_edge}: give 64 to 16384 pixels.')
    found: dict[str, Capture] = {}
    if not options.no_screen:
        found['desktop'] = ScreenCapture(options.screen, options.max_edge)
    if options.camera:
        found['camera'] = WebcamCapture(options.camera, _size(options.size), options.max_edge)
    if not found:
        raise UsageError('There is nothing to show: leave out --no-screen, or give --camera.')
    return found


def _client_id(given: str, environment: Mapping[str, str]) -> str:
    """Return the id, as the gateway takes it."""
    if not given:
        return f'{socket.gethostname()}-{environment.get("USER", "user")}'
    client_id = given.strip()
    if not 0 < len(client_id) <= LONGEST_ID or client_id == ROVER:
        raise UsageError(
            f'--id is {given!r:.80}: give 1 to {LONGEST_ID} characters, and not {ROVER}, which is '
            "the robot's own camera."
        )
    return client_id


def _size(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    found = re.fullmatch(r'([1-9]\d{1,4})x([1-9]\d{1,4})', text)
    if found is None:
        raise UsageError(f'--size is {text!r}: write it like 1280x720.')
    return int(found[1]), int(found[2])


def _address(text: str, config: Config) -> tuple[str, int]:
    """Return host and port of the gateway; port 0: the current one."""
    if not text:
        return config.vision.host, 0
    host, colon, port = text.rpartition(':')
    if not colon or not re.fullmatch('[0-9]{1,5}', port) or not 0 < int(port) < 65536:
        raise UsageError(f'--gateway is {text!r}: write it like 127.0.0.1:55601.')
    return host, int(port)


def find_port(folder: Path, configured: int) -> int:
    """Return the port of the running gateway of a folder, else the configured one."""
    try:
        port = (folder / PORT_FILE).read_text(encoding='ascii').strip()
    except (OSError, UnicodeDecodeError):
        return configured
    return int(port) if re.fullmatch('[0-9]{1,5}', port) else configured


def _token(environment: Mapping[str, str], folder: Path) -> str:
    given = environment.get(TOKEN_VARIABLE, '').strip()
    if given:
        return given
    try:
        return (folder / TOKEN_FILE).read_text(encoding='ascii').strip()
    except (OSError, UnicodeDecodeError):
        raise UsageError(
            f'There is no token in {str(folder / TOKEN_FILE)!r}: start `bt-executive up` first, '
            f'or set {TOKEN_VARIABLE} to that of the gateway.'
        ) from None
