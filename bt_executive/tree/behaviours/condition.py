"""A question about the frozen state."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import Facts


class Condition(Leaf[Facts]):
    """SUCCESS if `ask` gives text (what makes it true), FAILURE if it gives None."""

    def __init__(self, name: str, context: Facts, ask: Callable[[Facts], str | None]) -> None:
        super().__init__(name, context)
        self._ask = ask

    def update(self) -> Status:
        """Asks."""
        because = self._ask(self.context)
        return self.success(because) if because is not None else self.failure('no')
