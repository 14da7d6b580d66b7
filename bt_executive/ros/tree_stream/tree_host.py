"""The seam between the executive and whatever puts its tree on the wire.

The tick thread calls `before_tick` and `after_tick`; only it may read the tree. Everything that
viewers ask for is answered by rclpy in the executor's thread, also while a tick takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from py_trees.behaviour import Behaviour

Board = Mapping[str, object]  # key, with its leading slash → value; what a blackboard view shows
ReadBoard = Callable[[], Board]  # called in the tick thread, and only when somebody looks


class TreeHost(Protocol):
    """Serves snapshot and blackboard streams of one tree, below `~/` of one node."""

    def before_tick(self) -> None:
        """A tick begins."""

    def after_tick(self, visited: Sequence[Behaviour]) -> None:
        """A tick has ended; `visited` are the behaviours it went through."""
