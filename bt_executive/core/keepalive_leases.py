"""Goals that are cancelled when no keepalive of their sender arrives: the lease of each.

See docs/decisions/0063-goals-that-are-kept-alive.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from rover_common.clocks import Now

PERIOD_S = 0.5  # between two keepalives of one goal
LEASE_S = 3.0  # that our own programs ask for: five keepalives may be lost, or late, on the way
SHORTEST_LEASE_S, LONGEST_LEASE_S = 1.0, 3600.0
# So long after its start an executive may not have been found by whoever sent a goal before.
FOUND_WITHIN_S = 10.0


def lease_fault(lease_s: float) -> str | None:
    """Return why a goal cannot have this lease, as a clause; None if it can. Takes NaN, too."""
    if lease_s == 0.0 or SHORTEST_LEASE_S <= lease_s <= LONGEST_LEASE_S:
        return None
    return (
        f'lease_s is {lease_s:g}: give {SHORTEST_LEASE_S:g} to {LONGEST_LEASE_S:g} seconds, or 0 '
        'for a goal that needs no keepalives'
    )


class KeepaliveWatch:
    """Tracks the time since the last keepalive of each goal that has a lease.

    A keepalive that comes twice, late, or for a goal that is not open, changes nothing else than
    that its goal may go on for one more lease. Time in which this process stood still does not
    count: the keepalives of that time are still to be read.

    Args:
        began: When this executive began.
    """

    def __init__(self, began: Now) -> None:
        self._began = began.steady
        self._received: dict[str, float] = {}

    def received(self, task_id: str, now: Now) -> None:
        """Enter a keepalive of a goal."""
        if task_id in self._received:
            self._received[task_id] = now.steady

    def expired(self, leases: Mapping[str, float], now: Now) -> list[str]:
        """Return the goals whose lease is over, each once per lease.

        `leases`: task id of each open goal → its lease in s; 0: it has none.
        """
        kept = [each for each, lease_s in leases.items() if lease_s > 0.0]
        self._received = {each: self._received.get(each, now.steady) for each in kept}
        if now.steady < self._began + FOUND_WITHIN_S:
            return []
        over = [each for each, at in self._received.items() if now.silent_for(at) > leases[each]]
        self._received.update(dict.fromkeys(over, now.steady))
        return over
