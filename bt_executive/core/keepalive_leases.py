"""The leases of goals: a goal is cancelled when no keepalive of its sender arrives.

See docs/decisions/0063-goals-that-are-kept-alive.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from rover_common.clocks import Now

PERIOD_S = 0.5  # between two keepalives of one goal
LEASE_S = 3.0  # of goals from this package's programs: five keepalives may be lost or late
SHORTEST_LEASE_S, LONGEST_LEASE_S = 1.0, 3600.0
# After its start, the senders of earlier goals need this time to discover an executive.
DISCOVERY_S = 10.0


def lease_fault(lease_s: float) -> str | None:
    """Return why a lease is refused, as a clause; None: it is allowed. Takes NaN, too."""
    if lease_s == 0.0 or SHORTEST_LEASE_S <= lease_s <= LONGEST_LEASE_S:
        return None
    return (
        f'lease_s is {lease_s:g}: give {SHORTEST_LEASE_S:g} to {LONGEST_LEASE_S:g} seconds, or 0 '
        'for a goal that needs no keepalives'
    )


class KeepaliveWatch:
    """Tracks the time since the last keepalive of each goal that has a lease.

    A keepalive that arrives twice, late, or for a goal that is not open has no other effect than
    to renew its goal's lease. Time in which this process was suspended does not count: the
    keepalives of that time are still to be read.
    """

    def __init__(self, began: Now) -> None:  # when this executive started
        self._began = began.steady
        self._received: dict[str, float] = {}

    def received(self, task_id: str, now: Now) -> None:
        """Note a keepalive of a goal."""
        if task_id in self._received:
            self._received[task_id] = now.steady

    def expired(self, leases: Mapping[str, float], now: Now) -> list[str]:
        """Return the goals whose lease has expired, each once per lease.

        `leases`: task id of each open goal → its lease in s; 0: it has none.
        """
        leased = [goal for goal, lease_s in leases.items() if lease_s > 0.0]
        self._received = {goal: self._received.get(goal, now.steady) for goal in leased}
        if now.steady < self._began + DISCOVERY_S:
            return []
        expired = [
            goal for goal, at in self._received.items() if now.silent_for(at) > leases[goal]
        ]
        self._received.update(dict.fromkeys(expired, now.steady))
        return expired
