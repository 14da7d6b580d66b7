"""Leaves that wait: for a goal, the robot, the end of something more important, a reset."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.tree import goal_transitions
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import Facts, GoalAccess


class WaitUntilReady(Leaf[Facts]):
    """SUCCESS at once, except for the goal that was active when the executive ended.

    The other nodes may have been started anew, too: it waits for them as a new goal does.
    """

    def update(self) -> Status:
        task = self.context.task
        if task is not None and task.task_id == self.context.waiting_again:
            return self.running('waiting for the robot')
        return self.success()


class WaitWhile(Leaf[Facts]):
    """RUNNING for as long as the condition above it lasts."""

    def __init__(self, name: str, context: Facts, because: Callable[[Facts], str | None]) -> None:
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


class Idle(Leaf[Facts]):
    """RUNNING: the tree is never without a status."""

    def update(self) -> Status:
        return self.running('waiting for a goal')
