"""How goals begin and end: the one place that moves a task through the queue."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.brain import Brain, Progress
from bt_executive.state import Outcome, Task


def begin_next(brain: Brain) -> None:
    """Makes the first waiting task the active one, if none is."""
    tasks = brain.state.tasks
    if tasks.active is not None or not tasks.queue:
        return
    task = replace(tasks.queue[0], status='ACTIVE')
    brain.replace(
        tasks=replace(tasks, queue=(task, *tasks.queue[1:]), active_task_id=task.task_id),
        react=replace(brain.state.react, iter=0, stop_reason=''),
    )
    brain.progress = Progress(started_at=brain.now)
    title = f'{task.tool} by hand' if task.tool else task.goal
    brain.tracer.emit('OBSERVE', f'New goal: {title}', data={'task_id': task.task_id})


def end_active(brain: Brain, outcome: Outcome, answer: str) -> None:
    """Ends the active task and tells whoever asked for it."""
    task = brain.task
    if task is None:
        return
    if brain.planner_goal is not None:
        brain.planner.cancel()
        brain.planner_goal = None
    summary = brain.progress.summary(task, outcome, answer, brain.now)
    brain.tracer.emit(
        'RESULT' if outcome == 'reached' else 'ERROR',
        f'Goal {outcome.replace("_", " ")}: {answer}',
        ok=outcome == 'reached',
        score=brain.progress.last_score,
        data={'goal_ended': summary},
    )
    _remove(brain, task)
    react = replace(brain.state.react, stop_reason=outcome)
    brain.replace(react=react)
    brain.reporter.ended(task, summary)


def drop_waiting(brain: Brain, task: Task, outcome: Outcome, answer: str) -> None:
    """Ends a task that never became active."""
    _remove(brain, task)
    brain.tracer.emit('ERROR', f'Goal not started: {task.goal} ({answer})', ok=False)
    brain.reporter.ended(task, Progress(brain.now).summary(task, outcome, answer, brain.now))


def end_all(brain: Brain, outcome: Outcome, answer: str) -> None:
    """Ends the active task and every waiting one."""
    end_active(brain, outcome, answer)
    for task in brain.state.tasks.queue:
        drop_waiting(brain, task, outcome, answer)


def cancel(brain: Brain, task_id: str, reason: str) -> bool:
    """Ends a waiting task; True if it is the active one, whose end is the tree's business."""
    if task_id == brain.state.tasks.active_task_id:
        return True
    for task in brain.state.tasks.queue:
        if task.task_id == task_id:
            drop_waiting(brain, task, 'interrupted', reason)
    return False


def _remove(brain: Brain, task: Task) -> None:
    tasks = brain.state.tasks
    queue = tuple(each for each in tasks.queue if each.task_id != task.task_id)
    active = None if tasks.active_task_id == task.task_id else tasks.active_task_id
    brain.replace(tasks=replace(tasks, queue=queue, active_task_id=active))
