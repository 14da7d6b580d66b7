"""Plays many cases: in this process, in others of this machine, or on a Ray cluster.

A case knows nothing of the others, and its clock is its own: whatever the split, the results are
the same.
"""

from __future__ import annotations

from collections.abc import Sequence
import contextlib
import io
from typing import Any

from bench.guard.judge import Verdict, judge
from bench.guard.play import play
from bench.guard.script import Case
from bench.guard.seams import removed
from rover_common.process.parallel_work import parallel_map


def play_one(case: Case, without: str = '') -> Verdict:
    """Plays and judges a case; `without`: a rule that is removed for it (`seams.py`)."""
    with quiet(), removed(without):
        return judge(play(case))


def play_many(
    cases: Sequence[Case], workers: int = 1, ray: str | None = None, without: str = ''
) -> list[Verdict]:
    """Plays cases and returns their verdicts in the order of the cases.

    Raises:
        UsageError: Ray is requested and not installed.
    """
    return parallel_map(Player(without), cases, workers, ray)


class Player:
    """Play a case without a rule, in any process."""

    def __init__(self, without: str = '') -> None:
        self._without = without

    def __call__(self, case: Case) -> Verdict:
        """See `play_one`."""
        return play_one(case, self._without)


@contextlib.contextmanager
def quiet() -> Any:
    """Keeps to itself what libraries of the planner print."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
