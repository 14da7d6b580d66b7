"""Numbers that a process counts, as other processes see them: which run counted, and how far.

A message may come late, twice, or from a run that has ended, and the next run begins to count
anew. So a number says something only beside another one of the same run, and this is the one
place that compares them.
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
        """Whether the same run has counted both: numbers of two runs tell no order."""
        return self.run == other.run

    def reaches(self, other: RunNumber) -> bool:
        """Whether it is the other number, or a later one of the same run."""
        return self.is_of(other) and self.number >= other.number
