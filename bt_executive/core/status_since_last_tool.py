"""Whether the adapter's status is younger than the end of the tool before, or is waited for.

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
MAY_BE_SILENT_S = 2.0  # a topic that is known for longer without a word tells by it: no change


def is_still_outdated(settled: bool, ended_at: float, now: float) -> bool:
    """Return whether a fresh status is waited for. `settled`: one shows what the tool has left.

    `ended_at`, `now`: the end of the tool, and this tick, in steady s.
    """
    return not settled and now - ended_at < FRESH_STATUS_WAIT_S


@dataclass(frozen=True)
class LatestEnd:
    """The latest end of a call that may have changed a part of the robot.

    Attributes:
        call_id: Of the call.
        heartbeat: The heartbeat that was sent when it had ended.
        at: When that was, in steady s.
    """

    call_id: str
    heartbeat: Heartbeat
    at: float

    def is_shown_by(self, robot: RobotState) -> bool:
        """Return whether the status was made after it.

        Of an adapter that reports no heartbeat, only the arrival of its status is known.
        """
        heard = robot.heard_beat
        if heard is None:
            return robot.status_at is not None and robot.status_at > self.at
        return heard.number.reaches(self.heartbeat.number)
