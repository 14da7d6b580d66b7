"""Leases on the robot's resources, such as base, arm and camera.

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
    """The leases. A resource has at most one holder."""

    def __init__(self) -> None:
        self._holders: dict[str, str] = {}
        self.changes = 0  # counts the changes

    @property
    def holders(self) -> Mapping[str, str]:
        """Resource → call id."""
        return MappingProxyType(self._holders)

    def conflicts(self, call_id: str, resources: Iterable[str]) -> dict[str, str]:
        """Returns those of `resources` that another call holds, each with its holder."""
        held = {name: self._holders[name] for name in resources if name in self._holders}
        return {name: holder for name, holder in held.items() if holder != call_id}

    def acquire(self, call_id: str, resources: Iterable[str]) -> None:
        """Takes all of `resources`, or none.

        Raises:
            ProtocolError: Another call holds one of them; ask `conflicts` first.
        """
        wanted = tuple(resources)
        conflicts = self.conflicts(call_id, wanted)
        if conflicts:
            raise ProtocolError(f'call {call_id!r} took {sorted(conflicts)} held by {conflicts!r}')
        self._holders.update(dict.fromkeys(wanted, call_id))
        self.changes += 1

    def restore(self, holders: Mapping[str, str]) -> None:
        """Adds the leases of calls of the previous run, before any other call has one."""
        self._holders.update(holders)

    def release(self, call_id: str) -> None:
        """Releases all leases of a call."""
        before = len(self._holders)
        self._holders = {name: held for name, held in self._holders.items() if held != call_id}
        self.changes += len(self._holders) != before
