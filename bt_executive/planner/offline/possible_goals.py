"""Goals that this model carries out with the offered tools, for whoever asks or is declined.

They are the examples of the tools, and shown only if this model's own plan for it is that tool.
"""

from __future__ import annotations

import re

from bt_executive.planner.offline.clauses import LONGEST_GOAL
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.offered_tools import ENDINGS, OfflineTool, Tools, example_text
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search
from bt_executive.planner.offline.reply_sentences import language_of
from bt_executive.planner.offline.tool_by_examples import meanings_of
from rover_common.config.shown_tools import MOST_SHOWN, first_of_each_kind

TRIED = 3  # nearest tools that are looked at for a goal that works
NEAR = 0.25  # least score of a tool for a goal that has anything to do with what was said
HELP = re.compile(
    r'(?:help|\?+|(?:what|which things) (?:can|could) (?:you do|i (?:say|ask))(?: for me)?'
    r'|(?:show me |give me )?(?:some )?examples|ヘルプ|何ができ\w*|使い方|帮助|你(?:能|会)做什么)',
    re.IGNORECASE,
)


def is_asked_for(goal: str) -> bool:
    """Return whether a goal asks what can be asked for."""
    plain = ' '.join(goal[:LONGEST_GOAL].split()).strip(' !.？！。?')
    return HELP.fullmatch(plain) is not None


def examples(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> list[str]:
    """Return at most six goals that work, each of another tool, in the language of the goal.

    First those of tools that use different parts of the robot or arguments, as the page does.
    """
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    moving = {name: (each.parts, *each.properties) for name, each in offered.items() if each.parts}
    found: list[str] = []
    for name in dict.fromkeys((*first_of_each_kind(moving), *offered)):
        if len(found) < MOST_SHOWN:
            found += _working(offered[name], goal, tools, no_tool)
    return found


def nearest(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> str:
    """Return the working goal that is most like a declined one; empty: none is like it."""
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    if not offered:
        return ''
    (match,) = meanings_of(offered, no_tool).match([goal[:LONGEST_GOAL].lower()])
    likely = (each for each in match.ranked if each.name in offered and each.score >= NEAR)
    names = [each.name for each in likely][:TRIED]
    working = (_working(offered[name], goal, tools, no_tool) for name in names)
    return next((goals[0] for goals in working if goals), '')


def _working(tool: OfflineTool, goal: str, tools: Tools, no_tool: tuple[str, ...]) -> list[str]:
    """Return one goal of a tool that this model carries out with it, or none."""
    script = language_of(goal)
    said = sorted(
        (example_text(each) for each in tool.examples),
        key=lambda each: language_of(each) != script,
    )
    for each in said[:TRIED]:
        plan = make_plan(each, tools, no_tool)
        if isinstance(plan, list) and [_tool(task, tool.name) for task in plan] == [tool.name]:
            return [each]
    return []


def _tool(task: object, searching: str) -> str:
    if isinstance(task, Search):
        return searching
    return task.tool if isinstance(task, (PlannedCommand, Question)) else ''
