"""Writes the board to py_trees' own blackboard, for the tree host of a distribution."""

from __future__ import annotations

from py_trees.blackboard import Client
from py_trees.common import Access

from bt_executive.ros.tree_stream.blackboard_text_and_changes import WRITER
from bt_executive.ros.tree_stream.tree_host import Board


class BlackboardWriter:
    """Writes what has changed, so that the activity stream reports changes only."""

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
