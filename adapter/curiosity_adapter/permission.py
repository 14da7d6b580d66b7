"""Whether a motion may begin or go on: a living executive gives its permission, again and again.

Each permit starts at most one motion, so that a request that comes late or twice starts nothing
when the motion that it was meant for has ended. In manual mode no permit is needed: somebody
watches who has said so.
"""

from __future__ import annotations

from typing import TypeAlias

from curiosity_adapter.deadman import Deadman
from curiosity_adapter.heartbeats import Heartbeats
from rover_common.permit import NO_PERMIT, Beat, Permit

PermitId: TypeAlias = tuple[str, int]  # sender and number


class Permission:
    """Joins what the latest beat permits with the deadman. Times in s of a steady clock.

    Args:
        heartbeats: Which beats count.
        deadman: Whether they keep coming.
    """

    def __init__(self, heartbeats: Heartbeats, deadman: Deadman) -> None:
        self._heartbeats = heartbeats
        self._deadman = deadman
        self._used: PermitId | None = None
        self._by_hand = False
        self.holder: PermitId | None = None  # of the motion under way

    @property
    def manual(self) -> bool:
        """Whether somebody drives by hand."""
        return self._deadman.manual

    @property
    def wait_s(self) -> float:
        """A start may come before its permit; so long it waits for it."""
        return self._deadman.timeout_s

    @property
    def permit(self) -> Permit:
        """What the latest beat permits."""
        return self._heartbeats.latest.permit if self._heartbeats.latest else NO_PERMIT

    def hear(self, beat: Beat, system_time: float, now: float) -> str:
        """Takes a beat; a reason if it does not count."""
        reason = self._heartbeats.take(beat, system_time)
        if not reason:
            self._deadman.beat(now - max(system_time - beat.sent_at, 0.0))
        return reason

    def refusal(self, motion: str, now: float) -> str:
        """Why the motion may not begin now; empty if it may."""
        if self.manual:
            return ''
        silence = self._deadman.refusal(now)
        if silence:
            return silence
        if self.permit.motion != motion or not self.permit.number:
            return f'No motion may begin: the executive gives no permission for {motion}'
        if self._used_up():
            return f'No motion may begin: permission {self.permit.number} has been used'
        return ''

    def use(self) -> None:
        """A motion begins: with the permit that there is now, or by hand."""
        self._by_hand = self.manual
        if not self._by_hand:
            self.holder = self._used = self._latest_id()

    def end(self) -> None:
        """The motion has ended."""
        self.holder, self._by_hand = None, False

    def withdrawal(self, motion: str) -> str:
        """Why the motion under way is not permitted any more; empty if it is."""
        if self.holder is not None and self.holder != self._latest_id():
            return f'{motion} was stopped: the executive withdrew its permission'
        if self._by_hand and not self.manual:
            return f'{motion} was stopped: it was begun by hand, and manual mode has ended'
        return ''

    def silence(self, motion: str, now: float) -> str:
        """Why the motion under way must end for want of heartbeats; empty if it may go on."""
        return self._deadman.due(motion, now)

    def _latest_id(self) -> PermitId | None:
        latest = self._heartbeats.latest
        return (latest.sender, latest.permit.number) if latest else None

    def _used_up(self) -> bool:
        latest, used = self._heartbeats.latest, self._used
        if latest is None or used is None or latest.sender != used[0]:
            return False
        return latest.permit.number <= used[1]
