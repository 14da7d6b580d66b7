"""When a goal may begin: ROS time is known, and the nodes behind its tools say that they can work.

A tool names in `ready_when` (robot.yaml) the parts of nodes whose diagnostics must be good: a
simulator that has no picture yet would only fail. The wait for them is bounded; the one for the
first time on /clock is not, for without it nothing lasts. Goals that wait are reported.
"""

from __future__ import annotations

from bt_executive.core.goal_queue import next_task
from bt_executive.core.modes import Arbitration, holds_back
from bt_executive.core.node_readiness import NOT_REPORTED
from bt_executive.core.queued_goal import Task
from bt_executive.core.trace_fields import TraceData
from bt_executive.skills.tool_registry import Registry
from bt_executive.tree import goal_transitions
from bt_executive.tree.context import Context
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.simulated_clock_watch import FIRST_TIME, clock_is_unset
from rover_common.config.settings import process_of


def may_begin(context: Context, task: Task | None) -> bool:
    """Whether a goal may begin now. What it waits for is told once, and so is the end of a wait.

    A goal that had begun before is not held up.
    """
    waits = context.readiness
    if task is None or task.task_id in context.parked:
        return True
    if clock_is_unset(context):
        _report(context, f'Goal waits for {FIRST_TIME}')
        return False
    left_out = context.config.executive.left_out
    missing = {
        name: why
        for name, why in waits.missing(_needs(context.registry, task)).items()
        if why != NOT_REPORTED or process_of(name) not in left_out
    }
    if not missing:
        waits.since = None
        return True
    now = context.now.steady
    waits.since = now if waits.since is None else waits.since
    until = waits.since + context.config.executive.guards.server_wait_s
    listed = '; '.join(f'{name} ({why})' for name, why in missing.items())
    if now >= until:
        waits.given_up |= set(missing)
        waits.since = None
        _report(context, f'Goal begins without {listed}')
        return True
    context.wake_at(steady=until)
    _report(context, f'Goal waits for {listed}', f'Goal waits for {", ".join(missing)}')
    return False


def begin_or_hold(context: Context, was_active: bool) -> None:
    """Begins the next goal, or holds the active one back, by the mode that the state asks for.

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
    """Ends what the tree has asked for because the battery was low, once it is not."""
    robot, queue = context.state.robot, context.state.tasks.queue
    mine = tuple(task for task in queue if task.sender == 'tree')
    if mine and robot.battery_state == 'OK':
        goal_transitions.end_these(context, mine, 'interrupted', f'Charged: {robot.charge}')


def report_unset_clock(context: Context) -> None:
    """Tells once that time stands still, also while there is no goal that waits for it."""
    if clock_is_unset(context) and not context.readiness.reported:
        _report(context, f'The executive waits for {FIRST_TIME}')


def _needs(registry: Registry, task: Task) -> list[str]:
    """The parts that the goal's tools need: its own tool, or all that a planner may call."""
    wanted = [registry[task.tool]] if task.tool in registry else []
    tools = wanted if task.tool else list(registry.values())
    return list(dict.fromkeys(part for tool in tools for part in tool.skill.ready_when))


def _report(context: Context, sentence: str, as_before: str = '') -> None:
    """Told once; sentences with the same `as_before` are the same to an operator."""
    if context.readiness.reported != (as_before or sentence):
        context.readiness.reported = as_before or sentence
        context.tracer.emit('OBSERVE', sentence)


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
