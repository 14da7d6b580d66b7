"""Goals that live only as long as whoever sent them says that it is alive.

Such a goal is known by its UUID, which is of version 8, the one that RFC 9562 leaves to
applications. So action, journal and trace carry the mark, and a restarted executive knows it of
the goals that it takes up (docs/decisions/0063-goals-that-are-kept-alive.md). It is also the mark
of an agent's goal: who must be alive is a program, and no operator.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
import uuid

from rover_common.clocks import Now

VERSION = 8
VERSION_SHIFT, VERSION_MASK = 76, 0xF << 76  # of a UUID's 128 bits
PERIOD_S = 0.5  # between two signs of life for one goal
LONGEST_S = 3.0  # of silence: five signs may be lost, or late, on the way
# So long after its start an executive may not have been found by whoever sent a goal before.
FOUND_WITHIN_S = 10.0


def new_kept_alive_id() -> str:
    """The UUID of a new goal that is cancelled when its sender falls silent."""
    bits = uuid.uuid4().int & ~VERSION_MASK | VERSION << VERSION_SHIFT
    return str(uuid.UUID(int=bits))


@lru_cache(maxsize=256)  # asked of the same goal again and again in each tick
def is_kept_alive(task_id: str) -> bool:
    """Whether a goal is cancelled when its sender falls silent: it is an agent's."""
    try:
        return uuid.UUID(task_id).version == VERSION
    except ValueError:
        return False


class KeepaliveWatch:
    """For how long nobody has been heard of about each goal that is kept alive.

    A sign that comes twice, late, or about a goal that is not open, changes nothing else than that
    its goal lives `LONGEST_S` longer. Time in which this process stood still does not count: the
    signs of that time are still to be read.

    Args:
        began: When this executive began.
    """

    def __init__(self, began: Now) -> None:
        self._began = began.steady
        self._heard: dict[str, float] = {}

    def heard(self, task_id: str, now: Now) -> None:
        """The sender of a goal is alive."""
        if task_id in self._heard:
            self._heard[task_id] = now.steady

    def silent(self, open_goals: Iterable[str], now: Now) -> list[str]:
        """The goals whose sender has fallen silent; each once in `LONGEST_S`."""
        kept = filter(is_kept_alive, open_goals)
        self._heard = {each: self._heard.get(each, now.steady) for each in kept}
        if now.steady < self._began + FOUND_WITHIN_S:
            return []
        silent = [each for each, at in self._heard.items() if now.silent_for(at) > LONGEST_S]
        self._heard.update(dict.fromkeys(silent, now.steady))
        return silent
