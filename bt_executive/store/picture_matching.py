"""Which published pictures were scored or looked at: brings both together by their stamps."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
import threading

from bt_executive.core.judged_pictures import judged_picture_of
from bt_executive.store.run_folder_formats import PictureEntry
from rover_common.trace_event import TraceEvent

PICTURES_KEPT = 40  # published pictures that wait for a score
STAMP_TOLERANCE_S = 1e-4


class PictureMatch:
    """Takes pictures from one thread and scores from another.

    The result of a capture or a look names the stamp of its picture; the picture itself comes on
    its topic, before or after. `keep` takes both as soon as both are there.
    """

    def __init__(self, keep: Callable[[PictureEntry, bytes], None]) -> None:
        self._keep = keep
        self._lock = threading.Lock()
        self._pictures: OrderedDict[float, bytes] = OrderedDict()
        self._wanted: list[PictureEntry] = []

    def picture(self, stamp: float, jpeg: bytes) -> None:
        """Takes a published picture; `stamp` in ROS seconds."""
        with self._lock:
            self._pictures[stamp] = jpeg
            while len(self._pictures) > PICTURES_KEPT:
                self._pictures.popitem(last=False)
            self._match()

    def score(self, event: TraceEvent) -> None:
        """Takes the event of a scored picture or of a look; others are left alone."""
        judged = judged_picture_of(event)
        if judged is None:
            return
        entry = PictureEntry(ts=event.ts, event_id=event.event_id, **vars(judged))
        with self._lock:
            self._wanted = [*self._wanted, entry][-PICTURES_KEPT:]
            self._match()

    def _match(self) -> None:
        for entry in list(self._wanted):
            found = next(
                (s for s in self._pictures if abs(s - entry.stamp) < STAMP_TOLERANCE_S), None
            )
            if found is not None:
                self._wanted.remove(entry)
                self._keep(entry, self._pictures[found])
