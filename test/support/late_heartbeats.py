"""A busy machine: a process does not run for a moment, a drive ends, and a test tries again.

The deadman ends it for want of a heartbeat, or the executive for want of the adapter's status.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from waiting import wait_until

TRIES = 5
LATE_HEARTBEAT = 'no heartbeat from the executive for'  # in the reason of every drive that ends so
LATE_STATUS = 'No status from the adapter for 0.'  # less than a second: it runs
LATE_SETPOINT = 'no setpoint from the navigator for 0.'
LATE_MAST = 'State of the mast is not known'  # its joint state has come late
LATE = (LATE_HEARTBEAT, LATE_STATUS, LATE_SETPOINT, LATE_MAST)
# Poses of one witness came late, so that it says another thing than the other for a moment.
LATE_POSES = 'It is not known whether the rover stands: by its transforms'
LOOK_S = 0.05  # reads files of the run


def is_late(reason: str) -> bool:
    """Whether a drive has ended because a process did not run for a moment."""
    return any(each in reason for each in LATE)


def late_heartbeats(run: Any) -> int:
    """How many drives of a run have ended because a process did not run for a moment."""
    return _ended_by(run, *LATE)


def pauses(run: Any) -> int:
    """How many tools of a run have ended because a process did not run for a moment."""
    return _ended_by(run, *LATE, LATE_POSES)


def _ended_by(run: Any, *reasons: str) -> int:
    errors = [each for each in run.events(kind='ERROR') if each.get('tool_name')]
    return sum(
        any(reason in (each.get('error_reason') or '') for reason in reasons) for each in errors
    )


class KeptDrive:
    """A drive by hand that is asked for again whenever the deadman has ended it.

    Args:
        run: The system.
        line: What is typed.
    """

    def __init__(self, run: Any, line: str) -> None:
        self._run, self._line = run, line
        self._late = late_heartbeats(run)
        run.write(line)

    def until(self, condition: Callable[[], Any], what: str) -> None:
        """Waits until something is so, and keeps the rover driving."""

        def look() -> Any:
            late = late_heartbeats(self._run)
            if late > self._late:
                self._late = late
                self._run.write(self._line)
            return condition()

        wait_until(look, lambda: f'{what}:\n{self._run.output}', look_s=LOOK_S)
