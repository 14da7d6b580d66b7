"""The hub between ROS and the pages: events are applied at once, and pages are woken."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
import threading
from typing import Any

import anyio

from bt_executive.client.front_end_events import ClientEvent
from bt_executive.view.page_data import to_json
from bt_executive.web.live_page_data import Cursor, LivePageData
from bt_executive.web.operator_view import OperatorView, OperatorViewFold

MAX_TEXTS = 8  # cached messages for pages with the same cursor


class Hub:
    """`put` is called by the thread of the ROS client, all else in the server's event loop.

    Args:
        stage: The data of the run.
        desk: The operator's view.
    """

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
            text = _message('desk', view)
            self._desk = view, text
        return text

    def full_message(self) -> tuple[str, Cursor]:
        """Return the message with all data, and its cursor."""
        data, cursor = self.stage.snapshot()
        return self._cached(('full_message', cursor), lambda: (_message('stage', data), cursor))

    def changes_message(self, cursor: Cursor) -> tuple[str, Cursor]:
        """Return the message with the changes since a cursor, or with all data on a restart."""

        def make() -> tuple[str, Cursor]:
            patch, now = self.stage.patch(cursor)
            return self.full_message() if patch is None else (_message('patch', patch), now)

        return self._cached((cursor, self.stage.change), make)

    def _cached(self, key: Any, make: Callable[[], tuple[str, Cursor]]) -> tuple[str, Cursor]:
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = make()
            while len(self._texts) > MAX_TEXTS:
                self._texts.popitem(last=False)
        return found


def _message(kind: str, value: Any) -> str:
    return f'{{"{kind}":{to_json(value)}}}'
