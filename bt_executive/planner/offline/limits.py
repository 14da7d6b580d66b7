"""When to give a search for light up, with the sentence that says so."""

from __future__ import annotations

from dataclasses import replace
import math

from bt_executive.planner.offline.beliefs import FORWARD, NOTICEABLE, TURNS, Beliefs
from bt_executive.planner.offline.steering import is_lost, last_gain, long_drive
from bt_executive.planner.offline.toolbox import Toolbox
from bt_executive.planner.offline.uphill import score_per_metre, slope

ATTEMPTS = 10  # places without success (spec 2), more only while the score rises
LOST_ATTEMPTS = 14  # places while no picture differed from any other: all ways have their turn
MOST_ATTEMPTS = 25
SURE_AFTER = 5  # pictures before a projection is believed
STEEPER = 2.0  # a light to the side is worth a turn if the score rises so much faster there


def why_give_up(beliefs: Beliefs, tools: Toolbox) -> str | None:
    """The reason to give up now, as a sentence; None to go on."""
    count = len(beliefs.captures)
    if tools.first(*FORWARD) is None:
        return 'No tool for moving is offered, and the picture is not good from here.'
    if count >= MOST_ATTEMPTS:
        return f'{count} pictures are enough.'
    places = 1 + sum(bool(capture.drives) for capture in beliefs.captures)
    allowed = LOST_ATTEMPTS if is_lost(beliefs) else ATTEMPTS
    if places >= allowed and not _still_rises(beliefs):
        return f'The score no longer rises after {count} pictures.'
    if _no_way(beliefs, tools):
        return 'Driving ahead makes it darker, and no tool for turning is offered.'
    if is_too_slow(beliefs, tools) and not may_probe(beliefs, tools):
        return f'At this rate about {drives_needed(beliefs, tools):.0f} more drives are needed.'
    if _probe_found_nothing(beliefs, tools):
        return 'The score rises too slowly ahead and no faster to the side.'
    return None


def is_too_slow(beliefs: Beliefs, tools: Toolbox) -> bool:
    """Whether the score rises, but not within the pictures that are left."""
    count = len(beliefs.captures)
    needed = drives_needed(beliefs, tools)
    return count >= SURE_AFTER and needed is not None and needed > MOST_ATTEMPTS - count


def may_probe(beliefs: Beliefs, tools: Toolbox) -> bool:
    """Whether looking to the side could tell more: once, with a known heading."""
    turned = any(drive.turns for capture in beliefs.captures for drive in capture.drives)
    return bool(tools.first(*TURNS)) and not turned and beliefs.captures[-1].pose is not None


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
    rise = slope(captures)
    rate = math.hypot(*rise) if rise else score_per_metre(captures)
    if rate and rate > 0:
        need = (1.0 - last) / rate
        text += f' The score rose {rate:.4f} per metre: full brightness is about {need:.0f} m on.'
    return text


def _probe_found_nothing(beliefs: Beliefs, tools: Toolbox) -> bool:
    """Whether the last turn followed too slow a rise and showed no steeper way."""
    *earlier, last = beliefs.captures
    if not any(drive.turns for drive in last.drives):
        return False
    if not is_too_slow(replace(beliefs, captures=tuple(earlier)), tools):
        return False
    ahead, rise = score_per_metre(earlier), slope(beliefs.captures)
    return ahead is not None and rise is not None and math.hypot(*rise) < STEEPER * ahead


def _still_rises(beliefs: Beliefs) -> bool:
    """Whether one of the last three pictures is the best so far."""
    scores = [capture.score for capture in beliefs.captures]
    return max(scores[-3:]) > max(scores[:-3], default=0.0) + NOTICEABLE


def _no_way(beliefs: Beliefs, tools: Toolbox) -> bool:
    """Whether two moves ahead in a row made it darker and the rover cannot turn."""
    if tools.first(*TURNS) or len(beliefs.captures) < 3:
        return False
    before, between, last = beliefs.captures[-3:]
    falls = (before.score - between.score, between.score - last.score)
    return bool(between.drives and last.drives) and min(falls) > NOTICEABLE
