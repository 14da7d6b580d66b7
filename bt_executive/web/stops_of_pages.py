"""How many stops each open page has requested: what it requested before them is not carried out.

A request may wait in a slow connection, or in a server that hangs, while the stop goes its own
way. So each request of a page has the number of stops that the page had requested by then.
"""

from __future__ import annotations

from collections import OrderedDict
import re
from threading import Lock

MAX_PAGES = 10_000  # beyond it the one that stopped least recently is dropped
PAGE_STOPS = re.compile(r'([0-9a-f-]{36}) ([0-9]{1,9})')  # id of the page, number of its stops


class StopsOfPages:
    """Number of stops by page. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stops: OrderedDict[str, int] = OrderedDict()

    def note(self, text: str) -> None:
        """Notes what a page sends with its stop; ignores what is of another form."""
        found = PAGE_STOPS.fullmatch(text)
        if found is None:
            return
        page, stops = found[1], int(found[2])
        with self._lock:
            self._stops[page] = max(stops, self._stops.pop(page, 0))
            if len(self._stops) > MAX_PAGES:
                self._stops.popitem(last=False)

    def has_stopped_since(self, page: str, stops: int) -> bool:
        """Return whether a page has requested more than so many stops."""
        with self._lock:
            return self._stops.get(page, 0) > stops
