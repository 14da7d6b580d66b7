"""The HTTP of one run: bounded in bytes and time, and cut at once from another thread.

A thread that waits for a model sits in `recv`, which neither an event nor closing the socket ends;
shutting the socket down does. Every run therefore has its own connections, and knows them from
the moment they are opened (httpx's documented extension "trace").

The client of a provider's library is made once. Its transport is a `DispatchTransport` that
hands each request to the transport of the run in whose context it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from email.utils import parsedate_to_datetime
from functools import lru_cache
import ipaddress
import math
import os
import re
import socket
import ssl
import struct
import threading
import time
from typing import Any
from urllib.request import getproxies, proxy_bypass
import zlib

import httpx

from rover_common.config.settings import RequestSettings
from rover_common.llm.answer_body_repair import readable_body
from rover_common.llm.model_errors import ModelError

LOOPBACK_ONLY = 'BT_EXECUTIVE_LOOPBACK_ONLY'  # set to anything: no model beyond this machine
IDENTITY = 'identity'
HEADERS = {'Accept-Encoding': IDENTITY}  # what is compressed is read late, and may be endless
COMPRESSED = ('gzip', 'x-gzip', 'deflate')  # which proxies do all the same
RESET_AT_CLOSE = struct.pack('ii', 1, 0)  # struct linger of socket(7): on, 0 s
PIECE = 65536  # bytes of text that are made of a compressed answer at once

_NEXT_GZIP = b'\x1f'
_STREAM = re.compile(rb'"stream":\s*true')  # no text can hold it: its quotes would be escaped

_current: ContextVar[Transport] = ContextVar('transport')


class Transport(httpx.BaseTransport):
    """The connections of one run.

    `check` raises when the run was given up; it is called at every step of a request.
    """

    def __init__(self, limits: RequestSettings, check: Callable[[], None]) -> None:
        self._limits = limits
        self._check = check
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._cut = False
        self._inner: dict[str | None, httpx.HTTPTransport] = {}
        self._timer = threading.Timer(0.0, self._cut_late)
        self.deadline = math.inf  # steady seconds; an answer that is not whole by then is cut
        self.retry_after_s = 0.0  # from the last answer, in s

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Requests made in this block go by this transport; at its end it is closed."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)
            self.close()

    def cut(self) -> None:
        """Ends every connection at once, from any thread; does not wait."""
        with self._lock:
            self._cut = True
            self._shut_all()

    def close(self) -> None:
        """Frees the connections (worker thread)."""
        self._timer.cancel()
        for inner in self._inner.values():
            inner.close()
        with self._lock:
            self._sockets.clear()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends one request; raises `ModelError` for an answer beyond the limits."""
        self._check()
        refuse_hosted(request.url)
        request.extensions = {**request.extensions, 'trace': self._trace}
        self._start_timer()
        try:
            response = self._transport(request.url).handle_request(request)
        except httpx.TransportError:
            self._allow(0)  # it may have been cut
            raise
        self.retry_after_s = retry_after(response.headers)
        encoding = response.headers.pop('content-encoding', IDENTITY).strip().lower()
        if encoding not in (IDENTITY, *COMPRESSED):
            response.close()
            raise ModelError(
                f'The server compresses its answer ({encoding:.20}) though it was asked not to: '
                'see what stands before it, such as a proxy.'
            )
        if response.is_redirect:  # a key is sent to the configured server alone
            response.close()
            raise ModelError(
                f'{request.url.host} sends the request on to {_place(response)}: '
                'set planner.base_url to the address that answers.',
                again=False,
            )
        page = ModelError(
            f'{request.url.host} answered with a web page instead of a message of a model: '
            'check planner.base_url, and whether something between asks to log in.'
        )
        body = readable_body(
            self._allowed(response.stream, encoding in COMPRESSED),
            response.status_code < httpx.codes.BAD_REQUEST and _asks_to_stream(request),
            page if response.is_success else None,
        )
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_Readable(body, response.stream, self._timer),
            extensions=response.extensions,
        )

    def _allowed(self, body: Any, is_compressed: bool) -> Iterator[bytes]:
        """Yield the pieces of a body, each if it is allowed."""
        size = 0
        try:
            for piece in _inflated(body) if is_compressed else body:
                size += len(piece)
                self._allow(size)
                yield piece
        except httpx.TransportError:
            self._allow(size)
            raise
        self._allow(size)  # a connection that was cut looks the same as one that has ended

    def _transport(self, url: httpx.URL) -> httpx.HTTPTransport:
        proxy = proxy_for(url)
        if proxy not in self._inner:
            self._inner[proxy] = httpx.HTTPTransport(verify=tls(), proxy=proxy)
        return self._inner[proxy]

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(('connect_tcp.complete', 'start_tls.complete')):
            opened = info['return_value'].get_extra_info('socket')
            with self._lock:
                self._sockets.append(opened)
                if self._cut or self._is_late():
                    _shut(opened)

    def _start_timer(self) -> None:
        """Sees to the deadline where nothing else does: a head may come a byte at a time."""
        self._timer.cancel()
        left = min(max(0.0, self.deadline - time.monotonic()), threading.TIMEOUT_MAX)
        self._timer = threading.Timer(left, self._cut_late)
        self._timer.daemon = True
        self._timer.start()

    def _cut_late(self) -> None:
        with self._lock:
            self._shut_all()

    def _shut_all(self) -> None:
        for each in self._sockets:
            _shut(each)

    def _is_late(self) -> bool:
        return time.monotonic() >= self.deadline

    def _allow(self, size: int) -> None:
        self._check()
        if size > self._limits.max_bytes:
            limit = self._limits.max_bytes
            raise ModelError(
                f'The answer was longer than {limit} bytes and was cut off.',
                hint='Your last message was far too long. Be brief; call one tool.',
            )
        if self._is_late():
            raise ModelError('The answer did not come to an end in time.', out_of_order=True)


class DispatchTransport(httpx.BaseTransport):
    """The transport of a client that all runs share."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Hands the request to the transport of the run that makes it."""
        return _current.get().handle_request(request)


class _Readable(httpx.SyncByteStream):
    """What the client libraries can read of a `body`, whose end ends the `timer`."""

    def __init__(self, readable: Iterator[bytes], body: Any, timer: threading.Timer) -> None:
        self._readable, self._body, self._timer = readable, body, timer

    def __iter__(self) -> Iterator[bytes]:
        return self._readable

    def close(self) -> None:
        self._timer.cancel()
        self._body.close()


def _inflated(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The text of a body in gzip or zlib, in pieces of a bounded size however far it expands.

    A body in gzip may consist of several (RFC 1952).
    """
    inflate = _inflater()
    try:
        for piece in pieces:
            while piece:
                if inflate.eof:
                    if not piece.startswith(_NEXT_GZIP):
                        return  # what is behind the end is nothing
                    inflate = _inflater()
                yield inflate.decompress(piece, PIECE)
                piece = inflate.unconsumed_tail or inflate.unused_data
    except zlib.error:
        raise ModelError('The compressed answer cannot be read.', out_of_order=True) from None


def _inflater() -> Any:
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # 32: either of the two


def timeouts(limits: RequestSettings) -> httpx.Timeout:
    """How long to wait for a connection, and for each piece of an answer."""
    return httpx.Timeout(limits.silence_s, connect=limits.connect_s)


def make_client(limits: RequestSettings) -> httpx.Client:
    """The client for a provider's library. Redirects are not followed: they would get the key."""
    return httpx.Client(transport=DispatchTransport(), timeout=timeouts(limits), headers=HEADERS)


def make_async_client() -> httpx.AsyncClient:
    """A client that a provider's library wants and nobody uses.

    One that it makes itself reads the certificates of all authorities: 25 ms. And it reads the
    proxies of the environment, some of which httpx refuses at once.
    """
    return httpx.AsyncClient(verify=tls(), trust_env=False)


def refuse_hosted(url: httpx.URL) -> None:
    """Raises if the address is not on this machine while `LOOPBACK_ONLY` is set."""
    if os.environ.get(LOOPBACK_ONLY) and not _is_loopback(url.host):
        raise ModelError(
            f'{LOOPBACK_ONLY} is set, so {url.host} is not asked; unset it to use hosted models.',
            again=False,
        )


def proxy_for(url: httpx.URL) -> str | None:
    """The proxy that the environment names for an address (HTTPS_PROXY, NO_PROXY, …).

    Without a scheme it is one of HTTP, as for curl.
    """
    if _is_loopback(url.host) or proxy_bypass(url.host):
        return None
    proxy = getproxies().get(url.scheme)
    return proxy if not proxy or '://' in proxy else f'http://{proxy}'


def retry_after(headers: httpx.Headers) -> float:
    """The seconds of a Retry-After header, given as a number or as a date; 0 if there is none.

    `retry-after-ms`, which OpenAI and Azure send beside it, is the more exact one.
    """
    value = headers.get('retry-after', '')
    for text, unit in ((headers.get('retry-after-ms', ''), 1e-3), (value, 1.0)):
        with suppress(ValueError):
            seconds = float(text) * unit
            if math.isfinite(seconds):
                return max(0.0, seconds)
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return 0.0


def _asks_to_stream(request: httpx.Request) -> bool:
    return _STREAM.search(request.read()) is not None


def _is_loopback(host: str) -> bool:
    if host == 'localhost':
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _shut(opened: socket.socket) -> None:
    """End the connection, so that its close resets it.

    A server that is in the middle of a long answer would else write into a closed window until
    the kernel gives up, a minute or two later, and a local model would go on generating.
    """
    with suppress(OSError):  # it has ended already
        socket.socket.setsockopt(opened, socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE)
        socket.socket.shutdown(opened, socket.SHUT_RDWR)


CERTIFICATES = 'SSL_CERT_FILE'  # read by httpx


@lru_cache(maxsize=1)
def tls() -> ssl.SSLContext:
    """The certificates of all authorities, read once by each process.

    Raises:
        ModelError: They cannot be read.
    """
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # which names no file
        raise ModelError(
            f'The certificates of all authorities cannot be read ({error}): {CERTIFICATES} is '
            f'{os.environ.get(CERTIFICATES, "")!r}; set it to a file that has them, or unset it.',
            again=False,
        ) from None


def _place(response: httpx.Response) -> str:
    """The target of a redirection, without possible secrets in it."""
    if 'location' not in response.headers:
        return 'an address that it does not name'
    try:
        url = httpx.URL(response.headers['location'])
    except httpx.InvalidURL:
        return 'an address that cannot be read'
    return f'{url.copy_with(username=None, password=None, query=None, fragment=None)!s:.100}'
