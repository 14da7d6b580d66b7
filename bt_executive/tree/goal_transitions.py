"""How goals begin, are parked and end: the one place that moves a task through the queue."""

from __future__ import annotations

from typing import Literal

from bt_executive.core.error_codes import CallError
from bt_executive.core.goal_outcome import Outcome
from bt_executive.core.goal_queue import next_task, overdue, with_task
from bt_executive.core.queued_goal import Task
from bt_executive.core.state import Decision, DecisionType
from bt_executive.core.store_port import MESSAGES_KEPT
from bt_executive.tree.checkpoint_parts import Message
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.ending_of_active_goal import is_question_goal
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.interrupted_round import cut_off, note_preempted
from rover_common.dataclass_replace import replace


def begin_next(context: GoalAccess) -> None:
    """Makes the first waiting task the active one, if none is."""
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
    word = 'Goal resumed' if resumed else 'New goal'
    context.tracer.emit('OBSERVE', f'{word}: {task.title}', data={'task_id': task.task_id})
    _say(context, 'executive' if task.sender == 'tree' else task.sender, task.title)


def note_model_use(context: GoalAccess) -> None:
    """Enters into the state what the model has cost the active goal so far."""
    use = context.progress.model
    if context.planner_goal is not None:
        use += context.planner.use()
    trace, metrics = context.state.trace, {'model': use.as_data()}
    if trace.metrics != metrics:
        context.replace(trace=replace(trace, metrics=metrics))


def park_active(context: GoalAccess) -> None:
    """Puts the active task back into the queue; what it had come to is kept."""
    task = context.task
    if task is None:
        return
    note_preempted(context)
    _let_planner_go(context)
    context.progress.hold(context.now)
    context.parked[task.task_id] = context.progress
    _set_status(context, task, 'PARKED', active=None)
    context.new_round()


def end_active(context: GoalAccess, outcome: Outcome, answer: str, missing: str = '') -> None:
    """Ends the active task and tells whoever asked for it.

    `missing`: what was not measured, of a claim.
    """
    task = context.task
    if task is None:
        return
    _let_planner_go(context)
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
    _say(context, 'executive', answer)
    context.note_ended(task)
    _remove(context, task)
    context.replace(react=replace(context.state.react, stop_reason=outcome))
    context.new_round()
    context.reporter.ended(task, summary)


def end_waiting(context: GoalAccess, task: Task, outcome: Outcome, answer: str) -> None:
    """Ends a task that is not active."""
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
    """Reports the end of a goal that never waited: its text was an answer or an interrupt."""
    now = context.now
    context.reporter.ended(task, GoalProgress(now).summary(task, outcome, answer, now, asks=True))


def end_all(context: GoalAccess, outcome: Outcome, answer: str) -> None:
    """Ends the active task and every waiting one."""
    end_these(context, context.state.tasks.queue, outcome, answer)


def end_these(context: GoalAccess, tasks: tuple[Task, ...], outcome: Outcome, answer: str) -> None:
    """Ends those tasks, the active one first if it is among them."""
    if context.task in tasks:
        cut_off(context, Decision(DecisionType.ABORT, answer), CallError.CANCELLED.value)
        end_active(context, outcome, answer)
    for task in context.state.tasks.queue:
        if task in tasks:
            end_waiting(context, task, outcome, answer)


def leave_all_open(context: GoalAccess, answer: str) -> None:
    """Leaves every goal to the next run: whoever asked for one is told that this one ends."""
    unknown = context.recovery is not None and context.round.result is None
    if not (unknown or context.round.is_rest):
        note_preempted(context)  # else the next run finds out what became of the tool
        context.new_round()
    _let_planner_go(context)
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
    """Ends the tasks whose deadline has passed; the active one too, whose tool is stopped."""
    for task in overdue(context.state.tasks, context.now.ros):
        end_these(context, (task,), 'gave_up', 'The deadline has passed')


def cancel(context: GoalAccess, task_id: str, reason: str) -> None:
    """Ends the task that its client no longer wants."""
    wanted = tuple(task for task in context.state.tasks.queue if task.task_id == task_id)
    end_these(context, wanted, 'interrupted', reason)


def _say(
    context: GoalAccess, speaker: Literal['operator', 'agent', 'executive'], content: str
) -> None:
    """Adds to the conversation with whoever sent the goal; the latest messages are kept."""
    role = 'assistant' if speaker == 'executive' else 'user'
    message = {'role': role, 'content': content}
    context.checkpoints.add_message(Message(speaker, role, content))
    context.replace(messages=(*context.state.messages, message)[-MESSAGES_KEPT:])


def _let_planner_go(context: GoalAccess) -> None:
    if context.planner_goal is not None:
        context.planner.cancel()
        context.progress.model += context.planner.use()
        context.planner_goal = None
        note_model_use(context)


def _set_status(context: GoalAccess, task: Task, status: str, active: str | None) -> None:
    tasks = with_task(context.state.tasks, replace(task, status=status))
    context.replace(tasks=replace(tasks, active_task_id=active))


def _remove(context: GoalAccess, task: Task) -> None:
    tasks = context.state.tasks
    queue = tuple(each for each in tasks.queue if each.task_id != task.task_id)
    active = None if tasks.active_task_id == task.task_id else tasks.active_task_id
    context.replace(tasks=replace(tasks, queue=queue, active_task_id=active))
