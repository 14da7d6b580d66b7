"""Waiting for what another thread or process does: the one loop that looks and sleeps."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import TypeVar

Seen = TypeVar('Seen')

# Says nothing of what is waited for: a busy machine may take as long as it likes.
LIMIT_S = 120.0
LOOK_S, LONGEST_LOOK_S = 0.002, 0.02
# Several tests wait at a time, for processes that need the machine: so much of a core for each,
# and no wait gets longer by more than that.
SHARE = 0.05


def wait_until(
    condition: Callable[[], Seen],
    what: str | Callable[[], str] = 'it has come true',
    limit_s: float = LIMIT_S,
    look_s: float = LOOK_S,
    meanwhile: Callable[[], object] | None = None,
) -> Seen:
    """Looks until the condition is true and returns it.

    Args:
        condition: Is looked at again and again.
        what: The sentence for what was waited for, or gives it when the time is over.
        limit_s: Longest time.
        look_s: Time between two looks, in which this thread sleeps. It gets longer in a long wait,
            and where looking takes its time.
        meanwhile: Is done between two looks instead: spins an executor (`spinning.turn_of`), or
            ticks a tree.
    """
    began = time.monotonic()
    while True:
        looks_at, used_s = time.monotonic(), time.thread_time()
        if seen := condition():
            return seen
        if looks_at >= began + limit_s:
            words = what() if callable(what) else what
            raise AssertionError(f'Not within {limit_s:g} s: {words}')
        if meanwhile:
            meanwhile()
            continue
        longer_s = min(SHARE * (looks_at - began), LONGEST_LOOK_S)
        time.sleep(max(look_s, longer_s, (time.thread_time() - used_s) / SHARE))
