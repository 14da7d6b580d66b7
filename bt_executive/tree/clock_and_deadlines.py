"""Simulated time that has not begun, stands still or has restarted, and the goals' deadlines then.

Deadlines count from the first time on /clock, and outlast a restart and a clock that is set. So
does since when the mode holds goals back.
"""

from __future__ import annotations

import math

from bt_executive.core.goal_queue import Task
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import ReadAccess, StateAccess
from bt_executive.tree.persistent_state import HOLD
from rover_common.clocks import Now
from rover_common.dataclass_replace import replace
from rover_common.robot_time import STANDSTILL_S

CLOCK_STANDS = (
    f'/clock has stood still for {STANDSTILL_S:g} s: the simulation is paused, or nothing sends '
    "it. Until it goes on, the robot's time passes as that of this machine"
)
CLOCK_GOES_ON = '/clock goes on'
CLOCK_SET = 'The clock was set {:.0f} s {}. What is left of the deadlines of goals stays'
SET_BY_S = 1.0  # a clock that is set by less moves no deadline


class ClockWatch:
    """Reports once that simulated time has stopped, and that it runs again."""

    def __init__(self) -> None:
        self._ros, self._since = -math.inf, math.inf  # s of /clock; steady s since it shows that
        self._reported = False

    def update(self, context: Context) -> None:
        """Compares this tick's clocks with the latest report."""
        now = context.now
        if not context.config.executive.use_sim_time or clock_is_unset(context):
            return
        if now.ros != self._ros:
            self._ros, self._since = now.ros, now.steady
            if self._reported:
                self._reported = False
                context.tracer.emit('OBSERVE', CLOCK_GOES_ON)
        elif now.steady - self._since >= STANDSTILL_S and not self._reported:
            self._reported = True
            context.tracer.emit('ERROR', CLOCK_STANDS, ok=False, error_reason=CLOCK_STANDS)


def clock_is_unset(context: ReadAccess) -> bool:
    """Return whether simulated time has not begun."""
    return context.config.executive.use_sim_time and context.now.ros == 0.0


FIRST_TIME = (
    'the first time on /clock: use_sim_time is true and nothing has come on it, so time stands '
    'still. Start the simulation, or set use_sim_time to false'
)


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


class GoalTimes:
    """Moves the times of open goals with a clock that is set: what is left of a deadline stays.

    A replay lacks quiet ticks, so a standstill of the clock, which looks like a step back of it
    from further away, must not count. The event of a step makes the recorder name the tick before.
    """

    def __init__(self) -> None:
        self._before: Now | None = None  # the tick before

    def update(self, context: Context) -> None:
        """Compares this tick's clocks with the latest ones; before the tick's inputs are read."""
        before, now, tasks = self._before, context.now, context.state.tasks
        self._before = now
        if before is None or before.ros == 0.0 or not (tasks.queue or tasks.held_since):
            return
        step_s, passed_s = now.ros - before.ros, now.robot - before.robot
        set_by_s = step_s - passed_s
        if abs(set_by_s) < SET_BY_S or (set_by_s < 0.0 <= step_s):
            return
        queue = tuple(_carried(task, set_by_s) for task in tasks.queue)
        held_since = tasks.held_since and tasks.held_since + set_by_s
        context.replace(tasks=replace(tasks, queue=queue, held_since=held_since))
        way = 'back' if set_by_s < 0.0 else 'forward'
        context.tracer.emit('OBSERVE', CLOCK_SET.format(abs(set_by_s), way))


def _carried(task: Task, seconds: float) -> Task:
    deadline = None if task.deadline is None else task.deadline + seconds
    return replace(task, received_at=task.received_at + seconds, deadline=deadline)


def _stamped(task: Task, now: float) -> Task:
    deadline = None if task.deadline is None else task.deadline + now
    return replace(task, received_at=now, deadline=deadline)
