"""The feed of a page: its websocket, and the hub that wakes it when something has changed.

Events are applied at once; a slow page delays only itself.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
import json
import threading
import time
from typing import Any

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect

from bt_executive.client.front_end_events import ClientEvent
from bt_executive.client.front_end_ports import PagePort
from bt_executive.view.current_presence_events_and_scores import CurrentView
from bt_executive.view.page_data_fields_and_json import to_json
from bt_executive.web.operator_view import OperatorView, OperatorViewFold
from bt_executive.web.page_access import Access
from bt_executive.web.page_snapshots_and_patches import Cursor, LivePageData
from rover_common.json_values import read_json

MAX_TEXTS = 8  # cached messages for pages with the same cursor
HEARTBEAT_S = 0.5  # a page without messages for a few of these shows a lost connection
MIN_INTERVAL_S = 0.04  # between two messages to a page, unless there is a trace event
GATHER_S = 0.004  # after the first change: one tick publishes several ROS messages
SEND_LIMIT_S = 10.0  # until a page that does not receive is disconnected
MAX_PAGES = 64
TOO_MANY, NOT_ALLOWED, TOO_SLOW = 4429, 4403, 4408
MAX_MESSAGE_CHARS = 1000


class Hub:
    """`put` is called by the thread of the ROS client, all else in the server's event loop."""

    def __init__(self, stage: LivePageData, desk: OperatorViewFold) -> None:
        self.stage = stage
        self.desk = desk
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()
        self._is_waking = False
        self._texts: OrderedDict[Any, tuple[str, Cursor]] = OrderedDict()
        self._desk: tuple[OperatorView | None, str] = None, ''
        self._lock = threading.Lock()
        stage.notify_on_picture(self.wake)

    def begin(self) -> None:
        """Starts to wake pages, in the running event loop of the server."""
        with self._lock:
            self._loop = asyncio.get_running_loop()
            self._changed, self._is_waking = asyncio.Event(), False  # an event belongs to its loop

    def put(self, event: ClientEvent) -> None:
        """Applies an event; never waits for a page."""
        is_new = self.stage.apply(event)
        if self.desk.apply(event, self.stage.current) or is_new:
            self.wake()

    def wake(self) -> None:
        """Wakes the pages."""
        with self._lock:
            if self._is_waking or self._loop is None:
                return
            self._is_waking = True
        with suppress(RuntimeError):  # the loop is closed: there is no page
            self._loop.call_soon_threadsafe(self._wake_pages)

    def _wake_pages(self) -> None:
        with self._lock:
            self._is_waking = False
        self._changed.set()
        self._changed = asyncio.Event()

    def views(self) -> tuple[OperatorView, CurrentView]:
        """Return the views of this moment."""
        return self.desk.view, self.stage.current

    async def wait_for_change(self, seconds: float) -> None:
        """Waits for a change, for at most `seconds`."""
        with anyio.move_on_after(seconds):
            await self._changed.wait()

    async def wait_for_event(self, event_count: int, seconds: float) -> None:
        """Waits until there are more than `event_count` trace events, for at most `seconds`."""
        with anyio.move_on_after(seconds):
            while self.stage.event_count == event_count:
                await self._changed.wait()

    def desk_message(self, view: OperatorView) -> str:
        """Return the message with the operator's view; cached for all pages."""
        cached, text = self._desk
        if cached is not view:
            text = _json_message('desk', view)
            self._desk = view, text
        return text

    def full_message(self) -> tuple[str, Cursor]:
        """Return the message with all data, and its cursor."""
        data, cursor = self.stage.snapshot()
        return self._cached(
            ('full_message', cursor), lambda: (_json_message('stage', data), cursor)
        )

    def changes_message(self, cursor: Cursor) -> tuple[str, Cursor]:
        """Return the message with the changes since a cursor, or with all data on a restart."""

        def make() -> tuple[str, Cursor]:
            patch, now = self.stage.patch(cursor)
            return self.full_message() if patch is None else (_json_message('patch', patch), now)

        return self._cached((cursor, self.stage.change), make)

    def _cached(self, key: Any, make: Callable[[], tuple[str, Cursor]]) -> tuple[str, Cursor]:
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = make()
            while len(self._texts) > MAX_TEXTS:
                self._texts.popitem(last=False)
        return found


def _json_message(kind: str, value: Any) -> str:
    return f'{{"{kind}":{to_json(value)}}}'


async def send_within(socket: WebSocket, text: str) -> None:
    """Sends a message.

    Raises:
        TimeoutError: The page does not receive it.
    """
    with anyio.fail_after(SEND_LIMIT_S):
        await socket.send_text(text)


@asynccontextmanager
async def closing_lost_page(socket: WebSocket) -> AsyncIterator[None]:
    """Ends the context if a page has gone or does not receive; closes the socket then."""
    try:
        yield
    except TimeoutError:
        await socket.close(TOO_SLOW)
    except (WebSocketDisconnect, RuntimeError):
        return  # it has gone during a send


class OpenPages:
    """Accepts pages with access, up to `MAX_PAGES`."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._open = 0

    @asynccontextmanager
    async def enter(self, socket: WebSocket) -> AsyncIterator[bool]:
        """Accepts a page until the context ends, or refuses it with a reason."""
        cookie = socket.cookies.get(self._access.cookie, '')
        reason = self._access.deny_connection(socket.headers, cookie)
        await socket.accept()
        if reason or self._open >= MAX_PAGES:
            await socket.close(NOT_ALLOWED if reason else TOO_MANY, reason)
            yield False
            return
        self._open += 1
        try:
            yield True
        finally:
            self._open -= 1


class PageFeeds:
    """The feeds of all pages. `port`: drives while a page with access holds a key.

    Of several pages the one drives that began to hold last. What another one still holds is no new
    wish: it drives again once it has released that.
    """

    def __init__(self, hub: Hub, access: Access, port: PagePort, server_id: str) -> None:
        self._hub = hub
        self._access = access
        self._port = port
        self._server_id = server_id
        self._pages = OpenPages(access)
        self._driving: WebSocket | None = None  # the page whose motion is held
        self._overtaken: set[WebSocket] = set()  # pages that still hold what another one has ended

    async def serve(self, socket: WebSocket) -> None:
        """Serves one page until it goes."""
        async with self._pages.enter(socket) as entered:
            if not entered:
                return
            try:
                await until_one_ends(self._receive(socket), self._send(socket))
            finally:
                self._release(socket)

    async def _send(self, socket: WebSocket) -> None:
        send, hub = partial(send_within, socket), self._hub
        about = {
            'life': self._server_id,
            'read_only': self._access.read_only,
            'clock': anyio.current_time(),  # steady time in s
            'system': time.time(),  # system time in s, in which requests expire
        }
        async with closing_lost_page(socket):
            await send(json.dumps({'hello': about}))
            content_change = hub.stage.content_change
            text, cursor = hub.full_message()
            await send(text)
            desk, due = None, anyio.current_time() + HEARTBEAT_S
            while True:
                event_count, now = hub.stage.event_count, anyio.current_time()
                is_desk_new = hub.desk.view is not desk
                if is_desk_new:
                    desk = hub.desk.view
                    await send(hub.desk_message(desk))
                is_due, is_new = now >= due, hub.stage.content_change != content_change
                due = now + HEARTBEAT_S if is_due or is_new else due
                if is_new or (is_due and hub.stage.change != cursor.change):
                    content_change = hub.stage.content_change
                    text, cursor = hub.changes_message(cursor)
                    await send(text)
                elif not is_desk_new:
                    await send('{"beat":1}')
                not_before = now + MIN_INTERVAL_S
                if hub.stage.content_change == content_change and hub.desk.view is desk:
                    await hub.wait_for_change(due - anyio.current_time())
                await hub.wait_for_event(event_count, not_before - anyio.current_time())
                await anyio.sleep(GATHER_S)

    async def _receive(self, socket: WebSocket) -> None:
        """Receives held keys, and requests for the camera."""
        with suppress(RuntimeError):  # it has gone
            while (message := await socket.receive())['type'] != 'websocket.disconnect':
                self._handle(socket, message.get('text') or '')  # bytes are ignored

    def _handle(self, socket: WebSocket, text: str) -> None:
        if len(text) > MAX_MESSAGE_CHARS:
            return
        try:
            message = read_json(text)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        if message.get('camera') is True:
            self._port.request_camera()
        motion = message.get('drive')
        if isinstance(motion, str) and not self._access.read_only:
            if motion:
                self._hold(socket, motion)
            else:
                self._release(socket)

    def _hold(self, socket: WebSocket, motion: str) -> None:
        if socket in self._overtaken:
            return
        if self._driving is not None and self._driving is not socket:
            self._overtaken.add(self._driving)
            self._port.drive('')
        self._driving = socket
        self._port.drive(motion)

    def _release(self, socket: WebSocket) -> None:
        self._overtaken.discard(socket)
        if self._driving is socket:
            self._driving = None
            self._port.drive('')


async def until_one_ends(*awaitables: Awaitable[None]) -> None:
    """Waits for the first one to end, and cancels the others."""
    async with anyio.create_task_group() as group:

        async def run(one: Awaitable[None]) -> None:
            await one
            group.cancel_scope.cancel()

        for each in awaitables:
            group.start_soon(run, each)
