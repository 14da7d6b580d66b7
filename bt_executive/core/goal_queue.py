"""The order of goals: priority, then deadline, then arrival."""

from __future__ import annotations

from dataclasses import replace
import math

from bt_executive.core.modes import holds_back
from bt_executive.core.queued_goal import Task
from bt_executive.core.state import BrainState, TasksState


def order(task: Task) -> tuple[float, float, float]:
    """Return the sort key of a goal: the smallest comes first."""
    deadline = math.inf if task.deadline is None else task.deadline
    return (-task.priority, deadline, task.received_at)


def next_task(state: BrainState) -> Task | None:
    """Return the task to pursue next if none is active; None: none may begin."""
    free = (task for task in state.tasks.queue if not holds_back(state, task))
    return min(free, key=order, default=None)


def task_to_charge(state: BrainState) -> Task | None:
    """Return the waiting task that drives to the charger while the active one is held back."""
    active = state.tasks.active
    if active is None or not holds_back(state, active):
        return None
    return next_task(state)


def better_task(tasks: TasksState) -> Task | None:
    """Return the waiting task that preempts the active one by its higher priority."""
    active = tasks.active
    waiting = [task for task in tasks.queue if task.task_id != tasks.active_task_id]
    first = min(waiting, key=order, default=None)
    if active is None or first is None or not active.preemptible:
        return None
    return first if first.priority > active.priority else None


def overdue(tasks: TasksState, now: float) -> tuple[Task, ...]:
    """Return the tasks whose deadline, in s of ROS time, has passed."""
    return tuple(
        task for task in tasks.queue if task.deadline is not None and now >= task.deadline
    )


def with_task(tasks: TasksState, task: Task) -> TasksState:
    """Return the tasks with `task` in the place of the one with its id."""
    queue = tuple(task if each.task_id == task.task_id else each for each in tasks.queue)
    return replace(tasks, queue=queue)
