"""The stop server: an own socket with own threads, which works while the page server hangs.

A page sends a plain POST with the secret in its body, and after a blank what `StopsOfPages` notes:
browsers send it to another port without a preflight request.
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
from bt_executive.web.stops_of_pages import StopsOfPages
from rover_common.process.threads import start_thread

MAX_SECRET_BYTES = 200
MAX_DIGITS = 20  # of an untrusted content length
READ_LIMIT_S = 2.0
OPEN_S = 5.0  # limit for one connection, from its first byte to the end of its answer
MAX_OPEN = 100  # connections; beyond it the oldest one is closed
CLOSE_S = 0.1  # polling period for shutdown


class StopServer:
    """Listens on a free port of loopback until it is closed.

    Args:
        on_stop: Called after a stop, to cancel unsent requests; must not block.
        stops: In which the page's stop is noted, before it is carried out.
    """

    def __init__(
        self,
        access: Access,
        stop_port: StopPort,
        on_stop: Callable[[], None],
        stops: StopsOfPages | None = None,
    ) -> None:
        stop_server = self

        class Handler(BaseHTTPRequestHandler):
            timeout = READ_LIMIT_S
            protocol_version = 'HTTP/1.1'

            def do_POST(self) -> None:
                stop_server.answer(self)

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
                """Does not log: the trace has the stop."""

        self._access, self._stop_port, self._on_stop = access, stop_port, on_stop
        self._stops = stops or StopsOfPages()
        self._server = _Server(('127.0.0.1', 0), Handler)
        self.port: int = self._server.server_address[1]
        start_thread(lambda: self._server.serve_forever(CLOSE_S), 'stop door')

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Stops, if the request has access."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        length = headers.get('content-length', '')
        is_number = length.isdecimal() and len(length) <= MAX_DIGITS
        size = min(int(length), MAX_SECRET_BYTES) if is_number else 0
        body = request.rfile.read(size).decode('utf-8', 'replace')
        secret, _, page_stops = body.partition(' ')
        reason = self._access.deny_stop(headers, secret, self.port)
        if reason:
            self._send(request, HTTPStatus.FORBIDDEN, {'ok': False, 'text': reason})
            return
        self._stops.note(page_stops)
        result = self._stop_port.stop()
        self._on_stop()
        self._send(request, HTTPStatus.OK, {'ok': result.ok, 'text': result.text})

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()

    def _send(
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
    """Closes connections that take too long."""

    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self._open: dict[socket.socket, float] = {}  # with the steady time, oldest first
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Registers a connection."""
        self._open[request] = time.monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Removes a connection; called by its thread."""
        self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores errors of closed connections."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def service_actions(self) -> None:
        """Shuts down connections that are too old or too many, which ends their threads."""
        deadline = time.monotonic() - OPEN_S
        listed = [*self._open.items()]
        for number, (request, since) in enumerate(listed):
            if since < deadline or len(listed) - number > MAX_OPEN:
                with suppress(OSError):  # it has just ended
                    request.shutdown(socket.SHUT_RDWR)
