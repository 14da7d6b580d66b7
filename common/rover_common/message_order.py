"""Which messages count: those that are recent, in order, and bring a measurement that is new.

A message may come late, twice, or from a run that has ended, and the next run begins to count
anew. So a number says something only beside another one of the same run, and this is the one
place that compares them. A message is judged by its sender's stamp and sequence when it is read,
not by the time at which it is read.

What was used once begins nothing again, also when its sender wakes up after others had their turn.

A publisher that hangs in a loop, a bridge or a recorder may send the same measurement again and
again: each message arrives now, and its content is as old as its stamp. Stamps in s.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Generic, NamedTuple, Protocol, TypeVar

from rover_common.geometry.transforms import SET_BACK_S
from rover_common.reason import Reason


class RunNumber(NamedTuple):
    """A number of a heartbeat, a permit, a setpoint, a navigation goal or a motion.

    Attributes:
        run: Of the process that counts; no two runs ever have the same (a UUID is in it).
        number: Grows within the run. 0: nothing was counted.
    """

    run: str
    number: int

    def is_of(self, other: RunNumber) -> bool:
        """Whether the same run has counted both: numbers of two runs have no order."""
        return self.run == other.run

    def reaches(self, other: RunNumber) -> bool:
        """Whether it is the other number, or a later one of the same run."""
        return self.is_of(other) and self.number >= other.number


MOST_RUNS = 100  # that are remembered; the one that was silent longest is dropped


class UsedNumbers:
    """The last number that was used of each of the latest runs."""

    def __init__(self) -> None:
        self._last: dict[str, RunNumber] = {}

    def use(self, used: RunNumber) -> None:
        """This number and all before it are used up."""
        last = self._last.pop(used.run, used)  # it is the latest run from now on
        self._last[used.run] = last if last.reaches(used) else used
        if len(self._last) > MOST_RUNS:
            del self._last[next(iter(self._last))]

    def has(self, number: RunNumber) -> bool:
        """Whether the number has been used, or a later one of this run; 0 counts as used."""
        last = self._last.get(number.run, RunNumber(number.run, 0))
        return last.reaches(number)


class Uncounted(Enum):
    """Why a message does not count."""

    NOT_RECENT = auto()
    OUT_OF_ORDER = auto()


class LevelMessage(Protocol):
    """A heartbeat of the executive, or a setpoint of the navigator."""

    @property
    def sender(self) -> str:
        """One run of the sending process; unique."""

    @property
    def sequence(self) -> int:
        """Increases with each message of this run."""

    @property
    def sent_at(self) -> float:
        """System time in s."""


LevelMessageT = TypeVar('LevelMessageT', bound=LevelMessage)


def steady_time_of(message: LevelMessage, system_time: float, now: float) -> float:
    """Return when a message was sent, in s of the steady clock.

    Args:
        message: With a stamp of the system clock; one in the future is taken for now.
        system_time: Now, in s of the system clock.
        now: Now, in s of the steady clock.
    """
    return now - max(system_time - message.sent_at, 0.0)


class HeartbeatFilter(Generic[LevelMessageT]):
    """Stores the latest message that counts.

    Args:
        max_age_s: A message that is older when it is read does not count. A stamp that lies
            further in the future than that is of another clock, and does not count either.
        name: What a message is called in sentences.
    """

    def __init__(self, max_age_s: float, name: str) -> None:
        self._max_age_s = max_age_s
        self._name = name
        self.latest: LevelMessageT | None = None

    def receive(self, message: LevelMessageT, system_time: float) -> Reason[Uncounted] | None:
        """Handle a message that is read at a system time in s; a reason if it does not count."""
        reason = self._age_reason(system_time - message.sent_at)
        reason = reason or self._order_reason(message, system_time)
        if not reason:
            self.latest = message
        return reason

    def _age_reason(self, age: float) -> Reason[Uncounted] | None:
        if age > self._max_age_s:
            fault = f'{age:.2f} s old when it is read'
        elif age < -self._max_age_s:
            fault = f'stamped {-age:.2f} s in the future'
        else:
            return None
        return Reason(
            Uncounted.NOT_RECENT,
            f'A {self._name} does not count: it is {fault}, the limit is {self._max_age_s:g} s. '
            'If this goes on, let the clocks of both hosts agree (chrony, NTP)',
        )

    def _order_reason(
        self, message: LevelMessageT, system_time: float
    ) -> Reason[Uncounted] | None:
        latest = self.latest
        if latest is None:
            return None
        number = RunNumber(message.sender, message.sequence)
        before = RunNumber(latest.sender, latest.sequence)
        if number.is_of(before):
            late = before.reaches(number)
        elif latest.sent_at > system_time + self._max_age_s:
            late = False  # the clock was set back since: the stamps of two runs tell no order
        else:
            late = message.sent_at <= latest.sent_at
        if not late:
            return None
        sentence = f'A {self._name} does not count: a later one came before it'
        return Reason(Uncounted.OUT_OF_ORDER, sentence)


UNSTAMPED = 0.0  # the stamp of a message whose publisher does not fill it in

ANOTHER_CLOCK_S = 60.0  # no message travels for so long: its stamp is of another clock


def age_of(stamp: float, now: float) -> float:
    """Return how long ago a measurement was taken; 0 where its stamp does not show it.

    A driver may not fill it in, or count from when it was started.
    """
    age_s = now - stamp
    return age_s if stamp != UNSTAMPED and 0.0 < age_s < ANOTHER_CLOCK_S else 0.0


def is_newer(stamp: float, latest: float | None) -> bool:
    """Return whether a measurement was taken after the latest one.

    One that is much older was taken by a clock that was set back, and is new.
    """
    return latest is None or stamp > latest or stamp < latest - SET_BACK_S


class LatestStamp:
    """Remembers the stamp of the latest measurement of one topic.

    An unstamped message counts as new: its age is unknown.
    """

    def __init__(self) -> None:
        self._latest: float | None = None

    def advance(self, stamp: float) -> bool:
        """Return whether this stamp is a new one, and remember it."""
        if stamp == UNSTAMPED:
            return True
        if not is_newer(stamp, self._latest):
            return False
        self._latest = stamp
        return True
