"""An interrupt that comes while a loop of asyncio is being started is an interrupt, too.

`asyncio.Runner.run` (Python 3.11) counts interrupts from 0 only after it has set its handler; one
that comes in between cancels the program, and `CancelledError` is all that is left of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def early_interrupt() -> Iterator[None]:
    """Around the call that starts the loop and runs the program.

    Raises:
        KeyboardInterrupt: Instead of a `CancelledError` that nobody in the program has caught.
    """
    try:
        yield
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
