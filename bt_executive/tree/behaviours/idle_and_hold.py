"""Leaves that wait: for a goal, the robot, the end of something more important, a reset."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.tree import goal_transitions
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import GoalAccess, ReadAccess


class WaitUntilReady(Leaf[ReadAccess]):
    """SUCCESS at once, except for the goal that was active when the executive ended.

    The other nodes may have been started anew, too: it waits for them as a new goal does.
    """

    def update(self) -> Status:
        task = self.context.task
        if task is not None and task.task_id == self.context.resumed_goal:
            return self.running('waiting for the robot')
        return self.success()


class WaitWhile(Leaf[ReadAccess]):
    """RUNNING for as long as the condition above it lasts."""

    def __init__(
        self, name: str, context: ReadAccess, because: Callable[[ReadAccess], str | None]
    ) -> None:
        super().__init__(name, context)
        self._because = because

    def update(self) -> Status:
        return self.running(self._because(self.context) or '')


class HoldUntilReset(Leaf[GoalAccess]):
    """RUNNING for as long as SAFE is latched."""

    def update(self) -> Status:
        """Goals that come meanwhile are refused."""
        reason = self.context.state.world.safety_reason
        goal_transitions.end_all(self.context, 'failed', f'{reason}: reset first')
        return self.running(f'{reason}; waiting for reset')


class Idle(Leaf[ReadAccess]):
    """RUNNING: the tree is never without a status."""

    def update(self) -> Status:
        return self.running('waiting for a goal')
