"""Reports a robot that moves, or is not known to stand, although no tool drives it."""

from __future__ import annotations

import math

from bt_executive.tree.context import Context

NOT_STANDING_S = 1.0  # shorter gaps between two measurements are not reported
UNDRIVEN = 'The robot moves, or a stop has no answer yet, and no tool drives it'


class StandstillMonitor:
    """Reports an unknown standstill once it lasts, and its end."""

    def __init__(self) -> None:
        self._since = math.inf  # steady s
        self._reported = False

    def update(self, context: Context) -> None:
        """Compares the present state with the latest report."""
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
    """Return why an undriven robot is not known to stand; empty: it stands, or is driven.

    `ConfirmStop` reports an unconfirmed stop.
    """
    robot = context.state.robot
    drives = 'base' in context.holders or context.permits.current.number
    if context.stops.pending is not None or drives:
        return ''
    if robot.standing_unknown or robot.at_rest is not False or robot.moving is None:
        return robot.standing_unknown
    return UNDRIVEN
