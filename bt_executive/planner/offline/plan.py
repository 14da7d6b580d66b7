"""Makes a plan of a goal: the tools that all of it needs, or why it is declined as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from bt_executive.planner.offline import seek
from bt_executive.planner.offline.arguments import fill
from bt_executive.planner.offline.goal import LONGEST_GOAL, GoalPart, read_goal
from bt_executive.planner.offline.lexicon import AGAIN, CLAUSES, CONDITION, PAST
from bt_executive.planner.offline.places import MARK, RECALL, PlacePhrase, phrase_in, take_out
from bt_executive.planner.offline.see import see
from bt_executive.planner.offline.toolbox import ENDINGS, OfflineTool, Tools

MOST_PARTS = 8


@dataclass(frozen=True)
class PlannedCommand:
    """One tool with its arguments; `measured` if it was told how far, how long or how much."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    measured: bool = False


@dataclass(frozen=True)
class Question:
    """What a tool that only reads is asked about: meanings of words."""

    tool: str
    about: frozenset[str]  # nothing: all that the tool says
    arguments: dict[str, Any] = field(default_factory=dict)  # it needs none
    measured: bool = False


@dataclass(frozen=True)
class Search:
    """A good picture is wanted, from wherever it can be had."""


Task: TypeAlias = PlannedCommand | Question | Search

# What a question may be about: parts of the names of a status's fields.
TOPICS = {
    'battery': {'battery', 'charge'},
    'position': {'position', 'pose', 'x', 'y', 'z', 'yaw'},
    'move': {'moving', 'motion'},
    'open': {'open'},
    'close': {'open', 'closed'},
    'tilt': {'tilt'},
    'variant': {'variant'},
}
_NOT_ASKED = frozenset({'left', 'remaining', 'of', 'in'})  # as in "how much is left?"
_STATES = frozenset({'open', 'close'})  # of a thing, which the question must name
_LIGHT, _GROUND = frozenset({'bright'}), frozenset({'ground', 'texture'})
_SEARCHES = frozenset({'analyze', 'find', 'take', 'move'})
_SEARCH_WORDS = _LIGHT | _GROUND | _SEARCHES | {'picture', 'place'}


def make_plan(goal: str, tools: Tools) -> list[Task] | str:
    """The tasks of a goal in their order, or the rest of a sentence about why it is declined."""
    if len(goal) > LONGEST_GOAL:
        return f'it reads at most {LONGEST_GOAL} characters'
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    arguments = {name.lower() for tool in offered.values() for name in tool.properties}
    rest, phrases = take_out(goal) if RECALL in offered else (goal, [])
    parts = read_goal(rest, sorted(map(str.lower, offered), key=len, reverse=True), arguments)
    if len(parts) > MOST_PARTS:
        return f'it does at most {MOST_PARTS} things for a goal'
    if len(parts) > 1 and (depends := _condition(parts)):
        return f'no tool covers “{depends}” beside other wishes'
    tasks: list[Task] = []
    what = ''  # what was asked about last
    for part, again in map(_without_again, parts):
        phrase = phrase_in(part, phrases)
        what = (phrase.what if phrase else '') or what
        if phrase:
            task = _remembered(phrase, what, part, offered)
        else:
            task = _task(part, offered, goal.strip() if len(parts) == 1 else '')
        if isinstance(task, str):
            return task
        if isinstance(task, Search):
            what = ''  # “there” is then where it was found
        if again and tasks[-1:] != [task]:
            return 'nothing that is said before “again” is the same'
        if isinstance(task, PlannedCommand) or tasks[-1:] != [task]:  # asked twice is asked once
            tasks.append(task)
    return tasks


def _condition(parts: Sequence[GoalPart]) -> str:
    """The word with which a part says when, or on what condition; empty: none does."""
    words = (token for part in parts for token in part.words)
    return next((token.said for token in words if token.meaning == CONDITION), '')


def _without_again(part: GoalPart) -> tuple[GoalPart, bool]:
    """What is to be done, and whether it is said to be done again."""
    rest = tuple(each for each in part.tokens if each.meaning != AGAIN)
    again = rest != part.tokens and bool(GoalPart(rest).words)
    return (GoalPart(rest), True) if again else (part, False)


def _remembered(phrase: PlacePhrase, what: str, part: GoalPart, tools: Tools) -> Task | str:
    """What a phrase about a remembered place asks for; `what`: was asked about last."""
    if phrase.tool not in tools:
        return f'no tool {phrase.tool} is offered'
    if part.numbers:
        return f'{phrase.tool} takes no “{part.numbers[0].said}”'
    if phrase.tool != RECALL and part.is_question:
        return f'{phrase.tool} is no answer to a question'
    if not what:
        return 'nothing was named before “there”'
    arguments = replace(phrase, what=what).arguments
    if phrase.tool == RECALL:
        return Question(phrase.tool, frozenset(), arguments)
    return PlannedCommand(phrase.tool, arguments)


def _task(part: GoalPart, tools: Tools, goal: str) -> Task | str:
    seeing = see(part, tools, goal)
    if seeing is None and part.is_question:
        return _question(part, tools)
    task: Task | str = PlannedCommand(*seeing) if seeing else _command(part, tools)
    if isinstance(task, str) and 'status' in part.meanings and not part.meanings & CLAUSES:
        return _question(part, tools)
    if isinstance(task, str) and seek.LOOK in tools and _is_search(part):
        task = Search()
    if part.repeated and not isinstance(task, str):
        return f'“{part.repeated}” is said twice: say “and” between two wishes'
    return task


def _command(part: GoalPart, tools: Tools) -> PlannedCommand | str:
    told = next((each.said for each in part.words if each.said in PAST), '')
    if told:
        return f'no tool covers “{told}”'
    fits = sorted(
        (tool for tool in tools.values() if tool.fit(part)), key=lambda each: -each.fit(part)
    )
    reasons = []
    for tool in fits:
        if tool.uncovered(part):
            continue
        arguments = fill(tool, part)
        if not isinstance(arguments, str):
            measured = any(each.unit and not each.key for each in part.numbers)
            return PlannedCommand(tool.name, arguments, measured)
        reasons.append(arguments)
    if reasons:  # a value that does not fit says more than a unit that does not
        return min(reasons, key=lambda reason: ' takes no ' in reason)
    return _no_tool(part, fits or list(tools.values()))


def _question(part: GoalPart, tools: Tools) -> Question | str:
    about = part.meanings - _NOT_ASKED
    readers = [tool for tool in tools.values() if tool.reads]
    others = 'position' in about and len(about) > 1  # a status tells only the robot's own
    if others or about <= _STATES:
        return _no_tool(part, readers)
    own = [tool for tool in readers if about & tool.name_words]
    for tool in [*own, *(tool for tool in readers if tool.is_status)]:
        further = about - tool.name_words
        known = {*tool.subjects, *(TOPICS if tool.is_status else ())}
        if not part.numbers and further <= known:
            return Question(tool.name, further if tool.is_status else frozenset())
    return _no_tool(part, readers)


def _is_search(part: GoalPart) -> bool:
    said = part.meanings
    if part.numbers or not said <= _SEARCH_WORDS:
        return False
    light = said & _LIGHT and said & _SEARCHES and said & {'picture', 'place'}
    return bool(light or (said & _GROUND and 'analyze' in said))


def _no_tool(part: GoalPart, tools: Sequence[OfflineTool]) -> str:
    missing = min((tool.uncovered(part) for tool in tools), key=len, default=[])
    said = dict.fromkeys(each.said for each in part.words)
    words = ' '.join(each for each in missing or said if not each.startswith(MARK))
    return f'no tool covers “{words:.60}”' if words else 'no tool is named'
