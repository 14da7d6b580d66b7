"""Leaves that send the robot to its charger, and that hold, park or end goals."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid5

from py_trees.common import Status

from bt_executive.core.goal_queue import Task, better_task
from bt_executive.core.modes import PAUSE, task_to_charge
from bt_executive.core.reduce_operator_inputs import ended_by_stop, is_repeated_stop, stop_served
from bt_executive.core.state import Decision, DecisionType
from bt_executive.tree import branch_conditions
from bt_executive.tree import goal_readiness_and_transitions as goals
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.confirm_and_note_tool_results import note_abort
from bt_executive.tree.context_roles import GoalAccess, ReadAccess, StateAccess
from rover_common.config.settings.robot import Charge
from rover_common.dataclass_replace import replace

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


class SwitchTask(Leaf[GoalAccess]):
    """SUCCESS at once: the branch below is preempted, and the next tick begins the goal."""

    def update(self) -> Status:
        context = self.context
        charges, active = task_to_charge(context.state), context.task
        better = charges or better_task(context.state.tasks.queue, active)
        if better is None or active is None:
            return self.failure('no better goal')
        reason = charges.title if charges else f'{better.goal} has priority {better.priority}'
        decision = Decision(DecisionType.SWITCH_TASK, reason)
        context.replace(react=replace(context.state.react, decision=decision))
        context.tracer.emit('DECIDE', f'Parked: {active.goal} ({reason})')
        goals.park_active(context)
        return self.success(reason)


def cancel_everything(context: GoalAccess) -> str:
    """End all goals in SAFE; returns its reason. Empty, and nothing is done: it is not SAFE."""
    reason = branch_conditions.why_unsafe(context) or ''
    if reason:
        note_abort(context, reason)
        goals.end_all(context, 'failed', reason)
    return reason


class CancelEverything(Leaf[GoalAccess]):
    """SUCCESS at once."""

    def update(self) -> Status:
        return self.success(cancel_everything(self.context))


def end_stopped_goals(context: GoalAccess) -> str:
    """Serve a requested stop; returns its source. Empty, and nothing is done: there is none."""
    reason = branch_conditions.stop_source(context) or ''
    if reason:
        ended, hci = ended_by_stop(context.state), context.state.hci
        goals.end_these(context, ended, 'interrupted', reason)
        context.replace(hci=stop_served(hci))
        if ended or not is_repeated_stop(hci):
            context.tracer.emit('RESULT', reason, ok=True)
    return reason


class EndGoals(Leaf[GoalAccess]):
    """SUCCESS at once. A goal that arrived after the stop stays in the queue."""

    def update(self) -> Status:
        """Ends the goals, and marks the stop as served."""
        return self.success(end_stopped_goals(self.context))


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
        goals.end_all(self.context, 'failed', f'{reason}: reset first')
        return self.running(f'{reason}; waiting for reset')


class Idle(Leaf[ReadAccess]):
    """RUNNING: the tree is never without a status."""

    def update(self) -> Status:
        return self.running('waiting for a goal')
