"""Suspends processes below a process at random moments, as a busy machine lets them not run.

    python .ci/pauses.py PID SEED     until the process has ended

One Python process at a time stands still for 0.1 to 1 s, and half a second later another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import random
import sys
import time

import psutil

SHORTEST_S, LONGEST_S = 0.1, 1.0
BETWEEN_S = 0.5  # on average


def main() -> None:
    """Suspends one after the other."""
    above, drawn = psutil.Process(int(sys.argv[1])), random.Random(int(sys.argv[2]))
    count = 0
    with suppress(KeyboardInterrupt, psutil.NoSuchProcess):
        while above.status() != psutil.STATUS_ZOMBIE:
            time.sleep(drawn.uniform(0.0, 2.0 * BETWEEN_S))
            found = [each for each in above.children(recursive=True) if is_python(each)]
            if found:
                with suspended(drawn.choice(found)):
                    time.sleep(drawn.uniform(SHORTEST_S, LONGEST_S))
                count += 1
    print(f'{count} pauses')


def is_python(process: psutil.Process) -> bool:
    """Whether it is a process of this user's tests, and still runs."""
    with suppress(psutil.NoSuchProcess):
        return process.pid != psutil.Process().pid and process.name().startswith('python')
    return False


@contextmanager
def suspended(process: psutil.Process) -> Iterator[None]:
    """Suspends a process until the end of the block."""
    with suppress(psutil.NoSuchProcess):
        process.suspend()
    try:
        yield
    finally:
        with suppress(psutil.NoSuchProcess):
            process.resume()


if __name__ == '__main__':
    main()
