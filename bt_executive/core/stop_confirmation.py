"""Whether the robot stands after a stop: only a status that is younger than the stop says so.

How young a status is, is told by the heartbeat that the adapter had taken when it made it. With
each stop goes a heartbeat that permits nothing; a status that knows of it, or of a later one, and
says that nothing moves, confirms the stop. A stop that is sent again is the same stop: nothing
has been permitted since, and over a slow link no status would ever know of the latest repetition.
Times in s of a steady clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
import math

from bt_executive.core.robot_state import RobotState
from rover_common.permit import Heartbeat

REPEAT_S = 0.4
TELL_S = 2.0
# A robot that has not been heard for so long will hardly be sooner heard by more requests.
PATIENT_AFTER_S = 10.0
PATIENT_REPEAT_S = 2.0


@dataclass(frozen=True)
class PendingStop:
    """A stop that is not confirmed.

    Attributes:
        heartbeat: The heartbeat that went with it when it was sent first.
        since: When the first one was sent that is not confirmed.
        sent_at: When it was sent last.
        told: Whether somebody was told that it is not confirmed.
    """

    heartbeat: Heartbeat
    since: float
    sent_at: float
    told: bool = False


class StopConfirmation:
    """The latest stop, until it is confirmed.

    Attributes:
        owed: A previous run may have left the robot moving, and no stop of this run was sent yet.
    """

    def __init__(self) -> None:
        self.pending: PendingStop | None = None
        self.owed = False

    def sent(self, heartbeat: Heartbeat, now: float) -> None:
        """A stop was sent, together with a heartbeat that permits nothing."""
        self.owed = False
        before = self.pending
        first = PendingStop(heartbeat, now, now)
        self.pending = (
            first if before is None else replace(before, heartbeat=heartbeat, sent_at=now)
        )

    def sent_again(self, now: float) -> None:
        """The stop that is not confirmed was sent once more."""
        if self.pending is not None:
            self.pending = replace(self.pending, sent_at=now)

    def confirmed_by(self, robot: RobotState) -> bool:
        """Whether the state shows that the robot stands since the stop; enters it."""
        pending, heard = self.pending, robot.heard_beat
        if pending is None:
            return True
        if heard is None or not heard.number.reaches(pending.heartbeat.number):
            return False
        if robot.at_rest is not True:
            return False
        self.pending = None
        return True

    def waited_s(self, now: float) -> float:
        """For how long a stop has not been confirmed; 0 without one."""
        return now - self.pending.since if self.pending else 0.0

    def repeat_at(self) -> float:
        """When the stop is to be sent again."""
        if self.pending is None:
            return math.inf
        patient = self.pending.sent_at - self.pending.since >= PATIENT_AFTER_S
        return self.pending.sent_at + (PATIENT_REPEAT_S if patient else REPEAT_S)

    def report_due(self, now: float) -> bool:
        """Whether it is time to tell that the stop is not confirmed; True once."""
        pending = self.pending
        if pending is None or pending.told or now - pending.since < TELL_S:
            return False
        self.pending = replace(pending, told=True)
        return True
