"""The transitions of goals: begin, park, end. Nothing else moves a task through the queue."""

from __future__ import annotations

from typing import Literal

from bt_executive.core.error_codes import CallError
from bt_executive.core.goal_outcome import Outcome
from bt_executive.core.goal_queue import Task, overdue
from bt_executive.core.modes import next_task
from bt_executive.core.state import Decision, DecisionType
from bt_executive.core.store_port import MESSAGES_KEPT
from bt_executive.tree.checkpoint_parts import Message
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.ending_of_active_goal import is_question_goal
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.interrupted_round import cut_off, note_preempted
from rover_common.dataclass_replace import replace


def begin_next(context: GoalAccess) -> None:
    """Make the first waiting task the active one, if there is none."""
    task = next_task(context.state)
    if context.task is not None or task is None:
        return
    resumed = context.parked.pop(task.task_id, None)
    robot = context.state.robot
    here = () if robot.pose_at is None else ((robot.pose.x, robot.pose.y),)
    context.progress = resumed or GoalProgress(started_at=context.now, began_at=here)
    context.progress.go_on(context.now)
    _set_status(context, task, 'ACTIVE', active=task.task_id)
    context.replace(
        react=replace(context.state.react, iter=context.progress.steps, stop_reason='')
    )
    note_model_use(context)
    context.new_round()
    label = 'Goal resumed' if resumed else 'New goal'
    context.tracer.emit('OBSERVE', f'{label}: {task.title}', data={'task_id': task.task_id})
    _add_message(context, 'executive' if task.sender == 'tree' else task.sender, task.title)


def note_model_use(context: GoalAccess) -> None:
    """Update the model usage of the active goal in the state."""
    use = context.progress.model
    if context.planner_goal is not None:
        use += context.planner.use()
    trace, metrics = context.state.trace, {'model': use.as_data()}
    if trace.metrics != metrics:
        context.replace(trace=replace(trace, metrics=metrics))


def park_active(context: GoalAccess) -> None:
    """Put the active task back into the queue, with its progress."""
    task = context.task
    if task is None:
        return
    note_preempted(context)
    _cancel_planner(context)
    context.progress.hold(context.now)
    context.parked[task.task_id] = context.progress
    _set_status(context, task, 'PARKED', active=None)
    context.new_round()


def end_active(context: GoalAccess, outcome: Outcome, answer: str, missing: str = '') -> None:
    """End the active task, and report the end to its client.

    `missing`: of a claim, what was not measured.
    """
    task = context.task
    if task is None:
        return
    _cancel_planner(context)
    summary = context.progress.summary(
        task, outcome, answer, context.now, missing=missing, asks=is_question_goal(task)
    )
    context.tracer.emit(
        'RESULT' if summary['succeeded'] else 'ERROR',
        f'Goal {outcome.replace("_", " ")}: {answer}',
        ok=summary['succeeded'],
        score=context.progress.last_score,
        data={'task_id': task.task_id, 'goal_ended': summary},
    )
    _add_message(context, 'executive', answer)
    context.note_ended(task)
    _remove(context, task)
    context.replace(react=replace(context.state.react, stop_reason=outcome))
    context.new_round()
    context.reporter.ended(task, summary)


def end_waiting(context: GoalAccess, task: Task, outcome: Outcome, answer: str) -> None:
    """End a task that is not active."""
    progress = context.parked.pop(task.task_id, None) or GoalProgress(context.now)
    summary = progress.summary(task, outcome, answer, context.now)
    context.note_ended(task)
    _remove(context, task)
    context.tracer.emit(
        'ERROR',
        f'Waiting goal {outcome.replace("_", " ")}: {task.goal} ({answer})',
        ok=False,
        data={'task_id': task.task_id, 'goal_ended': summary, 'waited': True},
    )
    context.reporter.ended(task, summary)


def end_at_once(context: GoalAccess, task: Task, outcome: Outcome, answer: str) -> None:
    """Report the end of a goal that was not queued: its text was an answer or an interrupt."""
    now = context.now
    context.reporter.ended(task, GoalProgress(now).summary(task, outcome, answer, now, asks=True))


def end_all(context: GoalAccess, outcome: Outcome, answer: str) -> None:
    """End the active task and every waiting one."""
    end_these(context, context.state.tasks.queue, outcome, answer)


def end_these(context: GoalAccess, tasks: tuple[Task, ...], outcome: Outcome, answer: str) -> None:
    """End these tasks, the active one first."""
    if context.task in tasks:
        cut_off(context, Decision(DecisionType.ABORT, answer), CallError.CANCELLED.value)
        end_active(context, outcome, answer)
    for task in context.state.tasks.queue:
        if task in tasks:
            end_waiting(context, task, outcome, answer)


def leave_all_open(context: GoalAccess, answer: str) -> None:
    """Keep every goal open for the next run, and report to the clients that this one ends."""
    is_unknown = context.recovery is not None and context.round.result is None
    if not (is_unknown or context.round.is_rest):
        note_preempted(context)  # otherwise the next run finds the tool's outcome
        context.new_round()
    _cancel_planner(context)
    active = context.task
    for task in context.state.tasks.queue:
        progress = context.progress if task is active else context.parked.get(task.task_id)
        progress = progress or GoalProgress(context.now)
        summary = progress.summary(task, 'interrupted', answer, context.now)
        context.tracer.emit(
            'OBSERVE', f'Goal left to the next start: {task.goal}', data={'task_id': task.task_id}
        )
        context.reporter.left_open(task, summary)


def end_overdue(context: GoalAccess) -> None:
    """End the tasks whose deadline has passed; the tool of the active one is stopped."""
    for task in overdue(context.state.tasks.queue, context.now.ros):
        end_these(context, (task,), 'gave_up', 'The deadline has passed')


def cancel(context: GoalAccess, task_id: str, reason: str) -> None:
    """End a task that its client has cancelled."""
    cancelled = tuple(task for task in context.state.tasks.queue if task.task_id == task_id)
    end_these(context, cancelled, 'interrupted', reason)


def _add_message(
    context: GoalAccess, speaker: Literal['operator', 'agent', 'executive'], content: str
) -> None:
    """Add a message to the conversation; the latest ones are kept in the state."""
    role = 'assistant' if speaker == 'executive' else 'user'
    message = {'role': role, 'content': content}
    context.checkpoints.add_message(Message(speaker, role, content))
    context.replace(messages=(*context.state.messages, message)[-MESSAGES_KEPT:])


def _cancel_planner(context: GoalAccess) -> None:
    if context.planner_goal is not None:
        context.planner.cancel()
        context.progress.model += context.planner.use()
        context.planner_goal = None
        note_model_use(context)


def _set_status(context: GoalAccess, task: Task, status: str, active: str | None) -> None:
    tasks = context.state.tasks.with_task(replace(task, status=status))
    context.replace(tasks=replace(tasks, active_task_id=active))


def _remove(context: GoalAccess, task: Task) -> None:
    tasks = context.state.tasks
    queue = tuple(each for each in tasks.queue if each.task_id != task.task_id)
    active = None if tasks.active_task_id == task.task_id else tasks.active_task_id
    context.replace(tasks=replace(tasks, queue=queue, active_task_id=active))
