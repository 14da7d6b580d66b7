"""Times of goals: deadlines count from the first time on /clock, and outlast a restart.

So does since when the mode holds goals back.
"""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.goal_queue import Task
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import StateAccess
from bt_executive.tree.simulated_clock_watch import clock_is_unset
from bt_executive.tree.state_between_ticks import HOLD


def settle_deadlines(context: Context) -> None:
    """Gives goals of before the first time on /clock, and of an earlier run, their times."""
    stamp_early_goals(context)
    carry_over_deadlines(context)


def stamp_early_goals(context: StateAccess) -> None:
    """Count the deadlines of goals from before the first time on /clock from that time on."""
    tasks, now = context.state.tasks, context.now.ros
    if not context.config.executive.use_sim_time or now == 0.0:
        return
    if any(task.received_at == 0.0 for task in tasks.queue):
        queue = tuple(task if task.received_at else _stamped(task, now) for task in tasks.queue)
        context.replace(tasks=replace(tasks, queue=queue))


def carry_over_deadlines(context: Context) -> None:
    """Shift the deadlines of resumed goals, if ROS time has restarted since the previous run.

    The remaining time counts from now on. The times of arrival, and since when the mode holds
    goals back, are shifted equally.
    """
    saved, now, tasks = context.persistent.clock_was, context.now.ros, context.state.tasks
    if not saved or clock_is_unset(context):
        return
    context.persistent.clock_was = {}
    queue = tuple(
        _carried(task, now - saved[task.task_id]) if saved.get(task.task_id, now) > now else task
        for task in tasks.queue
    )
    held_since = tasks.held_since
    if held_since and saved.get(HOLD, now) > now:
        held_since += now - saved[HOLD]
    if queue != tasks.queue or held_since != tasks.held_since:
        context.replace(tasks=replace(tasks, queue=queue, held_since=held_since))


def _carried(task: Task, seconds: float) -> Task:
    deadline = None if task.deadline is None else task.deadline + seconds
    return replace(task, received_at=task.received_at + seconds, deadline=deadline)


def _stamped(task: Task, now: float) -> Task:
    deadline = None if task.deadline is None else task.deadline + now
    return replace(task, received_at=now, deadline=deadline)
