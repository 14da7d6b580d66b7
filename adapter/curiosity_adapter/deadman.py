"""The deadman: no motion without a living executive, unless somebody takes its place knowingly.

Times in s of a steady clock, which goes on when simulated time stands still.
"""

from __future__ import annotations

from typing import Literal

from curiosity_adapter.adapter_error_codes import Cause
from gates.heartbeat_timeout import Silence
from rover_common.reason import Reason

DeadmanState = Literal['armed', 'silent', 'fired', 'manual']

STILL_ALIVE = Reason(
    Cause.EXECUTIVE_ALIVE,
    'Manual mode stays off: an executive is alive and watches over every motion',
)


class Deadman:
    """Watches the executive's heartbeat, whoever asked for the motion.

    In manual mode silence does not matter. The next heartbeat ends it: from then on somebody
    relies on the deadman again.

    Args:
        timeout_s: Silence after which a motion ends.
        manual: Whether it begins in manual mode.
    """

    def __init__(self, timeout_s: float, manual: bool) -> None:
        self._silence = Silence(timeout_s)
        self._fired = False
        self.manual = manual

    @property
    def timeout_s(self) -> float:
        """Silence after which a motion ends."""
        return self._silence.timeout_s

    @property
    def executive(self) -> Silence:
        """Whether its heartbeats keep coming."""
        return self._silence

    def update(self, now: float) -> None:
        """Notices pauses of the adapter itself; a timer calls it often, before `due`."""
        self._silence.update(now)

    def receive(self, at: float) -> None:
        """The executive was alive at that time. It ends manual mode."""
        self._silence.receive(at)
        self.rearm()

    def rearm(self) -> None:
        """Ends manual mode, for a heartbeat that `executive` has been given already."""
        self._fired = self.manual = False

    def set_manual(self, wanted: bool, now: float) -> Reason[Cause] | None:
        """Switches manual mode; gives a reason if that is not possible."""
        if wanted and not self._silence.holds(now):
            return STILL_ALIVE
        self.manual = wanted
        return None

    def due(self, motion: str, now: float) -> Reason[Cause] | None:
        """Why the motion under way must be stopped now; None if it may go on."""
        if self.manual or not self._silence.over(now):
            return None
        self._fired = True
        return self._reason(now).prefixed(f'{motion} was stopped')

    def refusal(self, now: float) -> Reason[Cause] | None:
        """Why no motion may begin now; None if one may."""
        if self.manual or not self._silence.holds(now):
            return None
        return self._reason(now).prefixed('No motion may begin')

    def state(self, now: float) -> DeadmanState:
        """`fired` from the stop of a motion to the next heartbeat; `silent` without a motion."""
        if self.manual:
            return 'manual'
        if self._fired:
            return 'fired'
        return 'silent' if self._silence.holds(now) else 'armed'

    def age(self, now: float) -> float | None:
        """Age of the last heartbeat in s; None if there was none."""
        return self._silence.age(now)

    def silence(self, now: float) -> str:
        """Since when the executive is silent, in words."""
        age = self.age(now)
        if age is None:
            return 'no heartbeat from any executive yet'
        return f'no heartbeat from the executive for {age:.1f} s (limit {self.timeout_s:g} s)'

    def _reason(self, now: float) -> Reason[Cause]:
        return Reason(Cause.EXECUTIVE_SILENT, self.silence(now))
