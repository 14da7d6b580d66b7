"""The board as variables of py_trees' own blackboard, for hosts that read that."""

from __future__ import annotations

from py_trees.blackboard import Client
from py_trees.common import Access

from bt_executive.ros.tree_stream.activity import WRITER
from bt_executive.ros.tree_stream.tree_host import Board


class BlackboardClient:
    """Writes what has changed, so that the activity stream tells of changes only."""

    def __init__(self, board: Board) -> None:
        self._client = Client(name=WRITER)
        self._written: dict[str, object] = {}
        for key in board:
            self._client.register_key(key, Access.WRITE)
        self.write(board)

    def write(self, board: Board) -> None:
        """Takes the board over."""
        for key, value in board.items():
            if key not in self._written or self._written[key] != value:
                self._written[key] = value
                self._client.set(key, value)
