"""The permits of the executive: each is given for one call and withdrawn with it.

There is one at a time for each gate of the robot, or one for a robot without gates. It is
published at once when it changes, and again with every heartbeat.
"""

from __future__ import annotations

from collections.abc import Callable
import math

from bt_executive.core.robot_state import MotionEnding, RobotState
from rover_common.message_order import RunNumber
from rover_common.permit import NO_PERMIT, Heartbeat, Permit


class Permits:
    """Numbers the permits of this run.

    Args:
        publish: Publishes a permit at once; returns the heartbeat that carries it.

    Attributes:
        given: Gate → its permit; the latest is the last. Empty: nothing is permitted.
        given_at: Gate → when its permit was given, in steady s.
        prepared: The permit that is to be given next.
        issued: The number of the latest permit.
        sender: Of the latest heartbeat.
    """

    def __init__(self, publish: Callable[[Permit], Heartbeat]) -> None:
        self._publish = publish
        self.given: dict[str, Permit] = {}
        self.given_at: dict[str, float] = {}
        self.prepared = NO_PERMIT
        self.issued = 0
        self.sender = ''

    @property
    def current(self) -> Permit:
        """Returns the latest permit that holds, at whatever gate."""
        return next(reversed(self.given.values()), NO_PERMIT)

    def at(self, gate: str) -> Permit:
        """Returns the permit of a gate; an empty name: of a robot without gates."""
        return self.given.get(gate, NO_PERMIT)

    def prepare(self, motion: str, gate: str = '') -> Permit:
        """Returns the permit that `give` is going to give. It is not published yet."""
        self.prepared = Permit(motion, self.issued + 1, gate)
        return self.prepared

    def discard_prepared(self) -> None:
        """Discards the prepared permit."""
        self.prepared = NO_PERMIT

    def give(self, motion: str, gate: str = '', goal: str = '', at: float = -math.inf) -> Permit:
        """Permits one motion of a gate in the place of the previous one.

        `goal`: hex of the UUID of the action's goal that may run. `at`: now, in steady s.
        """
        self.issued += 1
        permit = Permit(motion, self.issued, gate, goal)
        self._set(gate, permit)
        self.given_at[gate] = at
        self._announce(permit)
        return permit

    def withdraw(self, gate: str | None = None) -> Heartbeat:
        """Withdraws the permit of a gate; None: of all. Publishes it also if there was none."""
        gates = tuple(self.given) if gate is None else (gate,)
        for each in gates:
            self._set(each, NO_PERMIT)
        return [self._announce(Permit(gate=each)) for each in gates or ('',)][-1]

    def repeat(self) -> Heartbeat:
        """Publishes the current permit again; returns the heartbeat."""
        heartbeat = self._publish(self.current)
        self.sender = heartbeat.sender
        return heartbeat

    def ending(self, number: int, robot: RobotState) -> MotionEnding | None:
        """Returns how the adapter ended the motion with this permit; None: it has not."""
        ending = robot.ending
        own = RunNumber(self.sender, number)
        return ending if ending is not None and ending.permit_id == own else None

    def _set(self, gate: str, permit: Permit) -> None:
        others = {name: other for name, other in self.given.items() if name != gate}
        self.given = {**others, gate: permit} if permit.number else others
        self.given_at.pop(gate, None)

    def _announce(self, permit: Permit) -> Heartbeat:
        self.prepared = NO_PERMIT
        heartbeat = self._publish(permit)
        self.sender = heartbeat.sender
        return heartbeat
