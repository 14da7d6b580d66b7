"""Where what happens meets the pages: ROS enters and goes on at once, pages are woken and read."""

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

TEXTS_KEPT = 8  # pages that have come equally far are sent the same text


class Hub:
    """`put` is called by the ROS side's thread, all else in the server's loop.

    Args:
        stage: Of the run.
        desk: Of this moment.
    """

    def __init__(self, stage: LivePageData, desk: OperatorViewFold) -> None:
        self.stage = stage
        self.desk = desk
        self._loop: asyncio.AbstractEventLoop | None = None
        self._new = asyncio.Event()
        self._is_rung = False
        self._texts: OrderedDict[Any, tuple[str, Cursor]] = OrderedDict()
        self._desk: tuple[OperatorView | None, str] = None, ''
        self._lock = threading.Lock()
        stage.notify_on_picture(self.wake)

    def begin(self) -> None:
        """The server's loop runs: it is the caller's."""
        with self._lock:
            self._loop = asyncio.get_running_loop()
            self._new, self._is_rung = asyncio.Event(), False  # those of a loop before are its own

    def put(self, event: ClientEvent) -> None:
        """Enters what happened; never waits for a page."""
        new = self.stage.apply(event)
        if self.desk.apply(event, self.stage.current) or new:
            self.wake()

    def wake(self) -> None:
        """There is something new for the pages."""
        with self._lock:
            if self._is_rung or self._loop is None:
                return
            self._is_rung = True
        with suppress(RuntimeError):  # the loop is closed: no page is left
            self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        with self._lock:
            self._is_rung = False
        self._new.set()
        self._new = asyncio.Event()

    async def news(self, seconds: float) -> None:
        """Waits until something is new, or so long."""
        with anyio.move_on_after(seconds):
            await self._new.wait()

    async def event(self, told: int, seconds: float) -> None:
        """Waits until the trace has told more than `told` events, or so long."""
        with anyio.move_on_after(seconds):
            while self.stage.told == told:
                await self._new.wait()

    def desk_message(self, view: OperatorView) -> str:
        """The desk, as a message: one for all pages."""
        of, text = self._desk
        if of is not view:
            text = _message('desk', view)
            self._desk = view, text
        return text

    def whole(self) -> tuple[str, Cursor]:
        """Everything, as a message."""
        data, cursor = self.stage.snapshot()
        return self._shared(('whole', cursor), lambda: (_message('stage', data), cursor))

    def since(self, cursor: Cursor) -> tuple[str, Cursor]:
        """What is new since a cursor, as a message; everything, if the page must begin anew."""

        def make() -> tuple[str, Cursor]:
            patch, now = self.stage.patch(cursor)
            return self.whole() if patch is None else (_message('patch', patch), now)

        return self._shared((cursor, self.stage.change), make)

    def _shared(self, key: Any, make: Callable[[], tuple[str, Cursor]]) -> tuple[str, Cursor]:
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = make()
            while len(self._texts) > TEXTS_KEPT:
                self._texts.popitem(last=False)
        return found


def _message(kind: str, value: Any) -> str:
    return f'{{"{kind}":{to_json(value)}}}'
