"""An adapter's status: the same fields for every robot, and `details` of its own.

`MOVE_IN_PROGRESS` is how an adapter refuses while it moves.
None stands for an unknown value (bt_executive_interfaces/msg/AdapterStatus).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rover_common.message_order import RunNumber
from rover_common.permit import NO_PERMIT, Permit, PermitId
from rover_common.setpoint import Stage

NOTHING = RunNumber('', 0)
# Spec 1, section 8.1 fixes it to the letter, and packages that know nothing of each other say it.
MOVE_IN_PROGRESS = 'Move in progress'
MOVING_AT = 'moving_at_gates'  # key of `details` of gates: gate → whether something moves there


@dataclass(frozen=True)
class Ending:
    """How a permitted motion or navigation goal ended. `code`: of `EndingCode`, as received."""

    permit: PermitId
    code: str
    reason: str


@dataclass(frozen=True)
class NavigationReport:
    """State of the latest navigation goal, for the navigator that sent it.

    Attributes:
        sender: The run of the navigator, which has given the goal its number.
        reason: Why it was refused, or ended before the navigator withdrew it.
        motion: Number of the latest motion; 0: none yet.
        at_rest: No motion is executing, every stop was answered, and it is known whether the
            rover rolls.
        unstopped: Why a standstill could not be confirmed in time; else empty.
    """

    sender: str
    number: int
    stage: Stage = Stage.ASKED
    reason: str = ''
    motion: int = 0
    motion_stage: Stage = Stage.NONE
    motion_reason: str = ''
    at_rest: bool = True
    unstopped: str = ''

    @property
    def navigation_id(self) -> RunNumber:
        """Of the navigation goal, by the navigator's run."""
        return RunNumber(self.sender, self.number)

    @property
    def motion_id(self) -> RunNumber:
        """Of the latest motion, by the navigator's run."""
        return RunNumber(self.sender, self.motion)

    @property
    def open(self) -> bool:
        """Whether it has neither been refused nor ended."""
        return self.stage in (Stage.ASKED, Stage.RUNNING)

    @property
    def moves(self) -> bool:
        """Whether its latest motion is wanted, and has neither been refused nor ended."""
        return self.motion_stage in (Stage.ASKED, Stage.RUNNING)


@dataclass(frozen=True)
class AdapterStatus:
    """One status.

    Attributes:
        sender: One run of one adapter; empty: not reported.
        at_rest: Whether nothing is executing, every stop was answered, and the robot does not
            roll.
        standing_unknown: Why `at_rest` is None; else empty.
        heartbeat, setpoint: The latest ones that counted.
        ending: Of the last motion with a permit; None: none has ended.
        details: Further values of this robot, as JSON values.
    """

    sender: str
    moving: bool | None = None
    at_rest: bool | None = None
    standing_unknown: str = ''
    manual_mode: bool | None = None
    heartbeat: RunNumber = NOTHING
    executive_alive: bool | None = None
    permit: Permit = NO_PERMIT
    ending: Ending | None = None
    setpoint: RunNumber = NOTHING
    navigation_goal: NavigationReport | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
