"""Idle: nothing is asked for."""

from __future__ import annotations

from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context_roles import Facts


class Idle(Leaf[Facts]):
    """RUNNING: the tree is never without a status."""

    def update(self) -> Status:
        """Waits for a goal."""
        return self.running('waiting for a goal')
