"""The permit that a running executive repeats with each heartbeat, and the deadman without one.

Each permit starts at most one motion, so that a request that comes late or twice starts nothing
when the motion that it was meant for has ended. In manual mode no permit is needed: a human has
declared to watch. Times in s of a steady clock, which goes on when simulated time stands still.
"""

from __future__ import annotations

from typing import Literal

from curiosity_adapter.adapter_error_codes import Cause
from gates.permit_rules import HeartbeatTimeout, PermitRules, Unpermitted
from rover_common.message_order import HeartbeatFilter, Uncounted
from rover_common.permit import NO_PERMIT_ID, Heartbeat, Permit, PermitId
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
