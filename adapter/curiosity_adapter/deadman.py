"""The deadman: no motion without a running executive, except in manual mode.

Times in s of a steady clock, which goes on when simulated time stands still.
"""

from __future__ import annotations

from typing import Literal

from curiosity_adapter.adapter_error_codes import Cause
from gates.heartbeat_timeout import HeartbeatTimeout
from rover_common.reason import Reason

DeadmanState = Literal['armed', 'silent', 'fired', 'manual']

STILL_ALIVE = Reason(
    Cause.EXECUTIVE_ALIVE,
    'Manual mode stays off: an executive is alive and watches over every motion',
)


class Deadman:
    """Watches the executive's heartbeat, whoever requested the motion.

    In manual mode silence does not matter. The next heartbeat ends manual mode, since an executive
    relies on the deadman from then on.

    Args:
        timeout_s: Silence after which a motion ends.
        manual: Whether to start in manual mode.
    """

    def __init__(self, timeout_s: float, manual: bool) -> None:
        self._timeout = HeartbeatTimeout(timeout_s)
        self._fired = False
        self.manual = manual

    @property
    def timeout_s(self) -> float:
        """Silence after which a motion ends."""
        return self._timeout.timeout_s

    @property
    def heartbeat_timeout(self) -> HeartbeatTimeout:
        """Whether the executive's heartbeats keep arriving."""
        return self._timeout

    def update(self, now: float) -> None:
        """Detects pauses of the adapter itself; a timer calls it often, before `due`."""
        self._timeout.update(now)

    def receive(self, at: float) -> None:
        """Takes the time of a heartbeat; it ends manual mode."""
        self._timeout.receive(at)
        self.rearm()

    def rearm(self) -> None:
        """Ends manual mode, for a heartbeat that `heartbeat_timeout` has been given already."""
        self._fired = self.manual = False

    def set_manual(self, wanted: bool, now: float) -> Reason[Cause] | None:
        """Switches manual mode; returns why that is not possible, or None."""
        if wanted and not self._timeout.is_silent(now):
            return STILL_ALIVE
        self.manual = wanted
        return None

    def due(self, motion: str, now: float) -> Reason[Cause] | None:
        """Why the motion under way must be stopped now; None if it may go on."""
        if self.manual or not self._timeout.ends_motion(now):
            return None
        self._fired = True
        return self._reason(now).prefixed(f'{motion} was stopped')

    def refusal(self, now: float) -> Reason[Cause] | None:
        """Why no motion may begin now; None if one may."""
        if self.manual or not self._timeout.is_silent(now):
            return None
        return self._reason(now).prefixed('No motion may begin')

    def state(self, now: float) -> DeadmanState:
        """`fired` from the stop of a motion to the next heartbeat; `silent` without a motion."""
        if self.manual:
            return 'manual'
        if self._fired:
            return 'fired'
        return 'silent' if self._timeout.is_silent(now) else 'armed'

    def age(self, now: float) -> float | None:
        """Age of the last heartbeat in s; None if there was none."""
        return self._timeout.age(now)

    def silence(self, now: float) -> str:
        """Return since when the executive is silent, as a sentence."""
        age = self.age(now)
        if age is None:
            return 'no heartbeat from any executive yet'
        return f'no heartbeat from the executive for {age:.1f} s (limit {self.timeout_s:g} s)'

    def _reason(self, now: float) -> Reason[Cause]:
        return Reason(Cause.EXECUTIVE_SILENT, self.silence(now))
