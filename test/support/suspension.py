"""A process that stands still, as one whose machine has no time for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psutil


@contextmanager
def suspended(process: psutil.Process) -> Iterator[None]:
    """The process is suspended until the end of the block."""
    process.suspend()
    try:
        yield
    finally:
        process.resume()
