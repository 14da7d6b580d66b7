"""Wait until the robot is ready again for a goal that was taken over from an earlier life."""

from __future__ import annotations

from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context_roles import Facts


class WaitUntilReady(Leaf[Facts]):
    """SUCCESS at once, except for the goal that was active when the executive ended.

    The other nodes may have been started anew, too: it waits for them as a new goal does.
    """

    def update(self) -> Status:
        """Looks whether the goal may go on."""
        task = self.context.task
        if task is not None and task.task_id == self.context.waiting_again:
            return self.running('waiting for the robot')
        return self.success()
