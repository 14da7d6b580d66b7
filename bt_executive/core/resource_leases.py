"""Leases on the robot's resources: who may use base, arm, camera.

A tool's call takes its resources when it starts and keeps them until its last call to a server
has ended, however it was preempted, so that a preempted tool cannot overlap its successor. In
py_trees a higher branch starts before a lower one is terminated: the order of the tree alone is no
exclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from rover_common.errors import ProtocolError


class Leases:
    """Which call holds which resource. At most one holder each."""

    def __init__(self) -> None:
        self._holders: dict[str, str] = {}
        self.changes = 0  # grows with each change

    @property
    def holders(self) -> Mapping[str, str]:
        """Resource → call id."""
        return MappingProxyType(self._holders)

    def conflicts(self, call_id: str, resources: Iterable[str]) -> dict[str, str]:
        """Those of `resources` that another call holds, with the holder."""
        held = {name: self._holders[name] for name in resources if name in self._holders}
        return {name: holder for name, holder in held.items() if holder != call_id}

    def acquire(self, call_id: str, resources: Iterable[str]) -> None:
        """Takes all of `resources`, or none.

        Raises:
            ProtocolError: Another call holds one of them; ask `conflicts` first.
        """
        wanted = tuple(resources)
        taken = self.conflicts(call_id, wanted)
        if taken:
            raise ProtocolError(f'call {call_id!r} took {sorted(taken)} held by {taken!r}')
        self._holders.update(dict.fromkeys(wanted, call_id))
        self.changes += 1

    def restore(self, holders: Mapping[str, str]) -> None:
        """Enters what calls of the previous run hold; nobody else has taken anything yet."""
        self._holders.update(holders)

    def release(self, call_id: str) -> None:
        """Gives back everything that the call holds."""
        before = len(self._holders)
        self._holders = {name: held for name, held in self._holders.items() if held != call_id}
        self.changes += len(self._holders) != before
