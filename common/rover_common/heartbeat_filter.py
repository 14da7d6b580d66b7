"""Which messages of a level count: recent ones, in order.

Between two processes a message may arrive late, twice or after a later one. So each is judged by
the sender's stamp and sequence when it is read, not by the time at which it is read.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Generic, Protocol, TypeVar

from rover_common.reason import Reason
from rover_common.run_number import RunNumber


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
