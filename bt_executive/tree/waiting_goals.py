"""Reports why a goal does not begin although nothing else is pursued: the executive is held."""

from __future__ import annotations

from bt_executive.core.modes import Arbitration, holds_back
from bt_executive.core.state import Task
from bt_executive.core.trace import TraceData
from bt_executive.tree.context import Context
from bt_executive.tree.goal_progress import GoalProgress


class WaitingGoals:
    """Reports each waiting goal once per cause, in the trace and to the goal's own client.

    A goal that was active when the cause began is reported with the change of the mode.
    """

    def __init__(self) -> None:
        self._reported: dict[str, str] = {}  # id of the goal → cause

    def report(self, context: Context, arbitration: Arbitration) -> None:
        """Reports the goals that wait because of `arbitration`, which holds in this tick."""
        cause = arbitration.preempt_reason if arbitration.until else ''
        queue = context.state.tasks.queue
        held = (task for task in queue if cause and holds_back(context.state, task))
        waiting = [task for task in held if task != context.task]
        for task in waiting:
            if self._reported.get(task.task_id) != cause:
                self._report(context, task, arbitration)
        self._reported = {task.task_id: cause for task in waiting}

    def _report(self, context: Context, task: Task, arbitration: Arbitration) -> None:
        why = f'{arbitration.preempt_reason}; {arbitration.until}'
        title = task.goal or task.tool
        data: TraceData = {'task_id': task.task_id, 'waits_for': why}
        context.tracer.emit('OBSERVE', f'Goal waits: {title} ({why})', data=data)
        progress = context.parked.get(task.task_id) or GoalProgress(context.now)
        context.reporter.feedback(task, progress, f'waits: {why}', arbitration.mode.value)
