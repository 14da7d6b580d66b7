"""Pictures that were scored or looked at, as they come: bytes and score, in either order.

They are made small beside: it takes 20 ms of computing, in which other news would wait.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
import io
import logging
from typing import Any

from bt_executive.client.front_end_events import PictureReceived
from bt_executive.core.judged_pictures import judged_picture_of
from bt_executive.view.page_data import PagePicture
from bt_executive.view.small_picture import SmallPicture, make_small
from rover_common.trace_event import TraceEvent

MOST_SHOWN = 1000  # small ones, about 25 kB each
MOST_PUBLISHED = 40  # a camera may publish all that it sees: few of these are scored
MOST_WAITING = 40  # scores whose picture has not come yet
MOST_QUEUED = 20  # to be made small; these take less than a second
PATIENCE_S = 3.0  # so long a score waits for its picture
MISSED = 'it was taken before this page could see it'
UNREADABLE = 'it cannot be read'
SKIPPED = 'too many came at once'

_logger = logging.getLogger(__name__)


class LivePictures:
    """Not thread-safe, but for `jpeg`. `show` takes what can be shown, in a thread of its own.

    To be closed in the end.
    """

    def __init__(self, show: Callable[[PagePicture], None]) -> None:
        self._show = show
        self._work = ThreadPoolExecutor(1, thread_name_prefix='pictures')
        self._queued: set[Future[None]] = set()
        self._skipped: list[PagePicture] = []
        self._published: OrderedDict[str, bytes] = OrderedDict()
        self._small: OrderedDict[str, SmallPicture] = OrderedDict()
        self._waiting: dict[str, tuple[PagePicture, float]] = {}
        self._begun: OrderedDict[str, None] = OrderedDict()  # made small, or about to be

    def jpeg(self, name: str) -> bytes | None:
        """The bytes of a picture by the end of its `src`."""
        found = self._small.get(name)
        return found.jpeg if found else None

    def published(self, seen: PictureReceived) -> None:
        """A picture was published."""
        name = _name(seen.stamp)
        waiting = self._waiting.pop(name, None)
        if waiting:
            self._begin(name, waiting[0], seen.jpeg)
            return
        self._published[name] = seen.jpeg
        while len(self._published) > MOST_PUBLISHED:
            self._published.popitem(last=False)

    def judged(self, event: TraceEvent) -> None:
        """Perhaps a picture was scored or looked at."""
        found = judged_picture_of(event)
        if found is None:
            return
        picture = PagePicture(found.stamp, event.ts, found.score, found.is_good, words=found.words)
        name = _name(picture.stamp)
        if name in self._begun:  # it is judged a second time
            self._submit(picture, self._show_again, name, picture)
            return
        jpeg = self._published.pop(name, None)
        if jpeg is not None:
            self._begin(name, picture, jpeg)
        else:
            self._waiting[name] = (picture, event.ts + PATIENCE_S)
            if len(self._waiting) > MOST_WAITING:  # their time may lie ahead of this clock
                oldest, _ = self._waiting.pop(next(iter(self._waiting)))
                self._skipped.append(replace(oldest, why=MISSED))

    def overdue(self, now: float) -> list[PagePicture]:
        """Scores whose picture does not come, or was skipped; shown without."""
        skipped, self._skipped = self._skipped, []
        late = [name for name, (_, until) in self._waiting.items() if until < now]
        pictures = [self._waiting.pop(name)[0] for name in late]
        return [*skipped, *(replace(each, why=MISSED) for each in pictures)]

    def close(self) -> None:
        """Makes no more pictures small; waits for the one that is under way."""
        self._work.shutdown(cancel_futures=True)

    def _begin(self, name: str, picture: PagePicture, jpeg: bytes) -> None:
        if not self._submit(picture, self._make, name, picture, jpeg):
            return
        self._begun[name] = None
        while len(self._begun) > MOST_SHOWN:
            self._begun.popitem(last=False)

    def _submit(self, picture: PagePicture, job: Callable[..., None], *arguments: Any) -> bool:
        """Queues a job for a picture; False if that is skipped, for too many wait."""
        self._queued = {each for each in self._queued if not each.done()}
        if len(self._queued) >= MOST_QUEUED:
            self._skipped.append(replace(picture, why=SKIPPED))
            return False
        queued = self._work.submit(job, *arguments)
        self._queued.add(queued)
        queued.add_done_callback(_log_fault)
        return True

    # --- in that thread -------------------------------------------------------------------------

    def _make(self, name: str, picture: PagePicture, jpeg: bytes) -> None:
        with suppress(Exception):  # a decoder may raise anything for bytes that are no picture
            self._small[name] = make_small(io.BytesIO(jpeg))
            while len(self._small) > MOST_SHOWN:
                self._small.popitem(last=False)
        self._show_again(name, picture)

    def _show_again(self, name: str, picture: PagePicture) -> None:
        small = self._small.get(name)
        self._show(_with(picture, name, small) if small else replace(picture, why=UNREADABLE))


def _log_fault(done: Future[None]) -> None:
    fault = None if done.cancelled() else done.exception()
    if fault is not None:
        _logger.error('A picture could not be shown.', exc_info=fault)


def _with(picture: PagePicture, name: str, small: SmallPicture) -> PagePicture:
    return replace(picture, src=f'/pictures/{name}', lift=small.lift)


def _name(stamp: float) -> str:
    return f'{stamp:.6f}.jpg'
