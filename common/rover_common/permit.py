"""The permission to move, as it passes from the executive to the adapter with each heartbeat.

It is a level, not an edge: it holds while young beats keep giving it, so no single message has to
arrive, or to arrive in order, for a motion to end. docs/decisions/0021-permission-is-a-level.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from rover_common.run_number import RunNumber

PermitId: TypeAlias = RunNumber  # by the executive's run
NO_PERMIT_ID = RunNumber('', 0)


@dataclass(frozen=True)
class Permit:
    """What may run: a motion by its key in topics.yaml, section adapter; empty: nothing.

    Attributes:
        motion: Its key.
        number: Never given twice in one run of an executive; 0 without a motion.
        gate: The gate of the robot that it belongs to; empty: the robot's only adapter.
        goal: UUID of the action's goal that may be under way, in hex; empty: there is none.
    """

    motion: str = ''
    number: int = 0
    gate: str = ''
    goal: str = ''


NO_PERMIT = Permit()


@dataclass(frozen=True)
class Beat:
    """One heartbeat of an executive (bt_executive_interfaces/msg/Heartbeat).

    Attributes:
        sender: One run of one executive.
        sequence: Grows with each beat of this run.
        sent_at: System time in s.
        permit: What may run from now on, where the robot has no gates.
        gates: What may run at its gates, one for each gate at which something may.
    """

    sender: str
    sequence: int
    sent_at: float
    permit: Permit = NO_PERMIT
    gates: tuple[Permit, ...] = ()

    @property
    def number(self) -> RunNumber:
        """Of the beat itself."""
        return RunNumber(self.sender, self.sequence)

    @property
    def permit_id(self) -> PermitId:
        """Of what it permits where the robot has no gates."""
        return self.permit_id_at('')

    def permit_at(self, gate: str) -> Permit:
        """What it permits at a gate; empty: where the robot has none."""
        known = (each for each in self.gates if each.gate == gate)
        return next(known, NO_PERMIT) if gate else self.permit

    def permit_id_at(self, gate: str) -> PermitId:
        """Of what it permits at a gate; empty: where the robot has none."""
        return RunNumber(self.sender, self.permit_at(gate).number)


class EndingCode(Enum):
    """Who ended a motion that had a permit; the values stand in the adapter's status."""

    STOP_CALLED = 'STOP_CALLED'  # somebody called move_stop
    WITHDRAWN = 'WITHDRAWN'  # the executive gives another permit now, or none
    HALTED = 'HALTED'  # the adapter itself: a limit, the mast
    GAP = 'GAP'  # the adapter itself: what it needs was missing, such as heartbeats or the pose
