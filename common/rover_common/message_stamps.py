"""Whether a message brings a new measurement, by its stamp.

A publisher that hangs in a loop, a bridge or a recorder may send the same measurement again and
again: each message arrives now, and its content is as old as its stamp. Stamps in s.
"""

from __future__ import annotations

from rover_common.geometry.transforms import SET_BACK_S

UNSTAMPED = 0.0  # the stamp of a message whose publisher does not fill it in

ANOTHER_CLOCK_S = 60.0  # no message travels for so long: its stamp is of another clock


def age_of(stamp: float, now: float) -> float:
    """Return how long ago a measurement was taken; 0 where its stamp does not show it.

    A driver may not fill it in, or count from when it was started.
    """
    age_s = now - stamp
    return age_s if stamp != UNSTAMPED and 0.0 < age_s < ANOTHER_CLOCK_S else 0.0


def is_newer(stamp: float, latest: float | None) -> bool:
    """Return whether a measurement was taken after the latest one.

    One that is much older was taken by a clock that was set back, and is new.
    """
    return latest is None or stamp > latest or stamp < latest - SET_BACK_S


class LatestStamp:
    """Remembers the stamp of the latest measurement of one topic.

    An unstamped message counts as new: its age is unknown.
    """

    def __init__(self) -> None:
        self._latest: float | None = None

    def advance(self, stamp: float) -> bool:
        """Return whether this stamp is a new one, and remember it."""
        if stamp == UNSTAMPED:
            return True
        if not is_newer(stamp, self._latest):
            return False
        self._latest = stamp
        return True
