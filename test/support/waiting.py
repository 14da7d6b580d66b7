"""Waiting for what another thread or process does: the one loop that looks and sleeps."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import TypeVar

Seen = TypeVar('Seen')

# Says nothing of what is waited for: a busy machine may take as long as it likes.
LIMIT_S = 120.0
LOOK_S = 0.002


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
        look_s: Time between two looks, in which this thread sleeps.
        meanwhile: Is done between two looks instead: spins an executor (`spinning.turn_of`), or
            ticks a tree.
    """
    deadline = time.monotonic() + limit_s
    while not (seen := condition()):
        if time.monotonic() >= deadline:
            words = what() if callable(what) else what
            raise AssertionError(f'Not within {limit_s:g} s: {words}')
        meanwhile() if meanwhile else time.sleep(look_s)
    return seen
