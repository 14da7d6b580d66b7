"""The transitions of goals: begin once their nodes are ready, park, end.

Nothing else moves a task through the queue.

A tool names in `ready_when` (robot.yaml) the parts of nodes whose diagnostics must be good: a
simulator without a picture would only fail. The wait for them is bounded; the one for the first
time on /clock is not, as no duration can be measured without it. Waiting goals are reported.
"""

from __future__ import annotations

from typing import Literal

from bt_executive.core.error_codes import CallError
from bt_executive.core.goal_outcome import Outcome
from bt_executive.core.goal_queue import Task, overdue
from bt_executive.core.modes import Arbitration, holds_back, next_task
from bt_executive.core.node_readiness import NOT_REPORTED
from bt_executive.core.state import Decision, DecisionType
from bt_executive.core.store_port import MESSAGES_KEPT
from bt_executive.core.trace import TraceData
from bt_executive.skills.tool_registry import Registry
from bt_executive.tree.clock_and_deadlines import FIRST_TIME, clock_is_unset
from bt_executive.tree.confirm_and_note_tool_results import cut_off, note_preempted
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.ending_of_active_goal import is_question_goal
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.persistent_state import Message
from rover_common.config.settings import process_of
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
    """End a task that a client has cancelled."""
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


def may_begin(context: Context, task: Task | None) -> bool:
    """Return whether a goal may begin now. Reports once what it waits for, and a timeout.

    A goal that had begun before does not wait.
    """
    readiness = context.readiness
    if task is None or task.task_id in context.parked:
        readiness.since = None
        return True
    if clock_is_unset(context):
        _report(context, f'Goal waits for {FIRST_TIME}')
        return False
    left_out = context.config.executive.left_out
    missing = {
        name: why
        for name, why in readiness.missing(_needs(context.registry, task)).items()
        if why != NOT_REPORTED or process_of(name) not in left_out
    }
    if not missing:
        readiness.since = None
        return True
    now = context.now.steady
    if readiness.goal != task.task_id:
        readiness.goal, readiness.since, readiness.reported = task.task_id, None, ''
    readiness.since = now if readiness.since is None else readiness.since
    until = readiness.since + context.config.executive.guards.server_wait_s
    listed = '; '.join(f'{name} ({why})' for name, why in missing.items())
    if now >= until:
        readiness.given_up |= set(missing)
        readiness.since = None
        _report(context, f'Goal begins without {listed}')
        return True
    context.wake_at(steady=until)
    _report(context, f'Goal waits for {listed}', f'Goal waits for {", ".join(missing)}')
    return False


def begin_or_hold(context: Context, was_active: bool) -> None:
    """Begin the next goal, or hold the active one back, by the mode.

    `was_active`: a goal was active when the tick began; the next one waits for another tick.
    """
    _end_charging(context)
    task = context.task
    if task is not None:
        held = holds_back(context.state, task)
        (context.progress.hold if held else context.progress.go_on)(context.now)
    elif not was_active and may_begin(context, next_task(context.state)):
        begin_next(context)
    if context.resumed_goal and may_begin(context, context.task):
        context.persistent.resumed_goal = ''


def _end_charging(context: Context) -> None:
    """End the tree's own goals once the battery is not low any more."""
    robot, queue = context.state.robot, context.state.tasks.queue
    own = tuple(task for task in queue if task.sender == 'tree')
    if own and robot.battery_state == 'OK':
        end_these(context, own, 'interrupted', f'Charged: {robot.charge}')


def report_unset_clock(context: Context) -> None:
    """Report once that ROS time has not begun, also without a goal that waits for it."""
    if clock_is_unset(context) and not context.readiness.reported:
        _report(context, f'The executive waits for {FIRST_TIME}')


def _needs(registry: Registry, task: Task) -> list[str]:
    """Return the parts that a goal's tools need: its own, with members and steps, or all."""
    own = [registry[task.tool]] if task.tool in registry else []
    tools = own if task.tool else list(registry.values())
    skills = (skill for tool in tools for skill in tool.made_of)
    return list(dict.fromkeys(part for skill in skills for part in skill.ready_when))


def _report(context: Context, sentence: str, key: str = '') -> None:
    """Report a sentence, unless the latest one had the same `key` (by default the sentence)."""
    if context.readiness.reported != (key or sentence):
        context.readiness.reported = key or sentence
        context.tracer.emit('OBSERVE', sentence)


class WaitingGoals:
    """Reports each waiting goal once per cause, in the trace and to the goal's own client.

    A goal that was active when the cause began is reported with the change of the mode.
    """

    def __init__(self) -> None:
        self._reported: dict[str, str] = {}  # id of the goal → cause

    def report(self, context: Context, arbitration: Arbitration) -> None:
        """Reports the goals that wait because of this tick's arbitration."""
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
