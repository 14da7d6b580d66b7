"""Does the same with many items: in this process, in others of this machine, or on a Ray cluster.

An item must know nothing of the others. Then the results are the same whatever the split; they
come in the order of the items.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
import os
from typing import Any, TypeVar

from rover_common.errors import UsageError
from rover_common.extras import needs_extra
from rover_common.process.threads import start_thread

T = TypeVar('T')
R = TypeVar('R')
CHUNK = 8


def parallel_map(
    do: Callable[[T], R], items: Sequence[T], workers: int = 1, ray: str | None = None
) -> list[R]:
    """Do something with each item; results come in the order of the items.

    `do` can be pickled. `workers`: processes on this machine; `ray`: the address of a Ray cluster
    instead of these, or `local`, which starts one here.

    Raises:
        UsageError: Ray is requested and not installed, or not reachable.
    """
    return list(parallel_imap(do, items, workers, ray))


def parallel_imap(
    do: Callable[[T], R], items: Sequence[T], workers: int = 1, ray: str | None = None
) -> Iterator[R]:
    """Yield the results of `parallel_map` as they come, in the order of the items."""
    if ray is not None:
        yield from _on_ray(do, items, ray)
        return
    if workers <= 1:
        yield from (do(each) for each in items)
        return
    import multiprocessing  # here: no command that spreads nothing waits for it

    context = multiprocessing.get_context('spawn')  # nothing of this process is shared
    chunk = max(1, min(CHUNK, len(items) // (32 * workers)))
    # At its end a pool ends its processes, whatever threads of a planner or a model wait in them.
    with context.Pool(workers, _end_with_parent) as pool:
        yield from pool.imap(do, items, chunksize=chunk)


def _end_with_parent() -> None:
    """End this process at once when its parent has ended: its work has no receiver."""
    from multiprocessing import parent_process

    def wait() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    start_thread(wait, 'end-with-parent')


def _on_ray(do: Callable[[T], R], items: Sequence[T], address: str) -> Iterator[R]:
    try:
        import ray
    except ImportError:
        raise UsageError(needs_extra('--ray', 'ray')) from None
    try:
        ray.init(address=address, ignore_reinit_error=True, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise UsageError(f'--ray {address}: no cluster answers there ({error}).') from None
    try:
        remote: Any = ray.remote(_chunk)
        chunks = [items[at : at + CHUNK] for at in range(0, len(items), CHUNK)]
        for job in [remote.remote(do, chunk) for chunk in chunks]:
            yield from ray.get(job)
    finally:
        ray.shutdown()


def _chunk(do: Callable[[T], R], items: Iterable[T]) -> list[R]:
    return [do(each) for each in items]


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the options for where the work is done: `--workers` and `--ray`."""
    parser.add_argument(
        '--workers',
        type=int,
        default=default_workers(),
        metavar='N',
        help='processes of this machine (default: one for each core)',
    )
    parser.add_argument(
        '--ray', metavar='ADDRESS', help='a Ray cluster instead, or "local" (extra ray)'
    )


def check_workers(workers: int) -> None:
    """Refuse a number of workers that is none.

    Raises:
        UsageError: It is below one.
    """
    if workers < 1:
        raise UsageError(f'--workers {workers}: give a number from 1 on.')


def default_workers() -> int:
    """Return how many processes this machine has room for."""
    return len(os.sched_getaffinity(0))
