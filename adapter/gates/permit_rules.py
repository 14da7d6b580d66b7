"""The four rules of a permit, for every adapter and gate, and the timeout of heartbeats. Pure.

1. A heartbeat counts if it is young when it is read, and comes after the last one that counted.
2. A motion begins with a young permit for it, once for each number of a sender.
3. It ends when a heartbeat no longer has its permit.
4. It ends when no heartbeat is young any more.

Times in s of a steady clock, which goes on when simulated time stands still. The stamp of a
heartbeat gives its age when it is read; from then on it ages by the steady clock, even if the
system clock is set.
"""

from __future__ import annotations

from enum import Enum, auto
import math

from rover_common.message_order import HeartbeatFilter, Uncounted, UsedNumbers, steady_time_of
from rover_common.permit import NO_PERMIT_ID, Heartbeat, Permit, PermitId
from rover_common.reason import Reason


class HeartbeatTimeout:
    """Tracks whether heartbeats keep arriving.

    An adapter that was suspended reads the heartbeats that it missed right after its first update.
    So that update ends no motion; the next one does. This exception is made once until the next
    heartbeat, so that consecutive pauses postpone nothing.

    Args:
        timeout_s: Silence after which a motion ends.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._heartbeat_at: float | None = None
        self._updated_at = math.inf
        self._was_excused = False
        self._is_excused = False

    def update(self, now: float) -> None:
        """Detects pauses of the adapter itself; a timer calls it often, before `ends_motion`."""
        paused = self._was_paused(now)
        self._updated_at = now
        self._is_excused = paused and not self._was_excused
        self._was_excused = self._was_excused or paused

    def receive(self, at: float) -> None:
        """Takes the time at which a heartbeat that counts was sent."""
        self._heartbeat_at = max(
            at, self._heartbeat_at if self._heartbeat_at is not None else -math.inf
        )
        self._was_excused = False

    def age(self, now: float) -> float | None:
        """Return the age of the last heartbeat; None if there was none."""
        return None if self._heartbeat_at is None else now - self._heartbeat_at

    def is_silent(self, now: float) -> bool:
        """Return whether there is no young heartbeat, so that nothing may begin."""
        return self._heartbeat_at is None or now - self._heartbeat_at > self.timeout_s

    def ends_motion(self, now: float) -> bool:
        """Return whether a motion under way must end now."""
        return self.is_silent(now) and not self._is_excused and not self._was_paused(now)

    def _was_paused(self, now: float) -> bool:
        """Return whether the adapter did not run: its next update is overdue."""
        return now - self._updated_at > self.timeout_s / 2.0


NO_HEARTBEAT = Heartbeat('', 0, 0.0)
# How long a request waits for its permit, which a heartbeat brings on another path. Longer than a
# heartbeat may be old: on a busy machine the permit may miss one or two of them.
PERMIT_WAIT_S = 1.0


class Unpermitted(Enum):
    """Why a motion may not begin for lack of a permit."""

    SILENT = auto()
    NOT_GIVEN = auto()
    ANOTHER = auto()  # it was requested under another permit
    USED = auto()


class PermitRules:
    """The present permit, and the one of the motion under way.

    Args:
        heartbeats: Which heartbeats count.
        silence: Whether they keep coming.
        gate: Whose permits these are; empty: those of a robot without gates.

    Attributes:
        holder: The permit of the motion under way, or NO_PERMIT_ID.
    """

    def __init__(
        self, heartbeats: HeartbeatFilter[Heartbeat], timeout: HeartbeatTimeout, gate: str = ''
    ) -> None:
        self._heartbeats, self._timeout, self._gate = heartbeats, timeout, gate
        self._used = UsedNumbers()
        self.holder = NO_PERMIT_ID

    @property
    def heartbeat(self) -> Heartbeat:
        """The latest heartbeat that counted."""
        return self._heartbeats.latest or NO_HEARTBEAT

    @property
    def permit(self) -> Permit:
        """The permit of the latest heartbeat."""
        return self.heartbeat.permit_at(self._gate)

    @property
    def permit_id(self) -> PermitId:
        """Sender and number of that permit."""
        return self.heartbeat.permit_id_at(self._gate)

    def receive(
        self, heartbeat: Heartbeat, system_time: float, now: float
    ) -> Reason[Uncounted] | None:
        """Takes a heartbeat that is read at a system time in s; returns why it does not count."""
        reason = self._heartbeats.receive(heartbeat, system_time)
        if not reason:
            self._timeout.receive(steady_time_of(heartbeat, system_time, now))
        return reason

    def refusal(
        self, motion: str, now: float, named: PermitId | None = None
    ) -> Unpermitted | None:
        """Why the motion may not begin now; None if it may.

        `named`: the permit under which it was requested, where that is known.
        """
        if self._timeout.is_silent(now):
            return Unpermitted.SILENT
        if self.permit.motion != motion or not self.permit.number:
            return Unpermitted.NOT_GIVEN
        if named is not None and named != self.permit_id:
            return Unpermitted.ANOTHER
        return Unpermitted.USED if self._is_used() else None

    def begin(self) -> None:
        """A motion begins with the present permit."""
        self.holder = self.permit_id
        self._used.use(self.holder)

    def close(self) -> None:
        """Uses up the present permit, so that it begins nothing any more."""
        self._used.use(self.permit_id)

    def end(self) -> None:
        """The motion has ended."""
        self.holder = NO_PERMIT_ID

    @property
    def is_held(self) -> bool:
        """Whether a motion is under way."""
        return self.holder != NO_PERMIT_ID

    @property
    def is_withdrawn(self) -> bool:
        """Whether a motion is under way that the latest heartbeat does not permit."""
        return self.is_held and self.holder != self.permit_id

    def may_go_on(self, now: float) -> bool:
        """Return whether the present permit is young, and no motion has ended under it."""
        if not self.permit.number or self._timeout.is_silent(now):
            return False
        return self.holder == self.permit_id or not self._is_used()

    def held_goal(self, now: float) -> str:
        """Return the action's goal that may be under way now, in hex; empty: none."""
        return self.permit.goal if self.may_go_on(now) else ''

    def is_silent(self, now: float) -> bool:
        """Return whether no heartbeat is young any more."""
        return self._timeout.is_silent(now)

    def _is_used(self) -> bool:
        return self._used.has(self.permit_id)
