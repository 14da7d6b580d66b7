"""When a capture is not allowed: the adapter's latest report of the rover, and how old it is."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum, auto

from rover_common import adapter_status
from rover_common.adapter_status import AdapterStatus
from rover_common.config.settings import Variant
from rover_common.reason import Reason


class Unready(Enum):
    """Reasons against a capture."""

    MOVE_IN_PROGRESS = auto()
    MAST_IS_CLOSED = auto()


MOVE_IN_PROGRESS = Reason(Unready.MOVE_IN_PROGRESS, adapter_status.MOVE_IN_PROGRESS)
MAST_IS_CLOSED = Reason(Unready.MAST_IS_CLOSED, 'Mast is closed')  # spec 1


class CaptureGuard:
    """Refuses captures while the rover moves or its mast is closed.

    Silence allows: without a status, or when the last one is older than `max_age` s, nothing is
    known against a capture, and the executive's own guards stand before this one. In variant A
    the mast does not count.
    """

    def __init__(self, variant: Variant, max_age: float) -> None:
        self._mast_counts = variant == 'B'
        self._max_age = max_age
        self._status = AdapterStatus('')
        self._received_at = float('-inf')

    def update(self, status: AdapterStatus, now: float) -> None:
        """Update with a status; `now` in s."""
        self._status, self._received_at = status, now

    def refusal(self, now: float) -> Reason[Unready] | None:
        """The reason why no capture is allowed at `now`, or None."""
        if now - self._received_at > self._max_age:
            return None
        if self._status.moving:
            return MOVE_IN_PROGRESS
        if self._mast_counts and self._status.details.get('mast_is_open') is False:
            return MAST_IS_CLOSED
        return None


class Freshness:
    """Remembers when a thing last changed. Times in s of one clock; the caller reads it.

    What changed is judged by a mark, such as a stamp, and its age by the hearer's own clock: a
    sender on another clock (a simulator's) is neither too old nor from the future.
    """

    def __init__(self, max_age: float) -> None:
        self.max_age = max_age
        self._mark: Hashable = None
        self._since: float | None = None

    def note(self, mark: Hashable, now: float) -> None:
        """Update with the thing's mark; an unchanged mark is no new reception."""
        if self._since is None or mark != self._mark:
            self._mark, self._since = mark, now

    def age(self, now: float) -> float:
        """Seconds since the latest new mark; infinite if there was none."""
        return float('inf') if self._since is None else now - self._since

    def is_stale(self, now: float) -> bool:
        """Whether the latest new mark is older than allowed."""
        return self.age(now) > self.max_age
