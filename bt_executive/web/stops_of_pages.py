"""The latest stop of each open page: what the page requested before it is not carried out.

A request may wait in a slow connection, or in a server that hangs, while the stop goes its own
way. So each page numbers its requests, stops among them.
"""

from __future__ import annotations

from collections import OrderedDict
import re
from threading import Lock

MAX_PAGES = 10_000  # beyond it the one that stopped least recently is dropped
PAGE_STOP = re.compile(r'([0-9a-f-]{36}) ([0-9]{1,9})')  # id of the page, number of its stop


class StopsOfPages:
    """Number of the latest stop by page. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stops: OrderedDict[str, int] = OrderedDict()

    def note(self, text: str) -> None:
        """Notes what a page sends with its stop; ignores what is of another form."""
        found = PAGE_STOP.fullmatch(text)
        if found is None:
            return
        page, number = found[1], int(found[2])
        with self._lock:
            self._stops[page] = max(number, self._stops.pop(page, 0))
            if len(self._stops) > MAX_PAGES:
                self._stops.popitem(last=False)

    def has_stopped_since(self, page: str, number: int) -> bool:
        """Return whether a page has requested a stop after its request of this number."""
        with self._lock:
            return self._stops.get(page, 0) > number
