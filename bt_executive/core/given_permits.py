"""The permission to move, on the executive's side: given for one call, withdrawn with it.

There is one at a time for each gate of the robot, or one where the robot has no gates. It is
published at once when it changes, and again with every heartbeat.
"""

from __future__ import annotations

from collections.abc import Callable
import math

from bt_executive.core.robot_state import MotionEnding, RobotState
from rover_common.permit import NO_PERMIT, Heartbeat, Permit
from rover_common.run_number import RunNumber


class Permits:
    """Numbers the permits of this run.

    Args:
        tell: Publishes what may run at the permit's gate from now on, at once; returns the
            heartbeat that says so.

    Attributes:
        given: Gate → what may run there; the latest is the last. Empty: nothing may.
        given_at: Gate → since when it may, in steady s.
        foreseen: Is to be given as soon as it may be.
        issued: The number of the latest one.
        sender: Of the latest heartbeat.
    """

    def __init__(self, tell: Callable[[Permit], Heartbeat]) -> None:
        self._tell = tell
        self.given: dict[str, Permit] = {}
        self.given_at: dict[str, float] = {}
        self.foreseen = NO_PERMIT
        self.issued = 0
        self.sender = ''

    @property
    def current(self) -> Permit:
        """The latest one that holds, at whatever gate."""
        return next(reversed(self.given.values()), NO_PERMIT)

    def at(self, gate: str) -> Permit:
        """What may run at a gate; empty: where the robot has none."""
        return self.given.get(gate, NO_PERMIT)

    def foresee(self, motion: str, gate: str = '') -> Permit:
        """The permit that `give` is going to give. Nobody is told, and nothing may run yet."""
        self.foreseen = Permit(motion, self.issued + 1, gate)
        return self.foreseen

    def forgo(self) -> None:
        """What was foreseen will not be given."""
        self.foreseen = NO_PERMIT

    def give(self, motion: str, gate: str = '', goal: str = '', at: float = -math.inf) -> Permit:
        """Permits one motion of a gate; what was permitted there before is not any more.

        `goal`: hex of the UUID of the action's goal that may be under way. `at`: now, in steady s.
        """
        self.issued += 1
        permit = Permit(motion, self.issued, gate, goal)
        self._put(gate, permit)
        self.given_at[gate] = at
        self._tell_of(permit)
        return permit

    def withdraw(self, gate: str | None = None) -> Heartbeat:
        """Permits nothing at a gate; None: at none. Says so again if nothing was permitted."""
        gates = tuple(self.given) if gate is None else (gate,)
        for each in gates:
            self._put(each, NO_PERMIT)
        return [self._tell_of(Permit(gate=each)) for each in gates or ('',)][-1]

    def repeat(self) -> Heartbeat:
        """Says again what is permitted; returns the heartbeat that says so."""
        heartbeat = self._tell(self.current)
        self.sender = heartbeat.sender
        return heartbeat

    def ending(self, number: int, robot: RobotState) -> MotionEnding | None:
        """How the motion with this permit ended, by the adapter's word; None: it has not."""
        ending = robot.ending
        own = RunNumber(self.sender, number)
        return ending if ending is not None and ending.permit_id == own else None

    def _put(self, gate: str, permit: Permit) -> None:
        others = {name: each for name, each in self.given.items() if name != gate}
        self.given = {**others, gate: permit} if permit.number else others
        self.given_at.pop(gate, None)

    def _tell_of(self, permit: Permit) -> Heartbeat:
        self.foreseen = NO_PERMIT
        heartbeat = self._tell(permit)
        self.sender = heartbeat.sender
        return heartbeat
