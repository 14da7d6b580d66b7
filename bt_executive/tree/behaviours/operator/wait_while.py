"""Stand by: the goal waits while something more important lasts."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context_roles import Facts


class WaitWhile(Leaf[Facts]):
    """RUNNING for as long as the condition above it lasts."""

    def __init__(self, name: str, context: Facts, because: Callable[[Facts], str | None]) -> None:
        super().__init__(name, context)
        self._because = because

    def update(self) -> Status:
        """Waits."""
        return self.running(self._because(self.context) or '')
