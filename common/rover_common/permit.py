"""The permission to move, as it passes from the executive to the adapter with each heartbeat.

It is a level, not an edge: it holds while recent heartbeats keep giving it, so no single message
has to arrive, or to arrive in order, for a motion to end. See
docs/decisions/0021-permission-is-a-level.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from rover_common.message_order import RunNumber

PermitId: TypeAlias = RunNumber  # by the executive's run
NO_PERMIT_ID = RunNumber('', 0)


@dataclass(frozen=True)
class Permit:
    """A motion that may run, by its key in topics.yaml, section adapter; empty: none may.

    Attributes:
        motion: Its key.
        number: Unique in one run of an executive; 0 without a motion.
        gate: The robot's gate at which it holds; empty: the robot's only adapter.
        goal: UUID of the action goal that may be executing, in hex; empty: there is none.
    """

    motion: str = ''
    number: int = 0
    gate: str = ''
    goal: str = ''


NO_PERMIT = Permit()


@dataclass(frozen=True)
class Heartbeat:
    """A heartbeat of an executive (bt_executive_interfaces/msg/Heartbeat).

    Attributes:
        sender: One run of one executive; unique.
        sequence: Increases with each heartbeat of this run.
        sent_at: System time in s.
        permit: What may run from now on, for a robot without gates.
        gates: What may run at its gates: one permit for each gate at which something may run.
    """

    sender: str
    sequence: int
    sent_at: float
    permit: Permit = NO_PERMIT
    gates: tuple[Permit, ...] = ()

    @property
    def number(self) -> RunNumber:
        """Of the heartbeat itself."""
        return RunNumber(self.sender, self.sequence)

    @property
    def permit_id(self) -> PermitId:
        """Of the permit, for a robot without gates."""
        return self.permit_id_at('')

    def permit_at(self, gate: str) -> Permit:
        """The permit at a gate; empty: of a robot without gates."""
        permits = (permit for permit in self.gates if permit.gate == gate)
        return next(permits, NO_PERMIT) if gate else self.permit

    def permit_id_at(self, gate: str) -> PermitId:
        """Of the permit at a gate; empty: of a robot without gates."""
        return RunNumber(self.sender, self.permit_at(gate).number)


class EndingCode(Enum):
    """Who ended a motion that had a permit; the values stand in the adapter's status."""

    STOP_CALLED = 'STOP_CALLED'  # the stop service was called
    WITHDRAWN = 'WITHDRAWN'  # the executive gives another permit now, or none
    HALTED = 'HALTED'  # the adapter itself: a limit, the mast
    GAP = 'GAP'  # the adapter itself: an input was missing, such as heartbeats or the pose
