"""Base of all leaves: a py_trees behaviour with the context in a role of its own."""

from __future__ import annotations

from typing import Generic, TypeVar

import py_trees

from bt_executive.tree.context_roles import ReadAccess
from bt_executive.tree.ticking import Ticked

Status = py_trees.common.Status
Access = TypeVar('Access', bound=ReadAccess)


class Leaf(Ticked, Generic[Access]):
    """A leaf. `update` never blocks.

    `Access` is what it may read and change: `ReadAccess`, or another role of `context_roles.py`.
    """

    def __init__(self, name: str, context: Access) -> None:
        super().__init__(name)
        self.context = context

    def running(self, message: str) -> Status:
        """Returns RUNNING, with what it waits for."""
        self.feedback_message = message
        return Status.RUNNING

    def success(self, message: str = '') -> Status:
        """Returns SUCCESS."""
        self.feedback_message = message
        return Status.SUCCESS

    def failure(self, message: str) -> Status:
        """Returns FAILURE, with the reason."""
        self.feedback_message = message
        return Status.FAILURE
