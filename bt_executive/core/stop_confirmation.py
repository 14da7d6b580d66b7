"""The confirmation of a stop: a status, younger than the stop, by which the robot stands.

The age of a status shows in the heartbeat that the adapter had received when it made it. With
each stop goes a heartbeat that permits nothing; a status that reports it, or a later one, and that
nothing moves, confirms the stop. A repeated stop is the same stop: nothing has been permitted
since, and over a slow link no status would ever report the heartbeat of the latest repetition.
Times in s of a steady clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
import math

from bt_executive.core.robot_state import RobotState
from rover_common.permit import Heartbeat

REPEAT_S = 0.4
REPORT_S = 2.0  # without a confirmation
# After this time without a confirmation, more requests will hardly help.
SLOW_AFTER_S = 10.0
SLOW_REPEAT_S = 2.0


@dataclass(frozen=True)
class PendingStop:
    """A stop that is not confirmed."""

    heartbeat: Heartbeat  # the heartbeat that was sent with it
    since: float  # when the first unconfirmed request was sent
    sent_at: float  # when the latest request was sent
    reported: bool = False  # it was reported that it is not confirmed


class StopConfirmation:
    """The latest stop, until it is confirmed.

    Attributes:
        owed: The previous run may have left the robot moving, and this one has sent no stop yet.
    """

    def __init__(self) -> None:
        self.pending: PendingStop | None = None
        self.owed = False

    def sent(self, heartbeat: Heartbeat, now: float) -> None:
        """Notes that a stop was sent, together with a heartbeat that permits nothing."""
        self.owed = False
        before = self.pending
        first = PendingStop(heartbeat, now, now)
        self.pending = (
            first if before is None else replace(before, heartbeat=heartbeat, sent_at=now)
        )

    def sent_again(self, now: float) -> None:
        """Notes that the unconfirmed stop was sent again."""
        if self.pending is not None:
            self.pending = replace(self.pending, sent_at=now)

    def confirmed_by(self, robot: RobotState) -> bool:
        """Returns whether the state confirms the stop; if so, it is not pending any more."""
        pending, received = self.pending, robot.heard_beat
        if pending is None:
            return True
        if received is None or not received.number.reaches(pending.heartbeat.number):
            return False
        if robot.at_rest is not True:
            return False
        self.pending = None
        return True

    def why_not_confirmed(self, robot: RobotState, adapter_alive: bool) -> str:
        """Returns why the stop is not confirmed."""
        pending, received = self.pending, robot.heard_beat
        if robot.status_at is None or not adapter_alive:
            return 'the adapter is silent'
        if pending and (received is None or not received.number.reaches(pending.heartbeat.number)):
            return 'the adapter has not received it yet'
        return robot.standing_unknown or 'the adapter says that the robot does not stand yet'

    def waited_s(self, now: float) -> float:
        """Returns for how long the stop has been unconfirmed; 0: there is none."""
        return now - self.pending.since if self.pending else 0.0

    def repeat_at(self) -> float:
        """Returns when to send the stop again."""
        if self.pending is None:
            return math.inf
        is_slow = self.pending.sent_at - self.pending.since >= SLOW_AFTER_S
        return self.pending.sent_at + (SLOW_REPEAT_S if is_slow else REPEAT_S)

    def report_due(self, now: float) -> bool:
        """Returns, once, that it is time to report that the stop is not confirmed."""
        pending = self.pending
        if pending is None or pending.reported or now - pending.since < REPORT_S:
            return False
        self.pending = replace(pending, reported=True)
        return True
