"""What lives as long as the suite is no garbage: the collector need not look at it each time."""

from __future__ import annotations

import gc


def spare_what_lives() -> None:
    """Collects garbage, and leaves what is alive now out of every later collection.

    Modules and collected tests are most of a test process; to look through them takes longer than
    many a test.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
