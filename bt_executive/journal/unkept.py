"""What stands in for a journal whose file cannot be used: it keeps nothing, and says so."""

from __future__ import annotations

import itertools

from bt_executive.core.journal import Durability, JournalFault
from bt_executive.core.journal_records import Record
from rover_common.clocks import Now


class UnkeptJournal:
    """See `bt_executive.core.journal.Journal`.

    Args:
        fault: Why nothing is kept.
        unkept: What `durable` says: NEVER, or NOT_KEPT, so acts go on.
    """

    def __init__(self, fault: JournalFault, unkept: Durability) -> None:
        self._fault, self._unkept = fault, unkept
        self._numbers = itertools.count(1)

    def put(self, now: Now, record: Record) -> int:
        """See `Journal.put`."""
        del now, record
        return next(self._numbers)

    def durable(self, ticket: int) -> Durability:
        """See `Journal.durable`."""
        del ticket
        return self._unkept

    def fault(self) -> JournalFault:
        """See `Journal.fault`."""
        return self._fault

    def close(self, now: Now, how: str, within_s: float) -> None:
        """See `Journal.close`."""
