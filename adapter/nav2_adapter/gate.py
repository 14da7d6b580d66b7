"""Which velocity commands of Nav2 reach the base. Pure.

A command passes while a living executive permits the one motion that there is, and nobody has
asked for a stop since. Every other way out closes the gate for this permit, for good. Nav2 may
command a standstill on its way, to wait or to plan anew: the motion then stands, and may go on.

Times in s of a steady clock. The stamp of a heartbeat tells its age when it is read; from then on
it ages by the steady clock, whatever becomes of the clock of the system.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

from rover_common.beat_filter import BeatFilter, Uncounted, steady_time_of
from rover_common.permit import NO_PERMIT_ID, Beat, EndingCode, PermitId
from rover_common.reason import Reason
from rover_common.used_numbers import UsedNumbers

NO_BEAT = Beat('', 0, 0.0)
STANDING_S = 8.0  # more than the 5 s for which Nav2's own recovery waits


@dataclass(frozen=True)
class Ending:
    """How a motion that had a permit ended."""

    permit: PermitId
    code: EndingCode
    reason: str
    stood: bool  # Nav2 had commanded a standstill before


class Gate:
    """The level of permission, and who holds it.

    Args:
        motion: The key of the endpoint that drives.
        limit_s: How old a heartbeat may be.
        silence_s: How long Nav2 may send no command while it drives.
        standing_s: How long it may send none after a standstill.

    Attributes:
        holder: The permit of the motion under way, which may stand, or NO_PERMIT_ID.
        ending: Of the last motion; None before the first.
    """

    def __init__(
        self, motion: str, limit_s: float, silence_s: float, standing_s: float = STANDING_S
    ) -> None:
        self._motion, self._limit_s = motion, limit_s
        self._silence_s, self._standing_s = silence_s, standing_s
        self._stands = False
        self._heartbeats = BeatFilter[Beat](limit_s, 'heartbeat')
        self._closed = UsedNumbers()
        self._beat_at = self._commanded_at = -math.inf
        self.holder = NO_PERMIT_ID
        self.ending: Ending | None = None

    @property
    def beat(self) -> Beat:
        """The latest heartbeat that counted."""
        return self._heartbeats.latest or NO_BEAT

    @property
    def is_open(self) -> bool:
        """Whether a motion is under way and does not stand."""
        return self.holder != NO_PERMIT_ID and not self._stands

    def hear(self, beat: Beat, system_time: float, now: float) -> Reason[Uncounted] | None:
        """Takes a heartbeat that is read at a system time in s; a reason if it does not count."""
        self.look(now)  # a beat that comes after a silence opens nothing again
        reason = self._heartbeats.take(beat, system_time)
        if reason:
            return reason
        self._beat_at = steady_time_of(beat, system_time, now)
        if self.holder != self._permit():
            self._end(EndingCode.WITHDRAWN, 'the executive withdrew its permission')
        return None

    def command(self, now: float) -> bool:
        """Nav2 has sent a velocity: whether it may pass."""
        self.look(now)
        permit = self._permit()
        allowed = self.beat.permit.motion == self._motion and not self._closed.has(permit)
        if not allowed or not self._is_young(now):
            return False
        self.holder, self._commanded_at, self._stands = permit, now, False
        return True

    def stop(self, reason: str) -> None:
        """Somebody asks for a stop: nothing passes until there is another permit."""
        self._closed.use(self._permit())
        self._end(EndingCode.STOP_CALLED, reason)

    def look(self, now: float) -> None:
        """Ends a motion of which nothing is heard any more."""
        if not self._is_young(now):
            self._end(EndingCode.GAP, 'the executive has fallen silent')
        limit_s = self._standing_s if self._stands else self._silence_s
        if now - self._commanded_at > limit_s:
            self._end(EndingCode.GAP, 'Nav2 has sent no velocity')

    def arrive(self, now: float) -> None:
        """Nav2 has commanded a standstill: nothing is under way until the next velocity."""
        if self.holder != NO_PERMIT_ID:
            self._stands, self._commanded_at = True, now

    def _permit(self) -> PermitId:
        return self.beat.permit_id

    def _is_young(self, now: float) -> bool:
        return now - self._beat_at <= self._limit_s

    def _end(self, code: EndingCode, reason: str) -> None:
        if self.holder != NO_PERMIT_ID:
            self._closed.use(self.holder)
            self.ending = Ending(self.holder, code, reason, self._stands)
            self.holder, self._stands = NO_PERMIT_ID, False
