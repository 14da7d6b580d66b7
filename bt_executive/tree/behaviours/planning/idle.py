"""Idle: nothing is asked for."""

from __future__ import annotations

from bt_executive.tree.access import Facts
from bt_executive.tree.behaviours.leaf import Leaf, Status


class Idle(Leaf[Facts]):
    """RUNNING: the tree is never without a status."""

    def update(self) -> Status:
        """Waits for a goal."""
        return self.running('waiting for a goal')
