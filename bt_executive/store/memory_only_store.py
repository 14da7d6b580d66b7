"""What stands in for a store whose file cannot be used: it keeps nothing, and says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bt_executive.core.store import Durability, Entry, InputLine, StoreFault
from rover_common.clocks import Now


class MemoryOnlyStore:
    """See `bt_executive.core.store.Store`.

    Args:
        fault: Why nothing is kept.
        unkept: What `durable` says: NEVER, or NOT_KEPT, so acts go on.
    """

    def __init__(self, fault: StoreFault, unkept: Durability) -> None:
        self._fault, self._unkept = fault, unkept
        self.latest = 0

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        """See `Store.put`."""
        del now, parts, entries
        self.latest += 1
        return self.latest

    def record(self, lines: Sequence[InputLine]) -> None:
        """See `Store.record`."""

    def durable(self, ticket: int) -> Durability:
        """See `Store.durable`."""
        del ticket
        return self._unkept

    def fault(self) -> StoreFault:
        """See `Store.fault`."""
        return self._fault

    def close(self, now: Now, how: str, within_s: float) -> None:
        """See `Store.close`."""
