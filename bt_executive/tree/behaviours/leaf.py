"""Base of all leaves: a py_trees behaviour that knows the context, in a role of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

import py_trees

from bt_executive.tree.access import Facts

Status = py_trees.common.Status
Access = TypeVar('Access', bound=Facts)


class Leaf(py_trees.behaviour.Behaviour, Generic[Access]):
    """A leaf named by its intention. `update` looks and returns; it never waits.

    `Access` is what it may read and change: `Facts`, or a role of `access.py`.
    """

    def __init__(self, name: str, context: Access) -> None:
        super().__init__(name)
        self.context = context

    def tick(self) -> Iterator[py_trees.behaviour.Behaviour]:
        """See `Behaviour.tick`, which it repeats without the debug text that nobody reads.

        Together with that of `stop` the text was a fifth of all calls that a tool call makes.
        """
        if self.status is not Status.RUNNING:
            self.initialise()
        status = self.update()
        if status is not Status.RUNNING:
            self.stop(status)
        self.status = status
        yield self

    def stop(self, new_status: Status) -> None:
        """See `Behaviour.stop`, which it repeats without the debug text."""
        self.terminate(new_status)
        self.status = new_status
        self.iterator = self.tick()

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
