"""Leases on the robot's resources: who may use base, arm, camera.

A tool call takes its resources when it starts and keeps them until its last session has ended,
however it was preempted, so that a preempted tool cannot overlap its successor. In py_trees a
higher branch starts before a lower one is terminated: the order of the tree alone is no exclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from rover_common.errors import ProtocolError


class Leases:
    """Which call holds which resource. At most one holder each."""

    def __init__(self) -> None:
        self._holders: dict[str, str] = {}
        self._news: list[tuple[str, tuple[str, ...], bool]] = []

    @property
    def holders(self) -> Mapping[str, str]:
        """Resource → call id."""
        return MappingProxyType(self._holders)

    def conflicts(self, call_id: str, resources: Iterable[str]) -> dict[str, str]:
        """Those of `resources` that another call holds, with the holder."""
        held = {name: self._holders[name] for name in resources if name in self._holders}
        return {name: holder for name, holder in held.items() if holder != call_id}

    def take(self, call_id: str, resources: Iterable[str]) -> None:
        """Takes all of `resources`, or none.

        Raises:
            ProtocolError: Another call holds one of them; ask `conflicts` first.
        """
        wanted = tuple(resources)
        taken = self.conflicts(call_id, wanted)
        if taken:
            raise ProtocolError(f'call {call_id!r} took {sorted(taken)} held by {taken!r}')
        self._holders.update(dict.fromkeys(wanted, call_id))
        self._news.append((call_id, wanted, True))

    def take_over(self, call_id: str, resources: Iterable[str]) -> None:
        """Enters what a call of an earlier life holds; nobody else has taken anything yet."""
        self._holders.update(dict.fromkeys(resources, call_id))

    def release(self, call_id: str) -> None:
        """Gives back everything that the call holds."""
        given = tuple(name for name, holder in self._holders.items() if holder == call_id)
        if given:
            self._holders = {name: held for name, held in self._holders.items() if held != call_id}
            self._news.append((call_id, given, False))

    def take_news(self) -> list[tuple[str, tuple[str, ...], bool]]:
        """Call, resources, and whether they were taken or given back, since the last time."""
        news, self._news = self._news, []
        return news
