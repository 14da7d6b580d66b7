"""The deadman: no motion without a living executive, unless somebody takes its place knowingly.

Times in s of a steady clock, which goes on when simulated time stands still.
"""

from __future__ import annotations

import math
from typing import Literal

from curiosity_adapter.causes import Cause
from rover_common.reason import Reason

DeadmanState = Literal['armed', 'silent', 'fired', 'manual']

STILL_ALIVE = Reason(
    Cause.EXECUTIVE_ALIVE,
    'Manual mode stays off: an executive is alive and watches over every motion',
)


class Deadman:
    """Watches the executive's heartbeat, whoever asked for the motion.

    An adapter that the machine did not let run was deaf, and what it missed is read right after
    its first look. So that one look ends no motion; the next one does. It is excused once until
    the next heartbeat, so pauses that follow each other postpone nothing.

    In manual mode silence does not matter. The next heartbeat ends it: from then on somebody
    relies on the deadman again.

    Args:
        timeout_s: Silence after which a motion ends.
        manual: Whether it begins in manual mode.
    """

    def __init__(self, timeout_s: float, manual: bool) -> None:
        self.timeout_s = timeout_s
        self._beat_at: float | None = None
        self._fired = False
        self._looked_at = math.inf
        self._excused = False
        self._deaf = False
        self.manual = manual

    def look(self, now: float) -> None:
        """Notices pauses of the adapter itself; a timer calls it often, before `due`."""
        paused = self._late(now)
        self._looked_at = now
        self._deaf = paused and not self._excused
        self._excused = self._excused or paused

    def beat(self, at: float) -> None:
        """The executive was alive at that time. It ends manual mode."""
        self._beat_at = max(at, self._beat_at if self._beat_at is not None else -math.inf)
        self._fired = self._excused = self.manual = False

    def set_manual(self, wanted: bool, now: float) -> Reason[Cause] | None:
        """Switches manual mode; gives a reason if that is not possible."""
        if wanted and not self._silent(now):
            return STILL_ALIVE
        self.manual = wanted
        return None

    def due(self, motion: str, now: float) -> Reason[Cause] | None:
        """Why the motion under way must be stopped now; None if it may go on."""
        if not self._missed(now) or self._deaf or self._late(now):
            return None
        self._fired = True
        return self._reason(now).prefixed(f'{motion} was stopped')

    def refusal(self, now: float) -> Reason[Cause] | None:
        """Why no motion may begin now; None if one may."""
        return self._reason(now).prefixed('No motion may begin') if self._missed(now) else None

    def state(self, now: float) -> DeadmanState:
        """`fired` from the stop of a motion to the next heartbeat; `silent` without a motion."""
        if self.manual:
            return 'manual'
        if self._fired:
            return 'fired'
        return 'silent' if self._silent(now) else 'armed'

    def age(self, now: float) -> float | None:
        """Age of the last heartbeat in s; None if there was none."""
        return None if self._beat_at is None else now - self._beat_at

    def silence(self, now: float) -> str:
        """What the silence of the executive is, in words."""
        if self._beat_at is None:
            said = 'no heartbeat of an executive was ever heard'
        else:
            said = f'the last heartbeat of the executive is {now - self._beat_at:.1f} s old'
        return f'{said}, and manual mode is off'

    def _reason(self, now: float) -> Reason[Cause]:
        return Reason(Cause.EXECUTIVE_SILENT, self.silence(now))

    def _late(self, now: float) -> bool:
        """Whether the adapter should have looked again before: it did not run meanwhile."""
        return now - self._looked_at > self.timeout_s / 2.0

    def _missed(self, now: float) -> bool:
        return not self.manual and self._silent(now)

    def _silent(self, now: float) -> bool:
        return self._beat_at is None or now - self._beat_at > self.timeout_s
