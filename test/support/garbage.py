"""What lives as long as the suite is no garbage: the collector need not look at it each time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import gc


def spare_what_lives() -> None:
    """Collects garbage, and leaves what is alive now out of every later collection.

    Modules and collected tests are most of a test process; to look through them takes longer than
    many a test.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def collect_what_is_new() -> None:
    """Collects garbage, and leaves out of later collections what is loaded by now.

    To be called where no fixture is left but those of the whole suite: what is frozen is freed
    only by its last reference. A test loads libraries that the suite had not; to look through
    them takes 0.07 s each time.
    """
    gc.collect()
    gc.freeze()


def collect_seldom() -> None:
    """Looks for garbage after 20,000 new objects instead of 700, and hardly ever through all.

    A tenth of many a test's time.
    """
    gc.set_threshold(20_000, 20, 500)


@contextmanager
def sparing_what_is_loaded() -> Iterator[None]:
    """Looks for no garbage while much is loaded, a quarter of that time, nor for what that left.

    To find it takes longer than it is worth where tests start nothing; else it is found with the
    libraries that are loaded next.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
