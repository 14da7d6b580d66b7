"""Which velocities reach a base. Pure.

A velocity passes while a running executive permits a motion, and no stop was requested since.
Every other end closes the gate for this permit, for good. The driver may command a standstill
meanwhile, to wait or to replan: the motion then stands, and may go on.

Times in s of a steady clock.
"""

from __future__ import annotations

from collections.abc import Callable
import math

from gates.gates_status import EXECUTIVE_SILENT, WITHDRAWN, GateEnding
from gates.permit_rules import HeartbeatTimeout, PermitRules
from rover_common.message_order import HeartbeatFilter, Uncounted
from rover_common.permit import NO_PERMIT_ID, EndingCode, Heartbeat, PermitId
from rover_common.reason import Reason

STANDSTILL_S = 8.0  # more than the 5 s for which Nav2's own recovery waits


class VelocityGate:
    """Lets velocities pass by the permit rules.

    Args:
        passes: Returns whether velocities of other processes pass under a permit for a motion.
        limit_s: How old a heartbeat may be.
        gate: Its name; empty: the only one of a robot without `gates`.
        silence_s: How long the driver may send no velocity.
        standstill_s: The same after a standstill.
        driver: The driver's name in sentences.

    Attributes:
        ending: Of the last motion; None before the first.
    """

    def __init__(
        self,
        passes: Callable[[str], bool],
        limit_s: float,
        silence_s: float,
        standstill_s: float = STANDSTILL_S,
        driver: str = 'whoever drives',
        gate: str = '',
    ) -> None:
        self._passes, self._driver = passes, driver
        self._silence_s, self._standstill_s = silence_s, standstill_s
        heartbeats = HeartbeatFilter[Heartbeat](limit_s, 'heartbeat')
        self._rules = PermitRules(heartbeats, HeartbeatTimeout(limit_s), gate)
        self._commanded_at = -math.inf
        self._stands = False
        self.ending: GateEnding | None = None

    @property
    def heartbeat(self) -> Heartbeat:
        """The latest heartbeat that counted."""
        return self._rules.heartbeat

    @property
    def holder(self) -> PermitId:
        """The permit of the motion under way, which may stand, or NO_PERMIT_ID."""
        return self._rules.holder

    @property
    def is_open(self) -> bool:
        """Whether a motion is under way and does not stand."""
        return self._rules.is_held and not self._stands

    def receive(
        self, heartbeat: Heartbeat, system_time: float, now: float
    ) -> Reason[Uncounted] | None:
        """Takes a heartbeat that is read at a system time in s; returns why it does not count."""
        self.update(now)  # a heartbeat that comes after a silence opens nothing again
        reason = self._rules.receive(heartbeat, system_time, now)
        if not reason and self._rules.is_withdrawn:
            self._end(EndingCode.WITHDRAWN, WITHDRAWN)
        return reason

    def command(self, now: float, own: str = '') -> bool:
        """Return whether a velocity may pass.

        `own`: the gate's own motion that commands it; empty: it comes from another process.
        """
        self.update(now)
        motion = self._rules.permit.motion
        if not (motion == own if own else self._passes(motion)):
            return False
        if not self._rules.is_held:
            if self._rules.refusal(motion, now) is not None:
                return False
            self._rules.begin()
        self._commanded_at, self._stands = now, False
        return True

    def stop(self, reason: str) -> None:
        """Ends the motion on request; nothing passes until there is another permit."""
        self.halt(EndingCode.STOP_CALLED, reason)

    def halt(self, code: EndingCode, reason: str) -> None:
        """Ends the motion; nothing passes until there is another permit."""
        self._rules.close()
        self._end(code, reason)

    def update(self, now: float) -> None:
        """Ends a motion whose executive or driver has fallen silent."""
        if self._rules.is_silent(now):
            self._end(EndingCode.GAP, EXECUTIVE_SILENT)
        limit_s = self._standstill_s if self._stands else self._silence_s
        if now - self._commanded_at > limit_s:
            self._end(EndingCode.GAP, f'{self._driver} has sent no velocity')

    def held_goal(self, now: float) -> str:
        """Return the goal that may be under way now, in hex; empty: none."""
        return self._rules.held_goal(now)

    def is_silent(self, now: float) -> bool:
        """Return whether no heartbeat is young any more."""
        return self._rules.is_silent(now)

    def command_standstill(self, now: float) -> None:
        """The driver commands a standstill: nothing is under way until the next velocity."""
        self.update(now)  # one that comes after a silence keeps nothing under way
        if self._rules.is_held:
            self._stands, self._commanded_at = True, now

    def _end(self, code: EndingCode, reason: str) -> None:
        holder = self._rules.holder
        if holder != NO_PERMIT_ID:
            self.ending = GateEnding(holder, code, reason, self._stands)
            self._rules.end()
            self._stands = False
