"""The permission to move, on the executive's side: given for one call, withdrawn with it.

There is one at a time. It is told at once when it changes, and again with every heartbeat.
"""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.core.state import MotionEnding, RobotState
from rover_common.permit import NO_PERMIT, Beat, Permit
from rover_common.run_number import RunNumber


class Permits:
    """Numbers the permits of this life.

    Args:
        tell: Publishes what may run from now on, at once; returns the beat that says so.
    """

    def __init__(self, tell: Callable[[Permit], Beat]) -> None:
        self._tell = tell
        self.current = NO_PERMIT
        self.foreseen = NO_PERMIT  # is to be given as soon as it may be
        self.issued = 0  # the number of the latest one
        self.sender = ''  # of the latest beat

    def foresee(self, motion: str) -> Permit:
        """The permit that `give` is going to give. Nobody is told, and nothing may run yet."""
        self.foreseen = Permit(motion, self.issued + 1)
        return self.foreseen

    def forgo(self) -> None:
        """What was foreseen will not be given."""
        self.foreseen = NO_PERMIT

    def give(self, motion: str) -> Permit:
        """Permits one motion; whatever was permitted before is not any more."""
        self.issued += 1
        self._change(Permit(motion, self.issued))
        return self.current

    def withdraw(self) -> Beat:
        """Permits nothing. Says so again if nothing was permitted."""
        return self._change(NO_PERMIT)

    def repeat(self) -> Beat:
        """Says again what is permitted; returns the beat that says so."""
        beat = self._tell(self.current)
        self.sender = beat.sender
        return beat

    def ending(self, number: int, robot: RobotState) -> MotionEnding | None:
        """How the motion with this permit ended, by the adapter's word; None: it has not."""
        ending = robot.ending
        own = RunNumber(self.sender, number)
        return ending if ending is not None and ending.permit_id == own else None

    def _change(self, permit: Permit) -> Beat:
        self.current, self.foreseen = permit, NO_PERMIT
        beat = self._tell(permit)
        self.sender = beat.sender
        return beat
