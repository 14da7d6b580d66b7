"""Leaves that wait: for a goal, the robot, the end of a condition, a reset."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.tree import goal_transitions
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import GoalAccess, ReadAccess


class WaitUntilReady(Leaf[ReadAccess]):
    """SUCCESS at once, except for the resumed goal of the previous run.

    The other nodes may have been restarted, too: it waits for them like a new goal.
    """

    def update(self) -> Status:
        task = self.context.task
        if task is not None and task.task_id == self.context.resumed_goal:
            return self.running('waiting for the robot')
        return self.success()


class WaitWhile(Leaf[ReadAccess]):
    """RUNNING while the condition above it holds."""

    def __init__(
        self, name: str, context: ReadAccess, reason: Callable[[ReadAccess], str | None]
    ) -> None:
        super().__init__(name, context)
        self._reason = reason

    def update(self) -> Status:
        return self.running(self._reason(self.context) or '')


class HoldUntilReset(Leaf[GoalAccess]):
    """RUNNING while SAFE is latched."""

    def update(self) -> Status:
        """Refuses all goals."""
        reason = self.context.state.world.safety_reason
        goal_transitions.end_all(self.context, 'failed', f'{reason}: reset first')
        return self.running(f'{reason}; waiting for reset')


class Idle(Leaf[ReadAccess]):
    """RUNNING: the tree is never without a status."""

    def update(self) -> Status:
        return self.running('waiting for a goal')
