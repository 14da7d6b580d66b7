"""How a good picture is sought: look, cheap things first, then move, and know when to stop."""

from __future__ import annotations

from bt_executive.planner.offline.beliefs import (
    MAST_IS_CLOSED,
    MOTIONS,
    MOVE_IN_PROGRESS,
    NEED_TO_CLOSE,
    Beliefs,
)
from bt_executive.planner.offline.decision import Act
from bt_executive.planner.offline.limits import is_too_slow, may_probe, report, why_give_up
from bt_executive.planner.offline.steering import (
    Course,
    choose_course,
    drive_on,
    position_matters,
    sideways,
    turn_on,
)
from bt_executive.planner.offline.toolbox import Toolbox
from bt_executive.planner.offline.travel import can_travel, detour, obstruction

MOST_FAILURES = 8  # of one tool in a row; with the planner's delays about 24 s
OPTIONAL = ('get_status', 'mast_rotate', 'move_stop')  # the search goes on without them
_RULES = (NEED_TO_CLOSE, MAST_IS_CLOSED)


def usable(tools: Toolbox, beliefs: Beliefs, tool: str) -> bool:
    """Whether a tool is offered and has not failed twice in a row."""
    return tool in tools and beliefs.failures.get(tool, 0) < 2


def recover(beliefs: Beliefs, tools: Toolbox) -> Act | None:
    """What to do before a failed step is tried again; None if nothing, or if nothing failed."""
    last = beliefs.last
    if last is None or last.ok or last.tool in OPTIONAL or last.reason in _RULES:
        return None
    if last.reason == MOVE_IN_PROGRESS and usable(tools, beliefs, 'move_stop'):
        return Act('move_stop', 'The rover still moves; I stop it before I look.')
    said = f'{last.tool} failed ({last.reason}).'
    if beliefs.failures[last.tool] > 1 and _can_rotate(beliefs, tools):
        return Act('mast_rotate', f'{said} I give it time with a sweep and try again.')
    if usable(tools, beliefs, 'get_status'):
        return Act('get_status', f'{said} I check the status before I try again.')
    return None


def broken(beliefs: Beliefs) -> str | None:
    """The sentence about a needed tool that keeps failing; None if there is none."""
    last = beliefs.last
    if last is None or last.ok or last.tool in OPTIONAL:
        return None
    count = beliefs.failures[last.tool]
    if count < MOST_FAILURES:
        return None
    return f'{last.tool} failed {count} times in a row, at last with "{last.reason}".'


def seek(beliefs: Beliefs, tools: Toolbox) -> Act | str:
    """The next step towards a good picture, or the report with which to give up."""
    if reason := broken(beliefs):
        return report(beliefs, reason)
    if can_travel(tools) and (reason := obstruction(beliefs)):
        return _go_round(beliefs, tools, reason)
    if act := recover(beliefs, tools):
        return act
    if any(drive.turns for drive in beliefs.drives):
        if act := _turn(beliefs, tools):
            return act
        return look(beliefs, tools)
    if beliefs.changed:
        return look(beliefs, tools)
    if reason := why_give_up(beliefs, tools):
        return _where_am_i(beliefs, tools) or report(beliefs, reason)
    if beliefs.rotation_promises and _can_rotate(beliefs, tools):
        return Act('mast_rotate', 'It is too dark; rotating the mast is the cheapest other view.')
    return _move(beliefs, tools)


def look(beliefs: Beliefs, tools: Toolbox) -> Act:
    """Takes a picture, after opening the mast if experience says so."""
    if beliefs.open_before_looking and beliefs.mast_closed and 'mast_open' in tools:
        return Act('mast_open', 'The mast is closed; I open it to look.')
    if not beliefs.captures:
        return Act('capture_and_score', 'I look first to understand the situation.')
    return Act('capture_and_score', 'Something changed; I look again.')


def with_mast_stowed(act: Act, beliefs: Beliefs, tools: Toolbox) -> Act:
    """The motion, or, if experience says so, closing the mast before it."""
    blocked = beliefs.close_before_moving and not beliefs.mast_closed
    if act.tool in MOTIONS and blocked and 'mast_close' in tools:
        return Act('mast_close', 'I must close the mast before I move.')
    return act


def _move(beliefs: Beliefs, tools: Toolbox) -> Act | str:
    if position_matters(beliefs) and (act := _where_am_i(beliefs, tools)):
        return act
    course = _course(beliefs, tools)
    act = turn_on(beliefs, tools, course) if course.turn and _can_turn(tools) else None
    act = act or drive_on(beliefs, tools, course)
    if act is None:
        return report(beliefs, 'No tool for moving is offered.')
    return with_mast_stowed(act, beliefs, tools)


def _go_round(beliefs: Beliefs, tools: Toolbox, reason: str) -> Act | str:
    """On by another way, or the report that there is none."""
    if act := _where_am_i(beliefs, tools):
        return act
    if act := detour(beliefs):
        return with_mast_stowed(act, beliefs, tools)
    said = [said for _, said in beliefs.missed[-1:]]
    return report(beliefs, ' '.join([reason, *(f'No way round it: "{each}".' for each in said)]))


def _turn(beliefs: Beliefs, tools: Toolbox) -> Act | None:
    """Goes on with a manoeuvre; None when it is over."""
    course = _course(beliefs, tools)
    if course.heading is not None and (act := _where_am_i(beliefs, tools)):
        return act
    act = turn_on(beliefs, tools, course)
    return with_mast_stowed(act, beliefs, tools) if act else None


def _course(beliefs: Beliefs, tools: Toolbox) -> Course:
    """Depends on pictures alone, so it stays the same throughout a manoeuvre."""
    if is_too_slow(beliefs, tools) and may_probe(beliefs, tools):
        return sideways(beliefs)
    return choose_course(beliefs)


def _where_am_i(beliefs: Beliefs, tools: Toolbox) -> Act | None:
    if beliefs.pose_is_current or not usable(tools, beliefs, 'get_status'):
        return None
    if beliefs.last is not None and beliefs.last.tool == 'get_status':
        return None  # asked just now, and the answer has no pose
    return Act('get_status', 'I ask where the rover stands.')


def _can_rotate(beliefs: Beliefs, tools: Toolbox) -> bool:
    stowed = beliefs.open_before_looking and beliefs.mast_closed
    return usable(tools, beliefs, 'mast_rotate') and not stowed


def _can_turn(tools: Toolbox) -> bool:
    return 'turn_left' in tools or 'turn_right' in tools
