"""Base of all leaves: a py_trees behaviour that knows the context, in a role of its own."""

from __future__ import annotations

from typing import Generic, TypeVar

import py_trees

from bt_executive.tree.context_roles import ReadAccess
from bt_executive.tree.ticking import Ticked

Status = py_trees.common.Status
Access = TypeVar('Access', bound=ReadAccess)


class Leaf(Ticked, Generic[Access]):
    """A leaf named by its intention. `update` looks and returns; it never waits.

    `Access` is what it may read and change: `ReadAccess`, or another role of `context_roles.py`.
    """

    def __init__(self, name: str, context: Access) -> None:
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
