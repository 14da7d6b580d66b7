"""A drive within a tool that does more: its permission to move ends with the drive."""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from bt_executive.tree.behaviours.base_leaf import Status
from bt_executive.tree.behaviours.safety.stop_the_base import send_stop
from bt_executive.tree.context_roles import ToolAccess
from bt_executive.tree.ticking import TickedDecorator


class EndPermit(TickedDecorator):
    """Passes its child's status on; withdraws the permission however the child ends.

    What has not ended well by its server's own word is stopped, too.
    """

    def __init__(self, name: str, context: ToolAccess, child: Behaviour) -> None:
        super().__init__(name=name, child=child)
        self.context = context

    def update(self) -> Status:
        """Takes over the child's status."""
        self.feedback_message = self.decorated.feedback_message
        return self.decorated.status

    def terminate(self, new_status: Status) -> None:
        """The drive has ended."""
        if not self.context.permits.current.number:
            return
        if new_status is Status.SUCCESS:
            self.context.permits.withdraw()
        else:
            send_stop(self.context, self.context.round.call_id)
