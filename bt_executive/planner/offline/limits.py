"""When to give a search for light up, with the sentence that says so."""

from __future__ import annotations

from bt_executive.planner.offline.beliefs import FORWARD, TURNS, Beliefs
from bt_executive.planner.offline.steering import last_gain, long_drive
from bt_executive.planner.offline.toolbox import Toolbox
from bt_executive.planner.offline.uphill import NOTICEABLE, score_per_metre

ATTEMPTS = 10  # pictures without success (spec 2), more only while the score rises
MOST_ATTEMPTS = 25
SURE_AFTER = 5  # pictures before a projection is believed
HOPELESS = 2.0  # the projection exceeds what is left by this factor


def why_give_up(beliefs: Beliefs, tools: Toolbox) -> str | None:
    """The reason to give up now, as a sentence; None to go on."""
    count = len(beliefs.captures)
    gain = last_gain(beliefs)
    if tools.first(*FORWARD) is None:
        return 'No tool for moving is offered, and the picture is not good from here.'
    if count >= MOST_ATTEMPTS:
        return f'{count} pictures are enough.'
    if count >= ATTEMPTS and (gain is None or gain <= NOTICEABLE):
        return f'The score no longer rises after {count} pictures.'
    if _no_way(beliefs, tools):
        return 'Driving ahead makes it darker, and no tool for turning is offered.'
    needed = drives_needed(beliefs, tools)
    if count >= SURE_AFTER and needed and needed > HOPELESS * (MOST_ATTEMPTS - count):
        return f'At this rate about {needed:.0f} more drives would be needed.'
    return None


def drives_needed(beliefs: Beliefs, tools: Toolbox) -> float | None:
    """Drives to a score of 1 at the rate of the last one; None while that says too little.

    Where long drives are offered, only a long drive tells: each is then taken as the longest. The
    first rise out of the dark tells nothing: the drive was partly in the dark.
    """
    gain = last_gain(beliefs)
    if gain is None or gain <= NOTICEABLE:
        return None
    if beliefs.captures[-2].score <= min(each.score for each in beliefs.captures) + NOTICEABLE:
        return None
    if not tools.takes('move_forward', 'duration_s'):
        return (1.0 - beliefs.captures[-1].score) / gain
    if not any(drive.duration_s for drive in beliefs.captures[-1].drives):
        return None
    return (long_drive(beliefs, tools) or 0.0) / tools.longest('move_forward')


def report(beliefs: Beliefs, reason: str) -> str:
    """The reason with the measurements behind it."""
    captures = beliefs.captures
    if not captures:
        return reason
    drives = sum(len(capture.drives) for capture in captures) + len(beliefs.drives)
    first, last = captures[0].score, captures[-1].score
    text = (
        f'{reason} Score {first:.3f} at first, {last:.3f} at last, in {len(captures)} pictures '
        f'and {drives} drives.'
    )
    if beliefs.pose and beliefs.pose_is_current:
        text += f' The rover stands at x {beliefs.pose.x:.1f} m, y {beliefs.pose.y:.1f} m.'
    if beliefs.travelled_m:
        text += f' It moved at least {beliefs.travelled_m:.1f} m.'
    slope = score_per_metre(captures)
    if slope and slope > 0:
        need = (1.0 - last) / slope
        text += f' The score rose {slope:.4f} per metre: full brightness is about {need:.0f} m on.'
    return text


def _no_way(beliefs: Beliefs, tools: Toolbox) -> bool:
    """Whether two moves ahead in a row made it darker and the rover cannot turn."""
    if tools.first(*TURNS) or len(beliefs.captures) < 3:
        return False
    before, between, last = beliefs.captures[-3:]
    falls = (before.score - between.score, between.score - last.score)
    return bool(between.drives and last.drives) and min(falls) > NOTICEABLE
