"""Which velocity commands of Nav2 reach the base. Pure.

A command passes while a living executive permits the one motion that there is, and nobody has
asked for a stop since. Every other way out closes the gate for this permit, for good.

Times in s of a steady clock. The stamp of a heartbeat tells its age when it is read; from then on
it ages by the steady clock, whatever becomes of the clock of the system.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rover_common.permit import NO_PERMIT_ID, Beat, EndingCode, PermitId


@dataclass(frozen=True)
class Ending:
    """How a motion that had a permit ended."""

    permit: PermitId
    code: EndingCode
    reason: str


@dataclass
class Gate:
    """The level of permission, and who holds it.

    Attributes:
        motion: The key of the endpoint that drives.
        limit_s: How old a heartbeat may be.
        silence_s: How long Nav2 may send no command while it drives.
        beat: The latest heartbeat that counted.
        holder: The permit of the motion under way, or NO_PERMIT_ID.
        ending: Of the last motion; None before the first.
    """

    motion: str
    limit_s: float
    silence_s: float
    beat: Beat = field(default=Beat('', 0, 0.0))
    holder: PermitId = NO_PERMIT_ID
    ending: Ending | None = None
    _closed: PermitId = NO_PERMIT_ID
    _beat_at: float = float('-inf')
    _commanded_at: float = float('-inf')

    @property
    def is_open(self) -> bool:
        """Whether a motion is under way."""
        return self.holder != NO_PERMIT_ID

    def hear(self, beat: Beat, system_time: float, now: float) -> None:
        """A heartbeat has come, and is read at a system time in s."""
        last, age = self.beat, system_time - beat.sent_at
        late = beat.sender == last.sender and beat.sequence <= last.sequence
        if late or abs(age) > self.limit_s:
            return
        self.beat, self._beat_at = beat, now - max(age, 0.0)
        if self.is_open and self.holder != self._permit():
            self._end(EndingCode.WITHDRAWN, 'the executive withdrew its permission')

    def command(self, now: float) -> bool:
        """Nav2 has sent a velocity: whether it may pass."""
        permit = self._permit()
        allowed = self.beat.permit.motion == self.motion and permit != self._closed
        if not allowed or not self._is_young(now):
            return False
        self.holder, self._commanded_at = permit, now
        return True

    def stop(self, reason: str) -> None:
        """Somebody asks for a stop: nothing passes until there is another permit."""
        self._closed = self._permit()
        self._end(EndingCode.STOP_CALLED, reason)

    def look(self, now: float) -> None:
        """Ends a motion of which nothing is heard any more."""
        if self.is_open and not self._is_young(now):
            self._end(EndingCode.HALTED, 'the executive has fallen silent')
        if self.is_open and now - self._commanded_at > self.silence_s:
            self._end(EndingCode.HALTED, 'Nav2 has sent no velocity')

    def arrive(self) -> None:
        """Nav2 has commanded a standstill: the motion is over until the next velocity."""
        if self.is_open:
            self.holder = NO_PERMIT_ID

    def _permit(self) -> PermitId:
        return self.beat.sender, self.beat.permit.number

    def _is_young(self, now: float) -> bool:
        return now - self._beat_at <= self.limit_s

    def _end(self, code: EndingCode, reason: str) -> None:
        if self.is_open:
            self._closed = self.holder
            self.ending = Ending(self.holder, code, reason)
            self.holder = NO_PERMIT_ID
