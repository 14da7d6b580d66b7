"""Scored and described pictures, scaled for the live page: bytes and score arrive in either order.

Bytes and score are joined by the stamp. A simulation that starts anew repeats its stamps, and
browsers keep pictures for a day, so each picture has a name that no other one has.

They are scaled in a separate thread: it takes 20 ms of computing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
import io
import logging
import secrets
from typing import Any

from bt_executive.client.front_end_events import PictureReceived
from bt_executive.core.picture_in_trace_event import judged_picture_of
from bt_executive.view.page_data_fields_and_json import PagePicture
from bt_executive.view.small_picture import SmallPicture, make_small
from rover_common.trace_event import TraceEvent

MAX_SHOWN = 1000  # scaled pictures, about 25 kB each
MAX_PUBLISHED = 40  # pictures, of which few are scored
MAX_WAITING = 40  # scores without picture
MAX_QUEUED = 20  # pictures to scale; these take less than a second
PICTURE_TIMEOUT_S = 3.0  # for the picture of a score
NAME_BYTES = 4  # random ones, in the name of a picture
NOT_RECEIVED = 'it was taken before this page could see it'
UNREADABLE = 'it cannot be read'
SKIPPED = 'too many came at once'

_logger = logging.getLogger(__name__)


class LivePictures:
    """Not thread-safe, except `jpeg`. `show` is called from a thread of its own. To be closed."""

    def __init__(self, show: Callable[[PagePicture], None]) -> None:
        self._show = show
        self._work = ThreadPoolExecutor(1, thread_name_prefix='pictures')
        self._queued: set[Future[None]] = set()
        self._skipped: list[PagePicture] = []
        # By stamp; names of those that are scaled, or queued.
        self._published: OrderedDict[str, bytes] = OrderedDict()
        self._waiting: dict[str, tuple[PagePicture, float]] = {}
        self._started: OrderedDict[str, str] = OrderedDict()
        self._small: OrderedDict[str, SmallPicture] = OrderedDict()  # by name

    def jpeg(self, name: str) -> bytes | None:
        """Return the bytes of a picture by the last part of its `src`."""
        small = self._small.get(name)
        return small.jpeg if small else None

    def add_published(self, picture: PictureReceived) -> None:
        """Adds a published picture."""
        stamp = _stamp_text(picture.stamp)
        waiting = self._waiting.pop(stamp, None)
        if waiting:
            self._start(stamp, waiting[0], picture.jpeg)
            return
        self._published[stamp] = picture.jpeg
        while len(self._published) > MAX_PUBLISHED:
            self._published.popitem(last=False)

    def add_judged(self, event: TraceEvent) -> None:
        """Adds the score or description in an event, if there is one."""
        judged = judged_picture_of(event)
        if judged is None:
            return
        picture = PagePicture(
            judged.stamp, event.ts, judged.score, judged.is_good, words=judged.words
        )
        stamp = _stamp_text(picture.stamp)
        jpeg = self._published.pop(stamp, None)
        if jpeg is not None:
            self._start(stamp, picture, jpeg)
        elif stamp in self._started:  # it is judged a second time
            self._submit(picture, self._show_scaled, self._started[stamp], picture)
        else:
            self._waiting[stamp] = (picture, event.ts + PICTURE_TIMEOUT_S)
            if len(self._waiting) > MAX_WAITING:  # their deadline may be far ahead of this clock
                oldest, _ = self._waiting.pop(next(iter(self._waiting)))
                self._skipped.append(replace(oldest, why=NOT_RECEIVED))

    def pop_overdue(self, now: float) -> list[PagePicture]:
        """Removes and returns the scores without picture, overdue or skipped."""
        skipped, self._skipped = self._skipped, []
        late = [stamp for stamp, (_, until) in self._waiting.items() if until < now]
        pictures = [self._waiting.pop(stamp)[0] for stamp in late]
        return [*skipped, *(replace(each, why=NOT_RECEIVED) for each in pictures)]

    def begin_run(self) -> None:
        """Takes the stamps from now on for those of another run."""
        self._published.clear()
        self._started.clear()
        self._waiting.clear()

    def close(self) -> None:
        """Ends the thread after the current picture."""
        self._work.shutdown(cancel_futures=True)

    def _start(self, stamp: str, picture: PagePicture, jpeg: bytes) -> None:
        name = f'{stamp}-{secrets.token_hex(NAME_BYTES)}.jpg'
        if not self._submit(picture, self._scale, name, picture, jpeg):
            return
        self._started[stamp] = name
        while len(self._started) > MAX_SHOWN:
            self._started.popitem(last=False)

    def _submit(self, picture: PagePicture, job: Callable[..., None], *arguments: Any) -> bool:
        """Queues a job for a picture; returns False if the queue is full."""
        self._queued = {each for each in self._queued if not each.done()}
        if len(self._queued) >= MAX_QUEUED:
            self._skipped.append(replace(picture, why=SKIPPED))
            return False
        queued = self._work.submit(job, *arguments)
        self._queued.add(queued)
        queued.add_done_callback(_log_fault)
        return True

    # --- in the thread ---------------------------------------------------------------------------

    def _scale(self, name: str, picture: PagePicture, jpeg: bytes) -> None:
        with suppress(Exception):  # a decoder may raise anything for invalid bytes
            self._small[name] = make_small(io.BytesIO(jpeg))
            while len(self._small) > MAX_SHOWN:
                self._small.popitem(last=False)
        self._show_scaled(name, picture)

    def _show_scaled(self, name: str, picture: PagePicture) -> None:
        small = self._small.get(name)
        found = {'src': f'/pictures/{name}', 'lift': small.lift} if small else {'why': UNREADABLE}
        self._show(replace(picture, **found))


def _log_fault(done: Future[None]) -> None:
    fault = None if done.cancelled() else done.exception()
    if fault is not None:
        _logger.error('A picture could not be shown.', exc_info=fault)


def _stamp_text(stamp: float) -> str:
    return f'{stamp:.6f}'
