"""Driving to a place: one that the goal names, or one beside whatever is in the way."""

from __future__ import annotations

from collections.abc import Iterator
import math

from bt_executive.planner.offline.beliefs import (
    MOVE_IN_PROGRESS,
    NAVIGATE,
    Beliefs,
    Place,
)
from bt_executive.planner.offline.decision import Act
from bt_executive.planner.offline.toolbox import Toolbox
from bt_executive.planner.offline.uphill import bearing

MOST_MISSES = 2  # for one place; what was stopped once may be driven to all the same
DETOUR_M = 6.0  # about two nudges and a half
DETOURS_RAD = (math.pi / 3.0, -math.pi / 3.0, math.pi)
SAME_M = 1.0


def can_travel(tools: Toolbox) -> bool:
    """Whether a tool that drives to a place is offered."""
    return tools.takes(NAVIGATE, 'x') and tools.takes(NAVIGATE, 'y')


def travel(beliefs: Beliefs, place: Place) -> Act | str:
    """The next step to a place that has not been reached, or why it is given up."""
    reasons = [reason for missed, reason in beliefs.missed if missed == place]
    x, y = place
    if len(reasons) >= MOST_MISSES:
        return f'The rover cannot get to x {x:g} m, y {y:g} m: "{reasons[-1]}".'
    moves = beliefs.last is not None and beliefs.last.reason == MOVE_IN_PROGRESS
    if moves and beliefs.failures.get('move_stop', 0) < 2:
        return Act('move_stop', 'The rover still moves; I stop it first.')
    again = ' once more' if reasons else ''
    return Act(NAVIGATE, f'I drive to x {x:g} m, y {y:g} m{again}.', {'x': x, 'y': y})


def obstruction(beliefs: Beliefs) -> str:
    """Why driving ahead leads nowhere, as a sentence; empty while it may lead somewhere."""
    if beliefs.barred:
        return f'No drive ahead is allowed: "{beliefs.barred}".'
    if beliefs.held:
        return 'The last drive did not move the rover: something holds it.'
    return ''


def detour(beliefs: Beliefs) -> Act | None:
    """To a place beside the obstruction that was not tried yet. Needs a pose."""
    if beliefs.pose is None:
        return None
    for x, y in _around(beliefs):
        tried = [*beliefs.reached, *(place for place, _ in beliefs.missed)]
        if all(math.hypot(x - a, y - b) > SAME_M for a, b in tried):
            why = f'{obstruction(beliefs)} I look for a way by x {x:g} m, y {y:g} m.'
            return Act(NAVIGATE, why, {'x': x, 'y': y})
    return None


def _around(beliefs: Beliefs) -> Iterator[Place]:
    pose = beliefs.pose
    if pose is None:
        return
    uphill = bearing(beliefs.captures)
    ahead = pose.yaw if uphill is None else uphill
    for off in (0.0, *DETOURS_RAD) if uphill is not None else DETOURS_RAD:
        x = pose.x + DETOUR_M * math.cos(ahead + off)
        y = pose.y + DETOUR_M * math.sin(ahead + off)
        yield round(x, 1), round(y, 1)
