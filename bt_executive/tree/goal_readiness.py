"""Decides when a goal may begin: ROS time is known, and the nodes behind its tools are ready.

A tool names in `ready_when` (robot.yaml) the parts of nodes whose diagnostics must be good: a
simulator without a picture would only fail. The wait for them is bounded; the one for the first
time on /clock is not, as no duration can be measured without it. Waiting goals are reported.
"""

from __future__ import annotations

from bt_executive.core.goal_queue import Task
from bt_executive.core.modes import Arbitration, holds_back, next_task
from bt_executive.core.node_readiness import NOT_REPORTED
from bt_executive.core.trace import TraceData
from bt_executive.skills.tool_registry import Registry
from bt_executive.tree import goal_transitions
from bt_executive.tree.context import Context
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.simulated_clock_watch import FIRST_TIME, clock_is_unset
from rover_common.config.settings import process_of


def may_begin(context: Context, task: Task | None) -> bool:
    """Return whether a goal may begin now. Reports once what it waits for, and a timeout.

    A goal that had begun before does not wait.
    """
    readiness = context.readiness
    if task is None or task.task_id in context.parked:
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
        goal_transitions.begin_next(context)
    if context.resumed_goal and may_begin(context, context.task):
        context.persistent.resumed_goal = ''


def _end_charging(context: Context) -> None:
    """End the tree's own goals once the battery is not low any more."""
    robot, queue = context.state.robot, context.state.tasks.queue
    own = tuple(task for task in queue if task.sender == 'tree')
    if own and robot.battery_state == 'OK':
        goal_transitions.end_these(context, own, 'interrupted', f'Charged: {robot.charge}')


def report_unset_clock(context: Context) -> None:
    """Report once that ROS time has not begun, also without a goal that waits for it."""
    if clock_is_unset(context) and not context.readiness.reported:
        _report(context, f'The executive waits for {FIRST_TIME}')


def _needs(registry: Registry, task: Task) -> list[str]:
    """Return the parts that a goal's tools need: of its own tool, or of all."""
    own = [registry[task.tool]] if task.tool in registry else []
    tools = own if task.tool else list(registry.values())
    return list(dict.fromkeys(part for tool in tools for part in tool.skill.ready_when))


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
