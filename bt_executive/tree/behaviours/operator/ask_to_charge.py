"""Sends the robot to its charger, once in a rest while the battery is low."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid5

from bt_executive.core.goal_queue import Task
from bt_executive.core.modes import PAUSE
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import ReadAccess, StateAccess
from rover_common.config.settings.robot import Charge

GOALS = UUID('5d0ba0b7-2f0e-4b0a-8a8e-7d0d3f3b9c11')


class AskToCharge(Leaf[StateAccess]):
    """SUCCESS at once: appends the goal to the queue.

    It is tried once in a rest. Its end is reported like that of every goal.
    """

    def __init__(self, name: str, context: StateAccess, charge: Charge) -> None:
        super().__init__(name, context)
        self._charge = charge

    def update(self) -> Status:
        context, state = self.context, self.context.state
        call_id = context.call_id('charge', f'{context.now.steady:.6f}')
        task = Task(
            task_id=str(uuid5(GOALS, f'{context.tracer.run_id}/{call_id}')),
            goal=f'charge the battery by {self._charge.by}',
            tool=self._charge.by,
            arguments=dict(self._charge.args),
            resources_required=state.skills.registry[self._charge.by].resources_required,
            received_at=context.now.ros,
            sender='tree',
            charges=True,
        )
        context.replace(
            robot=replace(state.robot, sent_to_charge=True),
            tasks=replace(state.tasks, queue=(*state.tasks.queue, task)),
        )
        return self.success(task.title)


def why_to_charge(context: ReadAccess) -> str | None:
    """Return why the tree sends the robot to its charger: once in a rest, by a recent reading."""
    robot, state = context.state.robot, context.state
    is_queued = any(task.charges for task in state.tasks.queue)
    if robot.sent_to_charge or robot.battery_stale or is_queued or PAUSE.applies(state):
        return None
    return f'Battery: {robot.charge}'
