"""What the navigator wants to be driven, as it passes to the adapter: a level, not an edge.

It holds while young setpoints keep giving it, as the executive's permission does (permit.py).
docs/decisions/0029-navigation-is-a-process.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from rover_common.message_order import RunNumber
from rover_common.permit import NO_PERMIT_ID, PermitId

NAVIGATE = 'navigate_to_pose'  # the key in topics.yaml that the executive permits


@dataclass(frozen=True)
class Setpoint:
    """One setpoint of a navigator (bt_executive_interfaces/msg/MotionSetpoint).

    Attributes:
        sender: One run of one navigator.
        sequence: Grows with each setpoint of this run.
        sent_at: System time in s.
        adapter: The run of the adapter that is meant.
        navigation_goal: Number of the goal that is pursued, never given twice in a run; 0: none.
        permit: The executive's permission for the navigation goal.
        motion: What is to run now; empty: nothing.
        number: Of this motion, never given twice in a run; 0: none.
    """

    sender: str
    sequence: int
    sent_at: float
    adapter: str = ''
    navigation_goal: int = 0
    permit: PermitId = NO_PERMIT_ID
    motion: str = ''
    number: int = 0

    @property
    def run_number(self) -> RunNumber:
        """Of the setpoint itself."""
        return RunNumber(self.sender, self.sequence)

    @property
    def navigation_id(self) -> RunNumber:
        """Of the goal that is pursued."""
        return RunNumber(self.sender, self.navigation_goal)

    @property
    def motion_id(self) -> RunNumber:
        """Of what is to run now."""
        return RunNumber(self.sender, self.number)

    def repeats(self, earlier: Setpoint) -> bool:
        """Whether it has the same content as another one."""
        return replace(earlier, sequence=self.sequence, sent_at=self.sent_at) == self


class Stage(Enum):
    """State of a navigation goal or a motion at the adapter; the values are in its status."""

    NONE = 'NONE'  # no motion was requested yet
    ASKED = 'ASKED'  # not begun yet
    REFUSED = 'REFUSED'
    RUNNING = 'RUNNING'
    ENDING = 'ENDING'  # the stop is executing
    ENDED = 'ENDED'
