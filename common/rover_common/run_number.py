"""Numbers that a process counts, as other processes see them: which run counted, and how far.

A message may come late, twice, or from a run that has ended, and the next run begins to count
anew. So a number says something only beside another one of the same run, and this is the one
place that compares them.

What was used once begins nothing again, also when its sender wakes up after others had their turn.
"""

from __future__ import annotations

from typing import NamedTuple


class RunNumber(NamedTuple):
    """A number of a heartbeat, a permit, a setpoint, a navigation goal or a motion.

    Attributes:
        run: Of the process that counts; no two runs ever have the same (a UUID is in it).
        number: Grows within the run. 0: nothing was counted.
    """

    run: str
    number: int

    def is_of(self, other: RunNumber) -> bool:
        """Whether the same run has counted both: numbers of two runs have no order."""
        return self.run == other.run

    def reaches(self, other: RunNumber) -> bool:
        """Whether it is the other number, or a later one of the same run."""
        return self.is_of(other) and self.number >= other.number


MOST_RUNS = 100  # that are remembered; the one that was silent longest is dropped


class UsedNumbers:
    """The last number that was used of each of the latest runs."""

    def __init__(self) -> None:
        self._last: dict[str, RunNumber] = {}

    def use(self, used: RunNumber) -> None:
        """This number and all before it are used up."""
        last = self._last.pop(used.run, used)  # it is the latest run from now on
        self._last[used.run] = last if last.reaches(used) else used
        if len(self._last) > MOST_RUNS:
            del self._last[next(iter(self._last))]

    def has(self, number: RunNumber) -> bool:
        """Whether the number has been used, or a later one of this run; 0 counts as used."""
        last = self._last.get(number.run, RunNumber(number.run, 0))
        return last.reaches(number)
