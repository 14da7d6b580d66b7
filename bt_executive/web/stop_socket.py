"""The stop's own way into the server: own socket, own threads. It works while the rest hangs.

A page sends it a plain POST with the secret in its body, which a browser sends across ports
without asking first, so that nothing but the stop itself is on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import json
import socket
import sys
import time
from typing import Any

from bt_executive.client.front_end_ports import StopPort
from bt_executive.web.page_access import Access
from rover_common.process.threads import start_thread

LONGEST_SECRET = 200
MOST_DIGITS = 20  # of its length, which is a stranger's
READ_LIMIT_S = 2.0
OPEN_S = 5.0  # of one connection, from its first byte to the end of its answer
MOST_OPEN = 100  # connections; beyond it the oldest goes
CLOSE_S = 0.1  # it looks this often whether it is closed


class StopServer:
    """Listens on loopback, on a port that the system chooses, until it is closed.

    Args:
        access: Who may stop.
        line: Stops.
        also: Called besides, to call off what is not sent yet; must not wait.
    """

    def __init__(self, access: Access, line: StopPort, also: Callable[[], None]) -> None:
        door = self

        class Handler(BaseHTTPRequestHandler):
            timeout = READ_LIMIT_S
            protocol_version = 'HTTP/1.1'

            def do_POST(self) -> None:
                door.answer(self)

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
                """Says nothing: the trace tells of the stop."""

        self._access, self._line, self._also = access, line, also
        self._server = _Server(('127.0.0.1', 0), Handler)
        self.port: int = self._server.server_address[1]
        start_thread(lambda: self._server.serve_forever(CLOSE_S), 'stop door')

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Stops, if it may be asked."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        length = headers.get('content-length', '')
        is_number = length.isdecimal() and len(length) <= MOST_DIGITS
        size = min(int(length), LONGEST_SECRET) if is_number else 0
        secret = request.rfile.read(size).decode('utf-8', 'replace')
        reason = self._access.deny_stop(headers, secret, self.port)
        if reason:
            self._say(request, HTTPStatus.FORBIDDEN, {'ok': False, 'text': reason})
            return
        said = self._line.stop()
        self._also()
        self._say(request, HTTPStatus.OK, {'ok': said.ok, 'text': said.text})

    def close(self) -> None:
        """Listens no more."""
        self._server.shutdown()
        self._server.server_close()

    def _say(
        self, request: BaseHTTPRequestHandler, status: HTTPStatus, answer: dict[str, object]
    ) -> None:
        body = json.dumps(answer).encode()
        request.send_response(status)
        origin = request.headers.get('Origin', '')
        if origin in self._access.origins:
            request.send_header('Access-Control-Allow-Origin', origin)
        request.send_header('Content-Type', 'application/json')
        request.send_header('Content-Length', str(len(body)))
        request.send_header('Connection', 'close')
        request.end_headers()
        request.wfile.write(body)


class _Server(ThreadingHTTPServer):
    """Ends connections that do not come to an end themselves."""

    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self._open: dict[socket.socket, float] = {}  # with the steady time, the oldest first
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begins a connection."""
        self._open[request] = time.monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Ends a connection; called by its thread."""
        self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of a peer that has left, or that was ended here."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def service_actions(self) -> None:
        """Wakes the threads of those that take too long, or are too many: they find the end."""
        kept = time.monotonic() - OPEN_S
        listed = [*self._open.items()]
        for number, (request, since) in enumerate(listed):
            if since < kept or len(listed) - number > MOST_OPEN:
                with suppress(OSError):  # it has just ended
                    request.shutdown(socket.SHUT_RDWR)
