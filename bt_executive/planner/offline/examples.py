"""Goals that this model carries out with the offered tools, for whoever asks or is declined.

Each is made of a tool's own words and shown only if this model's own plan for it is that tool.
"""

from __future__ import annotations

from collections.abc import Iterator
import difflib
import re

from bt_executive.planner.offline.goal import LONGEST_GOAL, read_goal
from bt_executive.planner.offline.plan import PlannedCommand, Question, Search, make_plan
from bt_executive.planner.offline.toolbox import ENDINGS, OfflineTool, Tools

MOST = 6
SEEK, SEARCH = 'search', 'look for a bright picture'
TIME, AHEAD = 3, 5  # numbers in the examples: s, and the first of several
LONGEST_CLAUSE = 4  # words
OF_VISION = frozenset({'look', 'look_at_screen', 'watch'})  # need more than the robot
_CLAUSE_ENDS = re.compile(r'[.,;:(]| with | and | so ')
_ASKED = re.compile(
    r'(?:please )?(?:tell me |show me )?(?:what (?:all )?(?:can|could|do) (?:you|i|we)'
    r'(?: (?:do|say|ask|type|write|try|understand|know))?(?: for me| here| now)?'
    r'|what are you able to do|how (?:can|do) i use you'
    r'|(?:list |show |give me )?(?:some )?(?:examples?|help|capabilities|commands|possibilities))'
    r'(?: please)?|(?:あなたは)?何が?(?:できますか|できるの|できる|可能ですか)'
    r'|使い方(?:を教えて)?|ヘルプ'
    r'|你(?:能|会|可以)(?:做|干)(?:什么|些什么|啥)|帮助',
    re.IGNORECASE,
)


def is_asked_for(goal: str) -> bool:
    """Whether a goal asks what can be asked for."""
    plain = ' '.join(goal[:LONGEST_GOAL].split()).strip(' ?!.？！。')
    return _ASKED.fullmatch(plain) is not None


def examples(tools: Tools) -> list[str]:
    """At most six goals that work, as unlike as there are; those of measured amounts first."""
    found = dict(_working(tools))
    own = [goal for tool, goal in found.items() if tool not in OF_VISION]
    measured = [goal for goal in own if any(map(str.isdigit, goal))]
    others = [goal for goal in own if goal not in measured]
    search = [found[SEEK]] if SEEK in found else []
    ordered = [*_unlike(measured)[:3], *search, *_unlike(others), *measured, *others]
    return list(dict.fromkeys([*ordered, *found.values()]))[:MOST]


def nearest(goal: str, tools: Tools) -> str:
    """The working goal that is most like a declined one; empty: no tool has any."""
    meant, asks = _read(goal)

    def likeness(example: str) -> tuple[int, bool, float]:
        words, is_question = _read(example)
        letters = difflib.SequenceMatcher(None, goal[:LONGEST_GOAL].lower(), example)
        return len(meant & words), asks == is_question, letters.ratio()

    return max(dict(_working(tools)).values(), key=likeness, default='')


def _working(tools: Tools) -> Iterator[tuple[str, str]]:
    """Name and goal of each tool that a goal of its own words calls; the search comes last."""
    for tool in tools.values():
        if tool.name in ENDINGS:
            continue
        for words in _worded(tool):
            plan = make_plan(words, tools)
            if isinstance(plan, list) and [_tool(each) for each in plan] == [tool.name]:
                yield tool.name, words
                break
    if make_plan(SEARCH, tools) == [Search()]:
        yield SEEK, SEARCH


def _tool(task: object) -> str:
    return task.tool if isinstance(task, (PlannedCommand, Question)) else ''


def _worded(tool: OfflineTool) -> Iterator[str]:
    """How the tool might be asked for: with a number by its name, else by its purpose."""
    name, told = tool.name.replace('_', ' '), _numbers(tool)
    clause = _CLAUSE_ENDS.split(tool.description, maxsplit=1)[0].strip().lower()
    if told:
        yield f'{name} {told}'
        yield f'{clause} {told}'
    if not tool.required:
        yield from (clause, name) if len(clause.split()) <= LONGEST_CLAUSE else (name,)


def _numbers(tool: OfflineTool) -> str:
    """Its required numbers by their names, or one that is a time."""
    named = [
        name
        for name in tool.properties
        if name in tool.required and tool.properties[name].get('type') in ('number', 'integer')
    ]
    timed = [name for name in tool.properties if re.search(r'_s$|^seconds$', name)]
    if timed and set(timed[:1]) >= tool.required:
        return f'{_within(tool, timed[0], TIME)} s'
    first = dict.fromkeys(named[:1], AHEAD)
    return ' '.join(f'{name} {_within(tool, name, first.get(name, 0))}' for name in named)


def _within(tool: OfflineTool, name: str, value: int) -> int:
    schema = tool.properties[name]
    return int(max(min(value, schema.get('maximum', value)), schema.get('minimum', value)))


def _unlike(goals: list[str]) -> list[str]:
    """One goal for each first word."""
    first: dict[str, str] = {}
    for goal in goals:
        first.setdefault(goal.split()[0], goal)
    return list(first.values())


def _read(goal: str) -> tuple[set[str], bool]:
    """The meanings of a goal's words, and whether it asks something."""
    parts = read_goal(goal[:LONGEST_GOAL], (), ())
    return {each for part in parts for each in part.meanings}, any(
        part.is_question or 'status' in part.meanings for part in parts
    )
