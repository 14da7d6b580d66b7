"""The permission of motions: a running executive repeats it with each heartbeat.

Each permit starts at most one motion, so that a request that comes late or twice starts nothing
when the motion that it was meant for has ended. In manual mode no permit is needed: a human has
declared to watch.
"""

from __future__ import annotations

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.deadman import Deadman
from gates.permit_rules import PermitRules, Unpermitted
from rover_common.heartbeat_filter import HeartbeatFilter, Uncounted
from rover_common.permit import NO_PERMIT_ID, Heartbeat, Permit, PermitId
from rover_common.reason import Reason


class Permission:
    """Combines the permit of the latest heartbeat with the deadman. Times in s of a steady clock.

    Args:
        heartbeats: Which heartbeats count.
        deadman: Whether they keep arriving.
    """

    def __init__(self, heartbeats: HeartbeatFilter[Heartbeat], deadman: Deadman) -> None:
        self._rules = PermitRules(heartbeats, deadman.heartbeat_timeout)
        self._deadman = deadman
        self._by_hand = False

    @property
    def holder(self) -> PermitId | None:
        """The permit of the motion under way; None: it has none, or there is no motion."""
        return self._rules.holder if self._rules.is_held else None

    @property
    def manual(self) -> bool:
        """Whether somebody drives by hand."""
        return self._deadman.manual

    @property
    def permit(self) -> Permit:
        """The permit of the latest heartbeat."""
        return self._rules.permit

    def receive(
        self, heartbeat: Heartbeat, system_time: float, now: float
    ) -> Reason[Uncounted] | None:
        """Takes a heartbeat; returns a reason if it does not count."""
        reason = self._rules.receive(heartbeat, system_time, now)
        if not reason:
            self._deadman.rearm()
        return reason

    def refusal(
        self, motion: str, now: float, named: PermitId | None = None
    ) -> Reason[Cause] | None:
        """Why the motion may not begin now; None if it may.

        `named`: the permit under which it was requested, where that is known; by hand, none.
        """
        if self.manual:
            return self._not_by_hand(named)
        against = self._rules.refusal(motion, now, named)
        if against is None:
            return None
        if against is Unpermitted.SILENT:
            return self.silence_before(now)
        if against is Unpermitted.NOT_GIVEN:
            said = f'the executive gives no permission for {motion}'
        elif against is Unpermitted.ANOTHER:
            said = f'{motion} was not asked for under the permission that the executive gives'
        else:
            said = f'permission {self.permit.number} has been used'
            return _may_not(Cause.PERMISSION_USED, said)
        return _may_not(Cause.NO_PERMISSION, said)

    def silence_before(self, now: float) -> Reason[Cause] | None:
        """Why nothing may begin now for lack of heartbeats; None if they arrive."""
        return self._deadman.refusal(now)

    def use(self) -> None:
        """A motion begins, with the present permit or by hand."""
        self._by_hand = self.manual
        if self._rules.heartbeat.sender and not self._by_hand:
            self._rules.begin()

    def end(self) -> None:
        """The motion has ended."""
        self._rules.end()
        self._by_hand = False

    def withdrawal(self, motion: str) -> Reason[Cause] | None:
        """Why the motion under way is not permitted any more; None if it is."""
        if self._rules.is_withdrawn:
            return Reason(
                Cause.PERMISSION_WITHDRAWN,
                f'{motion} was stopped: the executive withdrew its permission',
            )
        if self._by_hand and not self.manual:
            return Reason(
                Cause.MANUAL_MODE_ENDED,
                f'{motion} was stopped: it was begun by hand, and manual mode has ended',
            )
        return None

    def silence(self, motion: str, now: float) -> Reason[Cause] | None:
        """Why the motion under way must end for lack of heartbeats; None if it may go on.

        Manual mode does not keep a motion with a permit going: it was begun by the executive.
        """
        if self.manual and self.holder is not None:
            return Reason(
                Cause.MANUAL_MODE,
                f'{motion} was stopped: the executive that permitted it fell silent, and manual '
                'mode is on',
            )
        return self._deadman.due(motion, now)

    def _not_by_hand(self, named: PermitId | None) -> Reason[Cause] | None:
        if named in (None, NO_PERMIT_ID):
            return None
        said = 'it was asked for under the permission of an executive, and manual mode is on'
        return _may_not(Cause.NO_PERMISSION, said)


def _may_not(cause: Cause, why: str) -> Reason[Cause]:
    return Reason(cause, why).prefixed('No motion may begin')
