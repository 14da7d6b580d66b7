"""Reports what lasts: goals that wait, a robot that is not known to stand, a clock that stands."""

from __future__ import annotations

import math

from bt_executive.core.modes import Arbitration, holds_back
from bt_executive.core.state import Task
from bt_executive.core.trace_fields import TraceData
from bt_executive.tree.context import Context
from bt_executive.tree.goal_deadlines import clock_is_unset
from bt_executive.tree.goal_progress import GoalProgress
from rover_common.clocks import STANDSTILL_S


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


NOT_STANDING_S = 1.0  # shorter gaps between two measurements are not reported
UNDRIVEN = 'The robot moves, or a stop has no answer yet, and no tool drives it'


class StandingWatch:
    """Reports it once it lasts, and when the robot is seen to stand again."""

    def __init__(self) -> None:
        self._since = math.inf  # steady s
        self._reported = False

    def update(self, context: Context) -> None:
        """Compares what this tick knows with what was reported."""
        why = _why_not_standing(context)
        self._since = min(self._since, context.now.steady) if why else math.inf
        lasts = context.now.steady - self._since >= NOT_STANDING_S
        if why and not lasts:
            context.wake_at(steady=self._since + NOT_STANDING_S)
        elif lasts and not self._reported:
            self._reported = True
            context.tracer.emit('ERROR', why, ok=False, error_reason=why)
        elif self._reported and context.state.robot.stands:
            self._reported = False
            context.tracer.emit('OBSERVE', 'The robot stands')


def _why_not_standing(context: Context) -> str:
    """Why a robot that nobody drives is not known to stand; empty: it stands, or drives.

    What is missing after a stop is reported by `ConfirmStop`.
    """
    robot = context.state.robot
    drives = 'base' in context.holders or context.permits.current.number
    if context.stops.pending is not None or drives:
        return ''
    if robot.standing_unknown or robot.at_rest is not False or robot.moving is None:
        return robot.standing_unknown
    return UNDRIVEN


CLOCK_STANDS = (
    f'/clock has stood still for {STANDSTILL_S:g} s: the simulation is paused, or nothing sends '
    "it. Until it goes on, the robot's time passes as that of this machine"
)
CLOCK_GOES_ON = '/clock goes on'


class ClockWatch:
    """Reports once that simulated time has stopped after it had begun, and that it goes on."""

    def __init__(self) -> None:
        self._ros, self._since = -math.inf, math.inf  # s of /clock; steady s since it shows that
        self._reported = False

    def update(self, context: Context) -> None:
        """Compares what this tick's clocks show with what was reported."""
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
