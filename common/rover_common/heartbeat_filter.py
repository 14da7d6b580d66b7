"""Which messages of a level count: young ones, in order.

Between two processes a beat may come late, twice or after a later one. So each is judged by the
sender's stamp and sequence when it is read, not when it happens to be read.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Generic, Protocol, TypeVar

from rover_common.reason import Reason
from rover_common.run_number import RunNumber


class Uncounted(Enum):
    """Why a beat does not count."""

    NOT_YOUNG = auto()
    OUT_OF_ORDER = auto()


class AnyBeat(Protocol):
    """A heartbeat of the executive, or a setpoint of the navigator."""

    @property
    def sender(self) -> str:
        """One run of who sends; no other has the same."""

    @property
    def sequence(self) -> int:
        """Grows with each beat of this run."""

    @property
    def sent_at(self) -> float:
        """System time in s."""


AnyBeatT = TypeVar('AnyBeatT', bound=AnyBeat)


def steady_time_of(beat: AnyBeat, system_time: float, now: float) -> float:
    """When a beat was sent, in s of a steady clock, if it is read at these times of both clocks.

    A stamp that lies ahead is taken for now.
    """
    return now - max(system_time - beat.sent_at, 0.0)


class BeatFilter(Generic[AnyBeatT]):
    """Remembers the latest beat that counts.

    Args:
        max_age_s: A beat that is older when it is read counts as none. A stamp that lies further
            ahead than that is of another clock, and counts as none, too.
        name: What a beat is called in sentences.
    """

    def __init__(self, max_age_s: float, name: str) -> None:
        self._max_age_s = max_age_s
        self._name = name
        self.latest: AnyBeatT | None = None

    def receive(self, beat: AnyBeatT, system_time: float) -> Reason[Uncounted] | None:
        """Takes a beat that is read at a system time in s; a reason if it does not count."""
        reason = self._age_reason(system_time - beat.sent_at)
        reason = reason or self._order_reason(beat, system_time)
        if not reason:
            self.latest = beat
        return reason

    def _age_reason(self, age: float) -> Reason[Uncounted] | None:
        if age > self._max_age_s:
            said = f'{age:.2f} s old when it is read'
        elif age < -self._max_age_s:
            said = f'stamped {-age:.2f} s in the future'
        else:
            return None
        return Reason(
            Uncounted.NOT_YOUNG,
            f'A {self._name} does not count: it is {said}, the limit is {self._max_age_s:g} s. '
            'If this goes on, let the clocks of both hosts agree (chrony, NTP)',
        )

    def _order_reason(self, beat: AnyBeatT, system_time: float) -> Reason[Uncounted] | None:
        latest = self.latest
        if latest is None:
            return None
        number = RunNumber(beat.sender, beat.sequence)
        before = RunNumber(latest.sender, latest.sequence)
        if number.is_of(before):
            late = before.reaches(number)
        elif latest.sent_at > system_time + self._max_age_s:
            late = False  # the clock was set back since: the stamps of two runs tell no order
        else:
            late = beat.sent_at <= latest.sent_at
        if not late:
            return None
        said = f'A {self._name} does not count: a later one came before it'
        return Reason(Uncounted.OUT_OF_ORDER, said)
