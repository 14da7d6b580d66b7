"""HttpConnection: what uvicorn lacks against peers that never end a request, or read no answer.

Without it every connection whose request has no end, in its head or in its body, or whose answer
is not read, stays open for ever, and takes a file of the process; and a body that is no HTTP is
answered twice, or in the middle of an answer, which ends in a traceback. Each of our uvicorn
servers uses it (`uvicorn.Config(http=HttpConnection)`).
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0  # for the head of a request, from the connection or the answer before it
BODY_S = 60.0  # for its body, while nothing of it waits to be read and no answer has begun
MOST_HALF_OPEN = 64  # connections that wait for their peer; beyond it the oldest are closed
SILENT = ('IDLE', 'SEND_RESPONSE')  # states of h11 in which an answer may begin
TOO_LATE = b'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'


def _without_traceback(record: logging.LogRecord) -> bool:
    """Of a text that is no UTF-8 one line is enough: its sender is told by code 1007."""
    if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
        record.exc_info = None
    return True


logging.getLogger('uvicorn.error').addFilter(_without_traceback)


class HttpConnection(H11Protocol):
    """One connection of a server. A whole request that is being answered may take any time.

    Attributes:
        half_open_since: When it began to wait for a request, in the loop's time; None while there
            is one.
        made_at: When it was made, in the loop's time.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.half_open_since: float | None = None
        self.made_at = self.loop.time()
        self._awaited = ''  # `head` or `body` of a request; empty: nothing
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._watch()
        self._close_oldest()

    def pause_writing(self) -> None:
        """Waits until its peer has read."""
        super().pause_writing()
        self._close_oldest()

    def data_received(self, data: bytes) -> None:
        """Reads on."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Waits for the next request, which may be there already."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits no more."""
        super().connection_lost(exc)
        self._forget()

    def send_400_response(self, msg: str) -> None:
        """Answer so if no answer has begun; the application's answer is dropped from now on."""
        self._drop_answer()
        if self.conn.our_state.__name__ in SILENT:
            super().send_400_response(msg)
        else:
            self.transport.close()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Leaves the connection to another protocol."""
        self._forget()
        super().handle_websocket_upgrade(event)

    def _close_oldest(self) -> None:
        since = {each: _waits_since(each) for each in self.connections}
        waiting = sorted((at, id(each), each) for each, at in since.items() if at is not None)
        for _, _, each in waiting[:-MOST_HALF_OPEN]:
            each.transport.abort()  # whoever reads nothing would keep a mere end waiting, too

    def _watch(self) -> None:
        awaited = self._what_is_awaited()
        if awaited != self._awaited:
            self._forget()
            self._awaited = awaited
            if awaited == 'head':
                self.half_open_since = self.loop.time()
            if awaited:
                limit_s = HEAD_S if awaited == 'head' else BODY_S
                self._deadline = self.loop.call_later(limit_s, self._expire)

    def _what_is_awaited(self) -> str:
        if self not in self.connections or self.transport.is_closing():
            return ''
        if self.cycle is None or self.cycle.response_complete:
            return 'head'
        is_silent = self.conn.our_state.__name__ in SILENT
        return 'body' if is_silent and self.cycle.more_body else ''

    def _forget(self) -> None:
        self.half_open_since, self._awaited = None, ''
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        is_unread = self._awaited == 'body' and self.cycle.body  # the application is slow
        is_awaited = self._awaited == self._what_is_awaited() and not is_unread
        self._forget()
        if not is_awaited:
            self._watch()
            return
        self._drop_answer()
        self.transport.write(TOO_LATE)
        self.transport.close()

    def _drop_answer(self) -> None:
        """Ends what is being answered: its application learns that its peer has gone."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()


def _waits_since(connection: Any) -> float | None:
    """Return since when a connection waits for its peer, in the loop's time; None: it does not.

    A peer may have to send a request, to read an answer, or to confirm the end of its socket.
    """
    if isinstance(connection, HttpConnection):
        is_unread = connection.transport.get_write_buffer_size() > 0
        return connection.made_at if is_unread else connection.half_open_since
    timer = getattr(connection, 'close_timer', None)  # of uvicorn's websockets
    return None if timer is None else float(timer.when() - connection.close_timeout)
