"""Decides whether the adapter's status is younger than the end of the previous tool.

A message that arrives now may be old: it was made, and perhaps waited, before the tool ended. How
young a status is, is told by the heartbeat that the adapter had taken when it made it, as in
`stop_confirmation.py`: a heartbeat is sent at the end of a tool that may have moved something, and
only a status that knows of it, or of a later one, shows what the tool has left.
"""

from __future__ import annotations

from dataclasses import dataclass

from bt_executive.core.robot_state import RobotState
from rover_common.permit import Heartbeat

FRESH_STATUS_WAIT_S = 1.0  # after the end of a tool that moves something
MAY_BE_SILENT_S = 2.0  # a value of a topic without a message for longer has not changed


def is_still_outdated(settled: bool, ended_at: float, now: float) -> bool:
    """Return whether to wait for a fresh status. `settled`: one younger than the tool has arrived.

    `ended_at`, `now`: the end of the tool, and this tick, in steady s.
    """
    return not settled and now - ended_at < FRESH_STATUS_WAIT_S


@dataclass(frozen=True)
class LatestEnd:
    """The latest end of a call that may have changed a part of the robot.

    Attributes:
        call_id: Of the call.
        heartbeat: The heartbeat that was sent when it had ended.
        at: The time of that, in steady s.
    """

    call_id: str
    heartbeat: Heartbeat
    at: float

    def is_shown_by(self, robot: RobotState) -> bool:
        """Returns whether the status was made after this end.

        For an adapter that reports no heartbeat, the arrival of the status decides.
        """
        received = robot.heard_beat
        if received is None:
            return robot.status_at is not None and robot.status_at > self.at
        return received.number.reaches(self.heartbeat.number)
