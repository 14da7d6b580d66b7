"""Does the same with many items: in this process, in others of this machine, or on a Ray cluster.

An item must know nothing of the others. Then the results are the same whatever the split; they
come in the order of the items.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
import os
from typing import TYPE_CHECKING, Any, TypeVar

from rover_common.errors import UsageError
from rover_common.extras import needs_extra
from rover_common.process.threads import start_thread

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

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
        UsageError: Ray is requested and not installed, or not reachable; or a process has died.
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
    yield from _on_this_machine(do, items, workers)


def _on_this_machine(do: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    # here: no command that spreads nothing waits for it
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
    import multiprocessing

    context = multiprocessing.get_context('spawn')  # nothing of this process is shared
    size = max(1, min(CHUNK, len(items) // (32 * workers)))
    lifeline, own_end = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, _end_with, (lifeline,))
    try:
        for job in [pool.submit(_chunk, do, each) for each in _chunks(items, size)]:
            yield from job.result()
    except BrokenProcessPool:
        raise UsageError(
            f'--workers {workers}: one of these processes has died, perhaps for want of memory: '
            'try it with fewer, such as --workers 1.'
        ) from None
    finally:  # whatever threads of a planner or a model wait in them
        own_end.close()
        pool.shutdown()
        lifeline.close()


def _end_with(lifeline: Connection) -> None:
    """End this process at once when its lifeline is closed, or its parent has ended."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    def end() -> None:
        parent = parent_process()
        wait([lifeline] if parent is None else [lifeline, parent.sentinel])
        os._exit(1)

    start_thread(end, 'end-with-parent')


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
        for job in [remote.remote(do, chunk) for chunk in _chunks(items, CHUNK)]:
            yield from ray.get(job)
    finally:
        ray.shutdown()


def _chunks(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[at : at + size] for at in range(0, len(items), size)]


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
