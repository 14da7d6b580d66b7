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
        issued: The number of the latest permit.
        sender: Of the latest heartbeat.
    """

    def __init__(self, publish: Callable[[Permit], Heartbeat]) -> None:
        self._publish = publish
        self.given: dict[str, Permit] = {}
        self.given_at: dict[str, float] = {}
        self._holders: dict[str, str] = {}  # gate → call
        self._prepared: dict[str, Permit] = {}  # call → the permit that it is to be given
        self.issued = 0
        self.sender = ''

    @property
    def current(self) -> Permit:
        """Returns the latest permit that holds, at whatever gate."""
        return next(reversed(self.given.values()), NO_PERMIT)

    @property
    def prepared(self) -> Permit:
        """Returns the latest permit that is to be given to some call."""
        return next(reversed(self._prepared.values()), NO_PERMIT)

    def at(self, gate: str) -> Permit:
        """Returns the permit of a gate; an empty name: of a robot without gates."""
        return self.given.get(gate, NO_PERMIT)

    def gates_of(self, call_id: str) -> tuple[str, ...]:
        """Returns the gates whose permits were given to this call."""
        return tuple(gate for gate, holder in self._holders.items() if holder == call_id)

    def prepare(self, motion: str, gate: str = '', call_id: str = '') -> Permit:
        """Returns the permit that `give` is going to give to a call. It is not published yet."""
        permit = self._prepared[call_id] = Permit(motion, self.issued + 1, gate)
        return permit

    def discard_prepared(self, call_id: str) -> None:
        """Discards the permit that was prepared for a call."""
        self._prepared.pop(call_id, None)

    def give(
        self,
        motion: str,
        gate: str = '',
        goal: str = '',
        at: float = -math.inf,
        call_id: str = '',
    ) -> Permit:
        """Permits a call one motion of a gate in the place of the previous one.

        `goal`: hex of the UUID of the action's goal that may run. `at`: now, in steady s.
        """
        self.discard_prepared(call_id)
        self.issued += 1
        permit = Permit(motion, self.issued, gate, goal)
        self._set(gate, permit)
        self.given_at[gate], self._holders[gate] = at, call_id
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
        self._holders.pop(gate, None)

    def _announce(self, permit: Permit) -> Heartbeat:
        heartbeat = self._publish(permit)
        self.sender = heartbeat.sender
        return heartbeat
