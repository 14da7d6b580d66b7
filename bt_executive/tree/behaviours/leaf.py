"""Base of all leaves: a py_trees behaviour that knows the context."""

from __future__ import annotations

import py_trees

from bt_executive.tree.context import Context

Status = py_trees.common.Status


class Leaf(py_trees.behaviour.Behaviour):
    """A leaf named by its intention. `update` looks and returns; it never waits."""

    def __init__(self, name: str, context: Context) -> None:
        super().__init__(name)
        self.context = context

    def running(self, message: str) -> Status:
        """RUNNING, with what is waited for."""
        self.feedback_message = message
        return Status.RUNNING

    def success(self, message: str = '') -> Status:
        """SUCCESS."""
        self.feedback_message = message
        return Status.SUCCESS

    def failure(self, message: str) -> Status:
        """FAILURE, with the reason."""
        self.feedback_message = message
        return Status.FAILURE
