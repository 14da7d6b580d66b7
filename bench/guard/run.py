"""Plays many cases, in this process, in others of this machine, or on a Ray cluster.

A case knows nothing of the others, and its clock is its own: whatever the split, the results are
the same, and they come in the order of the cases.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
import contextlib
import io
import multiprocessing
import os
from typing import Any, TypeVar

from bench.guard.judge import Verdict, judge
from bench.guard.play import play
from bench.guard.script import Case
from bench.guard.seams import removed
from rover_common.errors import UsageError
from rover_common.extras import how_to_install

T = TypeVar('T')
R = TypeVar('R')
CHUNK = 8


def play_one(case: Case, without: str = '') -> Verdict:
    """Plays and judges a case; `without`: a rule that is removed for it (`seams.py`)."""
    with quiet(), removed(without):
        return judge(play(case))


def play_many(
    cases: Sequence[Case], workers: int = 1, ray: str | None = None, without: str = ''
) -> list[Verdict]:
    """Plays cases and returns their verdicts in the order of the cases.

    Raises:
        UsageError: Ray is wanted and not installed.
    """
    return spread(Player(without), cases, workers, ray)


class Player:
    """Plays a case without a rule, in whatever process it is sent to."""

    def __init__(self, without: str = '') -> None:
        self._without = without

    def __call__(self, case: Case) -> Verdict:
        """See `play_one`."""
        return play_one(case, self._without)


def spread(
    do: Callable[[T], R], items: Sequence[T], workers: int = 1, ray: str | None = None
) -> list[R]:
    """Do something with each item; results come in the order of the items.

    Args:
        do: What is done; it can be pickled.
        items: With what.
        workers: So many processes of this machine.
        ray: The address of a Ray cluster, instead of these.

    Raises:
        UsageError: Ray is wanted and not installed.
    """
    return list(spread_lazily(do, items, workers, ray))


def spread_lazily(
    do: Callable[[T], R], items: Sequence[T], workers: int = 1, ray: str | None = None
) -> Iterator[R]:
    """Yield the results of `spread` as they come, in the order of the items."""
    if ray is not None:
        yield from _on_ray(do, items, ray)
        return
    if workers <= 1:
        yield from (do(each) for each in items)
        return
    context = multiprocessing.get_context('spawn')  # nothing of this process is shared
    chunk = max(1, min(CHUNK, len(items) // (32 * workers)))
    # At its end a pool ends its processes, whatever threads of a planner or a model wait in them.
    with context.Pool(workers) as pool:
        yield from pool.imap(do, items, chunksize=chunk)


def _on_ray(do: Callable[[T], R], items: Sequence[T], address: str) -> Iterator[R]:
    try:
        import ray
    except ImportError:
        raise UsageError(f'--ray needs the extra ray: {how_to_install("ray")}.') from None
    ray.init(address=address, ignore_reinit_error=True, log_to_driver=False)
    try:
        remote: Any = ray.remote(_chunk)
        chunks = [items[at : at + CHUNK] for at in range(0, len(items), CHUNK)]
        for job in [remote.remote(do, chunk) for chunk in chunks]:
            yield from ray.get(job)
    finally:
        ray.shutdown()


def _chunk(do: Callable[[T], R], items: Iterable[T]) -> list[R]:
    return [do(each) for each in items]


@contextlib.contextmanager
def quiet() -> Any:
    """Keeps to itself what libraries of the planner print."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say where a bench plays: `--workers` and `--ray`."""
    parser.add_argument(
        '--workers',
        type=int,
        default=default_workers(),
        metavar='N',
        help='processes of this machine (default: one for each core)',
    )
    parser.add_argument('--ray', metavar='ADDRESS', help='a Ray cluster instead (extra ray)')


def default_workers() -> int:
    """Return how many processes this machine has room for."""
    return len(os.sched_getaffinity(0))
