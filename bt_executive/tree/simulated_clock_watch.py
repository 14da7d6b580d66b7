"""Watches simulated time: not begun, stopped, running."""

from __future__ import annotations

import math

from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import ReadAccess
from rover_common.clocks import STANDSTILL_S

CLOCK_STANDS = (
    f'/clock has stood still for {STANDSTILL_S:g} s: the simulation is paused, or nothing sends '
    "it. Until it goes on, the robot's time passes as that of this machine"
)
CLOCK_GOES_ON = '/clock goes on'


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
