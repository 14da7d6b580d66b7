"""Which numbers have been used: of each run the last one, for its numbers only grow.

What was used once begins nothing again, also when its sender wakes up after others had their turn.
"""

from __future__ import annotations

from rover_common.run_number import RunNumber

MOST_RUNS = 100  # that are remembered; the one that was silent longest goes


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
