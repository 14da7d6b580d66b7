"""Where to drive next to make the picture brighter: hill climbing on pose and score."""

from __future__ import annotations

from dataclasses import dataclass
import math

from bt_executive.planner.offline.beliefs import (
    FORWARD,
    NOTICEABLE,
    TURNS,
    Beliefs,
    Capture,
    Drive,
    angle,
)
from bt_executive.planner.offline.decision import Act
from bt_executive.planner.offline.toolbox import Toolbox
from bt_executive.planner.offline.uphill import bearing

AHEAD_RAD = 0.6  # a light within this angle counts as ahead
TURNED_RAD = 0.35  # a turn is over within this angle of its target
MOST_TURNS = 8  # turns in one manoeuvre
BLIND_TURNS = 3  # turns in one manoeuvre without a known heading
PATIENCE = 3  # moves without any change before the first turn
PATIENCE_LATER = 2  # and after it
FAR = 4.0  # so many nudges are many: longer drives from there on
FIRST_LONG_S = 10.0


@dataclass(frozen=True)
class Course:
    """Straight on, or a turn: to a heading in radians, or blindly if the heading is unknown."""

    turn: bool
    why: str
    heading: float | None = None


def choose_course(beliefs: Beliefs) -> Course:
    """The course that the pictures so far suggest. Needs at least one picture."""
    captures = beliefs.captures
    here = captures[-1]
    yaw = here.pose.yaw if here.pose else None
    uphill = bearing(captures)
    if uphill is not None and yaw is not None:
        off = angle(uphill - yaw)
        if abs(off) > AHEAD_RAD:
            return Course(True, f'the score rises {math.degrees(off):+.0f}° from ahead', uphill)
        return Course(False, 'the score rises ahead')
    gain = last_gain(beliefs)
    if gain is None:
        return Course(False, 'a new place may be brighter')
    if gain > NOTICEABLE:
        return Course(False, f'the last move raised the score by {gain:.3f}')
    if gain < -NOTICEABLE:
        return Course(True, f'the last move lowered the score by {-gain:.3f}', _off(yaw, math.pi))
    return _course_on_the_flat(captures, yaw)


def sideways(beliefs: Beliefs) -> Course:
    """A quarter turn to see whether the light lies to the side."""
    pose = beliefs.captures[-1].pose
    why = 'the score rises so slowly ahead that the light may lie to the side'
    return Course(True, why, _off(pose.yaw if pose else None, math.pi / 2))


def last_gain(beliefs: Beliefs) -> float | None:
    """Change of score over the last move if that was straight; None if there was none."""
    if len(beliefs.captures) < 2 or not _straight(beliefs.captures[-1]):
        return None
    return beliefs.captures[-1].score - beliefs.captures[-2].score


def turn_on(beliefs: Beliefs, tools: Toolbox, course: Course) -> Act | None:
    """The next turn of a manoeuvre; None if it is over. Needs a current pose or a blind course."""
    so_far = sum(drive.turns for drive in beliefs.drives)
    if course.heading is None or not beliefs.pose_is_current or beliefs.pose is None:
        if so_far >= BLIND_TURNS:
            return None
        tool = tools.first(*TURNS) or TURNS[0]
        return Act(tool, f'I turn because {course.why}.', tools.timed(tool, tools.longest(tool)))
    off = angle(course.heading - beliefs.pose.yaw)
    if so_far >= MOST_TURNS or abs(off) < TURNED_RAD:
        return None
    tool = tools.first(*(TURNS if off > 0 else TURNS[::-1])) or TURNS[0]
    why = f'I turn because {course.why}; {math.degrees(abs(off)):.0f}° are left.'
    return Act(tool, why, tools.timed(tool, _turn_time(beliefs, tools, tool, abs(off))))


def drive_on(beliefs: Beliefs, tools: Toolbox, course: Course) -> Act | None:
    """The next straight drive: a nudge, or a longer drive where nudges would be many."""
    short = tools.first(*FORWARD)
    if short is None:
        return None
    seconds = long_drive(beliefs, tools)
    if seconds is None:
        return Act(short, f'I move on because {course.why}.')
    why = f'I drive farther at once because {course.why} and the way is long.'
    return Act('move_forward', why, tools.timed('move_forward', seconds))


def long_drive(beliefs: Beliefs, tools: Toolbox) -> float | None:
    """Seconds for move_forward where that beats a nudge; None where a nudge is right."""
    if not tools.takes('move_forward', 'duration_s'):
        return None
    here = beliefs.captures[-1]
    if is_lost(beliefs):
        return tools.longest('move_forward')
    gain = last_gain(beliefs)
    if gain is None or gain <= NOTICEABLE:
        return None
    repeats = (1.0 - here.score) / gain
    duration = _forward_time(here.drives)
    if duration is not None:
        return 1.05 * repeats * duration  # a little more, so that it need not be done twice
    return FIRST_LONG_S if repeats > FAR else None


def position_matters(beliefs: Beliefs) -> bool:
    """Whether the last move did not help, or so little that the way will be long."""
    gain = last_gain(beliefs)
    return gain is not None and 1.0 - beliefs.captures[-1].score > FAR * max(gain, 0.0)


def is_lost(beliefs: Beliefs) -> bool:
    """Whether the rover has turned already and no picture ever differed from another."""
    scores = [capture.score for capture in beliefs.captures]
    turned = any(drive.turns for capture in beliefs.captures for drive in capture.drives)
    return turned and max(scores) - min(scores) <= NOTICEABLE


def _course_on_the_flat(captures: tuple[Capture, ...], yaw: float | None) -> Course:
    turned_before = any(drive.turns for capture in captures for drive in capture.drives)
    flat = _flat_moves(captures)
    if flat < (PATIENCE_LATER if turned_before else PATIENCE):
        return Course(False, 'the score has not changed yet')
    why = f'{flat} moves this way changed nothing'
    return Course(True, why, _off(yaw, math.pi / 2 if turned_before else math.pi))


def _flat_moves(captures: tuple[Capture, ...]) -> int:
    """Straight moves in a row, up to now, that did not change the score."""
    count = 0
    for before, after in zip(captures[-2::-1], captures[:0:-1], strict=True):
        if not _straight(after) or abs(after.score - before.score) > NOTICEABLE:
            break
        count += 1
    return count


def _straight(capture: Capture) -> bool:
    return bool(capture.drives) and all(drive.straight for drive in capture.drives)


def _forward_time(drives: tuple[Drive, ...]) -> float | None:
    """Seconds of straight driving if all of it was timed by its argument."""
    times = [drive.duration_s for drive in drives]
    known = [time for time in times if time is not None]
    return sum(known) if known and len(known) == len(times) else None


def _turn_time(beliefs: Beliefs, tools: Toolbox, tool: str, off: float) -> float:
    """Seconds for an angle by the measured rate; before that, long for wide angles only."""
    if beliefs.turn_rate:
        return off / beliefs.turn_rate
    return tools.longest(tool) / (1 if off > math.pi / 2 else 2)


def _off(yaw: float | None, by: float) -> float | None:
    return None if yaw is None else angle(yaw + by)
