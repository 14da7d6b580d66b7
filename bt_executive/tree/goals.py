"""How goals begin, are parked and end: the one place that moves a task through the queue."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace

from bt_executive.core.error_codes import BATTERY_CRITICAL, SAFETY_VIOLATION, CallError
from bt_executive.core.outcome import in_words
from bt_executive.core.ports import ToolResult
from bt_executive.core.queue import next_task, overdue
from bt_executive.core.state import Decision, DecisionType, Outcome, SkillResult, Task
from bt_executive.tree.context import Brain, Progress

MESSAGES_KEPT = 20


def begin_next(brain: Brain) -> None:
    """Makes the first waiting task the active one, if none is."""
    tasks = brain.state.tasks
    task = next_task(tasks)
    if tasks.active is not None or task is None:
        return
    resumed = brain.parked.pop(task.task_id, None)
    brain.progress = resumed or Progress(started_at=brain.now)
    brain.progress.go_on(brain.now)
    _set_status(brain, task, 'ACTIVE', active=task.task_id)
    brain.replace(react=replace(brain.state.react, iter=brain.progress.steps, stop_reason=''))
    note_model_use(brain)
    brain.new_round()
    title = f'{task.tool} by hand' if task.tool else task.goal
    word = 'Goal taken up again' if resumed else 'New goal'
    brain.tracer.emit('OBSERVE', f'{word}: {title}', data={'task_id': task.task_id})
    _say(brain, 'user', title)


def note_model_use(brain: Brain) -> None:
    """Enters into the state what the model has cost the active goal so far."""
    use = brain.progress.model
    if brain.planner_goal is not None:
        use += brain.planner.use()
    brain.replace(trace=replace(brain.state.trace, metrics={'model': asdict(use)}))


def note_resources(brain: Brain, names: Iterable[str]) -> None:
    """Enters that the active goal uses these resources."""
    task = brain.task
    if task is not None:
        used = tuple(dict.fromkeys((*task.resources_required, *names)))
        _change(brain, replace(task, resources_required=used))


def note_abort(brain: Brain, because: str) -> None:
    """Enters that what is not safe ends the active goal, and the tool under way with it."""
    if brain.task is None:
        return
    decision = Decision(DecisionType.ABORT, because)
    brain.replace(react=replace(brain.state.react, decision=decision))
    if brain.round.ran and brain.round.ended_at is None:
        is_lost = brain.state.robot.battery_state == 'LOST'
        _cut_off(brain, BATTERY_CRITICAL if is_lost else SAFETY_VIOLATION, because)


def note_preempted(brain: Brain) -> None:
    """Keeps what came of a tool that was preempted while it ran, or before stock was taken."""
    proposal, result = brain.round.proposal, brain.round.outcome
    if proposal is None or not brain.round.ran:
        return
    brain.progress.history.append((proposal, result))
    tell_result(brain, proposal.tool, result)
    _cut_off(brain, CallError.CANCELLED.value, result.error_reason)


def _cut_off(brain: Brain, code: str, reason: str) -> None:
    """Enters the result of a tool that was not let finish."""
    metrics = brain.round.metrics or brain.measure_tool()
    last = SkillResult('CANCELLED', code, reason, dict(metrics))
    brain.replace(skills=replace(brain.state.skills, last_result=last))


def tell_result(brain: Brain, tool: str, result: ToolResult) -> None:
    """The trace event at the end of a tool of the planner's or the operator's."""
    brain.tracer.emit(
        'RESULT' if result.ok else 'ERROR',
        f'{tool}: {in_words(result)}',
        tool_name=tool,
        ok=result.ok,
        error_reason=result.error_reason or None,
        score=result.score,
        data={'result': dict(result.data)},
    )


def park_active(brain: Brain) -> None:
    """Puts the active task back into the queue; what it had come to is kept."""
    task = brain.task
    if task is None:
        return
    note_preempted(brain)
    _let_planner_go(brain)
    brain.progress.hold(brain.now)
    brain.parked[task.task_id] = brain.progress
    _set_status(brain, task, 'PARKED', active=None)
    brain.new_round()


def end_active(brain: Brain, outcome: Outcome, answer: str) -> None:
    """Ends the active task and tells whoever asked for it."""
    task = brain.task
    if task is None:
        return
    _let_planner_go(brain)
    summary = brain.progress.summary(task, outcome, answer, brain.now)
    brain.tracer.emit(
        'RESULT' if outcome == 'reached' else 'ERROR',
        f'Goal {outcome.replace("_", " ")}: {answer}',
        ok=outcome == 'reached',
        score=brain.progress.last_score,
        data={'task_id': task.task_id, 'goal_ended': summary},
    )
    _say(brain, 'assistant', answer)
    _remove(brain, task)
    brain.replace(react=replace(brain.state.react, stop_reason=outcome))
    brain.new_round()
    brain.reporter.ended(task, summary)


def end_waiting(brain: Brain, task: Task, outcome: Outcome, answer: str) -> None:
    """Ends a task that is not active."""
    progress = brain.parked.pop(task.task_id, None) or Progress(brain.now)
    _remove(brain, task)
    summary = progress.summary(task, outcome, answer, brain.now)
    brain.tracer.emit(
        'ERROR',
        f'Waiting goal {outcome.replace("_", " ")}: {task.goal} ({answer})',
        ok=False,
        data={'task_id': task.task_id, 'goal_ended': summary, 'waited': True},
    )
    brain.reporter.ended(task, summary)


def end_all(brain: Brain, outcome: Outcome, answer: str) -> None:
    """Ends the active task and every waiting one."""
    end_active(brain, outcome, answer)
    for task in brain.state.tasks.queue:
        end_waiting(brain, task, outcome, answer)


def end_overdue(brain: Brain) -> None:
    """Ends the tasks whose deadline has passed; the active one too, whose tool is stopped."""
    for task in overdue(brain.state.tasks, brain.now.ros):
        answer = 'The deadline has passed'
        if task.task_id == brain.state.tasks.active_task_id:
            end_active(brain, 'gave_up', answer)
        else:
            end_waiting(brain, task, 'gave_up', answer)


def cancel(brain: Brain, task_id: str, reason: str) -> None:
    """Ends the task that its client no longer wants."""
    if task_id == brain.state.tasks.active_task_id:
        end_active(brain, 'interrupted', reason)
        return
    for task in brain.state.tasks.queue:
        if task.task_id == task_id:
            end_waiting(brain, task, 'interrupted', reason)


def _say(brain: Brain, role: str, content: str) -> None:
    """Adds to the conversation between the operator and the executive; the latest are kept."""
    message = {'role': role, 'content': content}
    brain.replace(messages=(*brain.state.messages, message)[-MESSAGES_KEPT:])


def _let_planner_go(brain: Brain) -> None:
    if brain.planner_goal is not None:
        brain.planner.cancel()
        brain.progress.model += brain.planner.use()
        brain.planner_goal = None


def _set_status(brain: Brain, task: Task, status: str, active: str | None) -> None:
    _change(brain, replace(task, status=status))
    brain.replace(tasks=replace(brain.state.tasks, active_task_id=active))


def _change(brain: Brain, task: Task) -> None:
    """Puts a task into the place of the one of its id."""
    tasks = brain.state.tasks
    queue = tuple(task if each.task_id == task.task_id else each for each in tasks.queue)
    brain.replace(tasks=replace(tasks, queue=queue))


def _remove(brain: Brain, task: Task) -> None:
    tasks = brain.state.tasks
    queue = tuple(each for each in tasks.queue if each.task_id != task.task_id)
    active = None if tasks.active_task_id == task.task_id else tasks.active_task_id
    brain.replace(tasks=replace(tasks, queue=queue, active_task_id=active))
