"""What a motion needs to begin and to continue: the base, a permission, and its limits."""

from __future__ import annotations

from collections.abc import Callable

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.base_or_mast_exclusivity import MOVE_IN_PROGRESS, Exclusivity
from curiosity_adapter.motion_limits import Limits
from curiosity_adapter.motion_permit import Permission
from rover_common.permit import PermitId
from rover_common.reason import Reason

UNASKED = 'unasked motion'
NOT_ASKED = Reason(
    Cause.NOT_ASKED_FOR,
    'The rover was stopped: it moves although nobody asked the adapter for it, '
    'and manual mode is off',
)


class MotionGuards:
    """The guards of every motion, evaluated together and updated together.

    Args:
        exclusivity: Base or mast, never both.
        permission: Whether an executive permits the motion, or manual mode does.
        limits: What no motion may exceed.
        clock: Steady time in s.
    """

    def __init__(
        self,
        exclusivity: Exclusivity,
        permission: Permission,
        limits: Limits,
        clock: Callable[[], float],
    ) -> None:
        self._exclusivity = exclusivity
        self._permission = permission
        self._limits = limits
        self._clock = clock

    @property
    def motion(self) -> str | None:
        """The motion under way, whoever requested it."""
        return self._exclusivity.motion

    @property
    def active(self) -> str | None:
        """The navigation goal under way, between two motions too, or the motion by itself."""
        return self._exclusivity.navigation_goal or self._exclusivity.motion

    @property
    def base_stands(self) -> bool | None:
        """Whether nothing holds the base, and the rover does not move; None: not known."""
        return self._exclusivity.base_stands

    @property
    def doubt(self) -> Reason[Cause] | None:
        """Why it is not known whether the rover stands; None if it is known."""
        return self._exclusivity.doubt

    @property
    def holder(self) -> PermitId | None:
        """The permit of what is under way; None if it has none."""
        return self._permission.holder

    @property
    def manual(self) -> bool:
        """Whether somebody drives by hand."""
        return self._permission.manual

    def hindrance(self, name: str, navigation_goal: str | None) -> Reason[Cause] | None:
        """Why the motion may not begin now, regardless of permission."""
        return self._exclusivity.motion_refusal(navigation_goal) or self._limits.refusal(name)

    def not_permitted(self, name: str, navigation_goal: str | None = None) -> Reason[Cause] | None:
        """Why the motion has no permission; one of a navigation goal needs that of the goal."""
        now = self._clock()
        if navigation_goal is None:
            return self._permission.refusal(name, now)
        return self._permission.withdrawal(navigation_goal) or self._permission.silence(
            navigation_goal, now
        )

    def still_rolling(self, navigation_goal: str | None) -> Reason[Cause] | None:
        """Why a motion must wait: the rover rolls, or that is not known.

        A navigation goal allows for a rover that rolls.
        """
        if navigation_goal is None and self._exclusivity.rolls:
            return MOVE_IN_PROGRESS
        return self._exclusivity.doubt

    def begin(self, name: str, navigation_goal: str | None) -> Reason[Cause] | None:
        """Grants the base to a motion and uses its permit up, or returns why not."""
        reason = self._exclusivity.begin_motion(name, navigation_goal)
        if not reason:
            if navigation_goal is None:
                self._permission.use()
            self._limits.motion_began()
        return reason

    def silence_before(self) -> Reason[Cause] | None:
        """Why nothing may begin now for lack of heartbeats; None if they arrive."""
        return self._permission.silence_before(self._clock())

    def navigation_not_permitted(self, name: str, named: PermitId) -> Reason[Cause] | None:
        """Why a navigation goal that was requested under this permit may not begin now."""
        return self._permission.refusal(name, self._clock(), named)

    def begin_navigation(self, name: str, named: PermitId) -> Reason[Cause] | None:
        """Grants the base to a navigation goal and uses its permit up, or returns why not."""
        reason = self.navigation_not_permitted(name, named) or self._exclusivity.begin_navigation(
            name
        )
        if not reason:
            self._permission.use()
        return reason

    def confirmed(self) -> None:
        """The rover carries the motion out."""
        self._exclusivity.motion_confirmed()

    def see(self, moves: bool) -> None:
        """Takes whether the rover is seen to move, while no stop is owed."""
        if moves and self.motion is None:
            self._exclusivity.see_motion(UNASKED)
            self._limits.motion_began(asked=False)
        elif not moves and self.motion == UNASKED:
            self.ended()

    def ended(self) -> None:
        """The rover stands still."""
        self._exclusivity.motion_ended()
        self._limits.motion_ended()
        if self._exclusivity.navigation_goal is None:
            self._permission.end()

    def end_navigation(self) -> None:
        """The navigation goal releases the base."""
        self._exclusivity.navigation_ended()
        self._permission.end()

    def withdrawal(self, active: str) -> Reason[Cause] | None:
        """Why what is under way is not permitted any more; None if it is."""
        return self._permission.withdrawal(active)

    def silence(self, active: str) -> Reason[Cause] | None:
        """Why what is under way must end for lack of heartbeats; None if it may go on."""
        return None if active == UNASKED else self._permission.silence(active, self._clock())

    def stop_reason(self) -> Reason[Cause] | None:
        """Why the motion under way must end for what is seen now; None if it may go on."""
        motion = self.motion or ''
        if motion == UNASKED and not self.manual:
            return NOT_ASKED
        return self._exclusivity.stop_reason() or self._limits.due(motion)
