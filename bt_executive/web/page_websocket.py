"""One page's connection: what is new goes out, held keys come in. A slow page delays itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
import json

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect

from bt_executive.client.front_end_ports import PagePort
from bt_executive.web.page_access import Access
from bt_executive.web.page_hub import Hub
from bt_executive.web.routes_of_every_page import until_one_ends
from rover_common.json_text import read_json

HEARTBEAT_S = (
    0.5  # a page that receives nothing for a few of these knows that the connection is lost
)
BETWEEN_S = 0.04  # between two messages to a page, unless the trace tells something
GATHER_S = 0.004  # after the first news: what one tick tells comes as several messages of ROS
SEND_LIMIT_S = 10.0  # a page that takes nothing for so long is let go
MOST_PAGES = 64
TOO_MANY, NOT_ALLOWED, TOO_SLOW = 4429, 4403, 4408
MAX_MESSAGE_CHARS = 1000


async def send_within(socket: WebSocket, text: str) -> None:
    """Sends a message.

    Raises:
        TimeoutError: The page does not take it.
    """
    with anyio.fail_after(SEND_LIMIT_S):
        await socket.send_text(text)


@asynccontextmanager
async def closing_lost_page(socket: WebSocket) -> AsyncIterator[None]:
    """Ends the context where a page has gone, or takes nothing: then it is told so."""
    try:
        yield
    except TimeoutError:
        await socket.close(TOO_SLOW)
    except (WebSocketDisconnect, RuntimeError):
        return  # it has gone while something was being sent


class OpenPages:
    """Lets pages in: those that may look, as many as there may be."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._open = 0

    @asynccontextmanager
    async def enter(self, socket: WebSocket) -> AsyncIterator[bool]:
        """Accepts a page until the context ends; or refuses it, with the reason."""
        cookie = socket.cookies.get(self._access.cookie, '')
        reason = self._access.deny_connection(socket.headers, cookie)
        await socket.accept()
        if reason or self._open >= MOST_PAGES:
            await socket.close(NOT_ALLOWED if reason else TOO_MANY, reason)
            yield False
            return
        self._open += 1
        try:
            yield True
        finally:
            self._open -= 1


class PageFeeds:
    """All pages. `port`: drives, while a page holds a key and `access` lets it."""

    def __init__(self, hub: Hub, access: Access, port: PagePort, life: str) -> None:
        self._hub = hub
        self._access = access
        self._port = port
        self._life = life
        self._pages = OpenPages(access)

    async def serve(self, socket: WebSocket) -> None:
        """Serves one page until it goes."""
        async with self._pages.enter(socket) as entered:
            if not entered:
                return
            try:
                await until_one_ends(self._receive(socket), self._send(socket))
            finally:
                self._port.drive('')

    async def _send(self, socket: WebSocket) -> None:
        send, hub = partial(send_within, socket), self._hub
        about = {
            'life': self._life,
            'read_only': self._access.read_only,
            'clock': anyio.current_time(),  # steady, as what is dated by it
        }
        async with closing_lost_page(socket):
            await send(json.dumps({'hello': about}))
            content_change = hub.stage.content_change
            text, cursor = hub.whole()
            await send(text)
            desk, due = None, anyio.current_time() + HEARTBEAT_S
            while True:
                told, now = hub.stage.told, anyio.current_time()
                is_desk_new = hub.desk.view is not desk
                if is_desk_new:
                    desk = hub.desk.view
                    await send(hub.desk_message(desk))
                is_due, is_new = now >= due, hub.stage.content_change != content_change
                due = now + HEARTBEAT_S if is_due or is_new else due
                if is_new or (is_due and hub.stage.change != cursor.change):
                    content_change = hub.stage.content_change
                    text, cursor = hub.since(cursor)
                    await send(text)
                elif not is_desk_new:
                    await send('{"beat":1}')
                not_before = now + BETWEEN_S
                if hub.stage.content_change == content_change and hub.desk.view is desk:
                    await hub.news(due - anyio.current_time())
                await hub.event(told, not_before - anyio.current_time())
                await anyio.sleep(GATHER_S)

    async def _receive(self, socket: WebSocket) -> None:
        """Keys that are held, and that the camera is looked at."""
        with suppress(RuntimeError):  # it has gone
            while (message := await socket.receive())['type'] != 'websocket.disconnect':
                self._handle(message.get('text') or '')  # bytes say nothing

    def _handle(self, text: str) -> None:
        if len(text) > MAX_MESSAGE_CHARS:
            return
        try:
            word = read_json(text)
        except ValueError:
            return
        if not isinstance(word, dict):
            return
        if word.get('camera') is True:
            self._port.request_camera()
        motion = word.get('drive')
        if isinstance(motion, str) and not self._access.read_only:
            self._port.drive(motion)
