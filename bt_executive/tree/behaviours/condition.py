"""A question about the frozen state."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context import Brain


class Condition(Leaf):
    """SUCCESS if `ask` gives text (what makes it true), FAILURE if it gives None."""

    def __init__(self, name: str, brain: Brain, ask: Callable[[Brain], str | None]) -> None:
        super().__init__(name, brain)
        self._ask = ask

    def update(self) -> Status:
        """Asks."""
        because = self._ask(self.brain)
        return self.success(because) if because is not None else self.failure('no')
