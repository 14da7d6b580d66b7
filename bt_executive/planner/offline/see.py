"""Recognises that a part of a goal wants to see something, or to have something watched."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeAlias

from bt_executive.planner.offline.goal import GoalPart
from bt_executive.planner.offline.lexicon import ASKS, CONDITION, TELLS
from bt_executive.planner.offline.toolbox import Tools

Call: TypeAlias = tuple[str, dict[str, Any]]
LOOK, SCREEN, WATCH = 'look', 'look_at_screen', 'watch'
_LOOKS = frozenset({'look', 'see'})  # as said, or as meant
_AHEAD = frozenset({'front', 'forward', 'around'})
_SIDES = frozenset({'left', 'right'})  # a question may mean what is over, or whether it is true
# What may be said besides, of a wish to see: everything else is another wish.
_BESIDES = (
    _LOOKS
    | _AHEAD
    | _SIDES
    | {'there', 'find', 'take', 'picture', 'camera', 'rock', 'screen', 'do'}
)
_BESIDES |= {'on', 'at', 'of', 'in', 'my'}
_CONDITIONS = {'dark': 'dark', 'move': 'motion'}
_ABOUT_CONDITION = frozenset(
    {CONDITION, 'it', 'get', 'become', 'something', 'look', 'watch', 'find'}
)


def see(part: GoalPart, tools: Tools, goal: str = '') -> Call | None:
    """The tool that looks or watches, with its arguments; None: the part is about other things.

    `goal`: the words that are the question; else it is put together from those of the part.
    """
    return _watch(part, tools) or _look(part, tools, goal)


def _look(part: GoalPart, tools: Tools, goal: str) -> Call | None:
    said = {each.said for each in part.words}
    meant = part.meanings
    if part.numbers or not meant <= _BESIDES or said & ({*tools} - {LOOK}):
        return None
    placed = meant & _AHEAD or ('on' in meant and meant & _SIDES)
    looks = bool(_LOOKS & (said | meant)) or (part.is_question and bool(placed))
    tool = SCREEN if 'screen' in meant else LOOK
    if tool not in tools or not (looks or (part.is_question and 'screen' in meant)):
        return None
    return tool, {'question': goal or _words(part)}


def _watch(part: GoalPart, tools: Tools) -> Call | None:
    meant = part.meanings
    if WATCH not in tools:
        return None
    if 'watch' in meant and meant & {'off', 'stop'} and meant <= {'watch', 'off', 'stop'}:
        return WATCH, {'on': False}
    tells = 'watch' in meant or any(each.meaning == TELLS for each in part.tokens)
    if part.numbers or not tells:  # else another wish may depend on the condition
        return None
    conditions = [_CONDITIONS[each] for each in _CONDITIONS if each in meant]
    known = CONDITION in meant and meant <= _ABOUT_CONDITION | {*_CONDITIONS}
    if known and len(conditions) == 1 and not _of_the_robot(part):
        return WATCH, {'on': True, 'tell_when': conditions[0]}
    return None


def _of_the_robot(part: GoalPart) -> bool:
    """Whether it asks how the robot is now, or what it does, and not what the camera sees."""
    asks = any(each.meaning == ASKS for each in part.tokens)  # as in "tell me if it is dark"
    words = [each.meaning for each in part.words]
    moves = 'move' in words and ('something', 'move') not in pairwise(words)
    return moves or (asks and any(each.said == 'if' for each in part.words))


def _words(part: GoalPart) -> str:
    return ' '.join(each.said for each in part.tokens)[:200]
