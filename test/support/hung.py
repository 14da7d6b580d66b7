"""A test that hangs in C and holds the interpreter, where no signal is handled, ends its process.

The same as `faulthandler_timeout` of pytest, which starts a thread and ends it for each test: a
fifth of what an empty test takes.
"""

from __future__ import annotations

import faulthandler
import time

from _pytest.faulthandler import fault_handler_stderr_fd_key
import pytest

LIMIT_S = 1000.0  # longer than each timeout that a test sets itself
AGAIN_S = 50.0  # a test has so much less than the limit at the most
_set_at = -AGAIN_S


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Sets the alarm anew, if it is not new."""
    global _set_at
    now = time.monotonic()
    if now >= _set_at + AGAIN_S:
        _set_at = now
        stderr = item.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(LIMIT_S, exit=True, file=stderr)


def pytest_unconfigure() -> None:
    """What comes after the tests takes as long as it likes."""
    faulthandler.cancel_dump_traceback_later()
