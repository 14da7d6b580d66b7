"""Base or mast may move, never both (spec 1 section 8.1, spec 2 Variant B).

Every request is answered with a reason, or None if it is granted. A grant holds until
`motion_ended`, `navigation_ended` or `mast_ended`. A navigation goal keeps the base between its
motions.

A motion that the rover has not confirmed yet loses against a mast command: `stop_reason` ends it,
and the command waits for that, as for a rover that rolls on although its stop was answered
(`rolls`), for one of which it is not known whether it stands (`doubt`), and for a stop that is
owed although no motion is known (`stop_owed`): it is from the beginning. A mast command that
the rover has not answered may still begin (`mast_unanswered`): no motion begins until that is
settled. Variant A does not guard the mast: there only one mast command and one motion at a time
are kept.
"""

from __future__ import annotations

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.mast_state import MastState
from rover_common import adapter_status
from rover_common.config.settings import Variant
from rover_common.reason import Reason

NEED_TO_CLOSE_MAST = Reason(Cause.NEED_TO_CLOSE_MAST, 'Need to close mast')
MOVE_IN_PROGRESS = Reason(Cause.MOVE_IN_PROGRESS, adapter_status.MOVE_IN_PROGRESS)
MAST_UNKNOWN = Reason(
    Cause.MAST_UNKNOWN, 'Mast state is unknown: no joint states have come lately'
)


class Exclusivity:
    """The holders of base and mast, and the verdict for each request."""

    def __init__(self, variant: Variant) -> None:
        self._guarded = variant == 'B'
        self.mast: MastState = 'unknown'
        self.motion: str | None = None
        self.navigation_goal: str | None = None
        self.mast_command: str | None = None
        self.mast_unanswered: str | None = None
        self.rolls: bool | None = False
        self.doubt: Reason[Cause] | None = None  # why `rolls` is not known
        self.stop_owed = True
        self._confirmed = False

    def motion_refusal(self, navigation_goal: str | None = None) -> Reason[Cause] | None:
        """Why no motion of a navigation goal, or by itself, may begin now; None if one may."""
        taken = self.motion or self.navigation_goal != navigation_goal
        return self._mast_refusal() or (MOVE_IN_PROGRESS if taken else None)

    def begin_motion(self, name: str, navigation_goal: str | None = None) -> Reason[Cause] | None:
        """Grants the base to a motion, or returns why not."""
        reason = self.motion_refusal(navigation_goal)
        if not reason:
            self.motion = name
            self._confirmed = False
        return reason

    def motion_confirmed(self) -> None:
        """The rover carries the motion out."""
        self._confirmed = True

    def see_motion(self, name: str) -> None:
        """The rover moves although no motion has the base."""
        self.motion = name
        self._confirmed = True

    def motion_ended(self) -> None:
        """The rover stands still."""
        self.motion = None

    def begin_navigation(self, name: str) -> Reason[Cause] | None:
        """Grants the base to a navigation goal, or returns why not."""
        reason = self.motion_refusal()
        if not reason:
            self.navigation_goal = name
        return reason

    def navigation_ended(self) -> None:
        """Releases the base, once its motion has ended."""
        self.navigation_goal = None

    def begin_mast(self, name: str) -> Reason[Cause] | None:
        """Grants the mast to a command, or returns why not."""
        racing = self.motion and not self._confirmed and not self.navigation_goal
        if self._guarded and self.moving and not racing:
            return MOVE_IN_PROGRESS
        if self.mast_command:
            return Reason(Cause.MAST_BUSY, f'Mast is busy with {self.mast_command}')
        self.mast_command = name
        return None

    def mast_hindrance(self) -> Reason[Cause] | None:
        """Why the mast may not move now; None if the rover surely stands.

        That is: no motion, no stop that is owed, and none is seen.
        """
        if not self._guarded:
            return None
        if self.motion is not None or self.rolls:
            return MOVE_IN_PROGRESS
        return self.doubt or (MOVE_IN_PROGRESS if self.stop_owed else None)

    @property
    def base_stands(self) -> bool | None:
        """Whether nothing holds the base, and the rover does not move; None: not known."""
        if self.moving or self.rolls:
            return False
        return None if self.doubt else True

    def mast_ended(self) -> None:
        """No command of the mast is under way any more."""
        self.mast_command = None

    def stop_reason(self) -> Reason[Cause] | None:
        """Why the motion under way must end now: the mast left its closed position."""
        reason = self._mast_refusal() if self.motion else None
        return reason and reason.prefixed(f'{self.motion} was stopped')

    @property
    def moving(self) -> bool:
        """Whether the base is in use: by a motion, or by a navigation goal between two of them."""
        return self.motion is not None or self.navigation_goal is not None

    @property
    def mast_is_open(self) -> bool | None:
        """Anything but closed counts as open; None in Variant A and while it is unknown."""
        if not self._guarded or self.mast == 'unknown':
            return None
        return self.mast != 'closed'

    @property
    def move_allowed(self) -> bool:
        """Whether the mast leaves the base free to move."""
        return not self._mast_refusal()

    def _mast_refusal(self) -> Reason[Cause] | None:
        if not self._guarded:
            return None
        if self.mast_command:
            return NEED_TO_CLOSE_MAST
        if self.mast_unanswered:
            reason = f'{self.mast_unanswered} was not answered and may still begin'
            return Reason(Cause.MAST_BUSY, reason).continued('ask for it again')
        if self.mast == 'unknown':
            return MAST_UNKNOWN
        return None if self.mast == 'closed' else NEED_TO_CLOSE_MAST
