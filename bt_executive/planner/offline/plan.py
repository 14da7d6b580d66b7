"""Makes a plan of a goal: the tools that all of it needs, or why it is declined as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from bt_executive.planner.offline import seek
from bt_executive.planner.offline.arguments import fill
from bt_executive.planner.offline.goal import LONGEST_GOAL, GoalPart, read_goal
from bt_executive.planner.offline.places import RECALL, PlacePhrase, phrase_in, take_out
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
_LIGHT, _GROUND = frozenset({'bright'}), frozenset({'ground', 'texture'})
_SEARCHED = frozenset({'analyze', 'find', 'take', 'picture'})
_SEARCH_WORDS = _LIGHT | _GROUND | _SEARCHED | {'move', 'place'}


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
    tasks: list[Task] = []
    what = ''  # what was asked about last
    for part in parts:
        phrase = phrase_in(part, phrases)
        what = (phrase.what if phrase else '') or what
        if phrase:
            task = _remembered(phrase, what, offered)
        else:
            task = _task(part, offered, goal.strip() if len(parts) == 1 else '')
        if isinstance(task, str):
            return task
        if isinstance(task, PlannedCommand) or tasks[-1:] != [task]:  # asked twice is asked once
            tasks.append(task)
    return tasks


def _remembered(phrase: PlacePhrase, what: str, tools: Tools) -> Task | str:
    """What a phrase about a remembered place asks for; `what`: was asked about last."""
    if phrase.tool not in tools:
        return f'no tool {phrase.tool} is offered'
    if not what:
        return 'nothing was named before “there”'
    arguments = replace(phrase, what=what).arguments
    if phrase.tool == RECALL:
        return Question(phrase.tool, frozenset(), arguments)
    return PlannedCommand(phrase.tool, arguments)


def _task(part: GoalPart, tools: Tools, goal: str) -> Task | str:
    seeing = see(part, tools, goal)
    if seeing is not None:
        return PlannedCommand(*seeing)
    if part.is_question:
        return _question(part, tools)
    command = _command(part, tools)
    if isinstance(command, str) and seek.LOOK in tools and _is_search(part):
        return Search()
    return command


def _command(part: GoalPart, tools: Tools) -> PlannedCommand | str:
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
    about = part.meanings - {'left'}  # as in "how much is left?"
    readers = [tool for tool in tools.values() if tool.reads]
    own = [tool for tool in readers if about & tool.name_words]
    for tool in [*own, *(tool for tool in readers if 'status' in tool.name_words)]:
        if about and not part.numbers and about <= {*TOPICS, *tool.name_words, *tool.subjects}:
            return Question(tool.name, frozenset() if tool in own else about)
    return _no_tool(part, readers)


def _is_search(part: GoalPart) -> bool:
    said = part.meanings
    if part.numbers or not said <= _SEARCH_WORDS:
        return False
    return bool(said & _LIGHT or (said & _GROUND and said & _SEARCHED))


def _no_tool(part: GoalPart, tools: Sequence[OfflineTool]) -> str:
    missing = min((tool.uncovered(part) for tool in tools), key=len, default=[])
    words = ' '.join(missing or dict.fromkeys(each.said for each in part.words))
    return f'no tool covers “{words:.60}”' if words else 'no tool is named'
