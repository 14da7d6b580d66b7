"""Goals that the offline model can execute, as suggestions.

They are examples of the offered tools; one is shown only if the model's plan for it is that tool.
"""

from __future__ import annotations

import re

from bt_executive.planner.offline.clauses import LONGEST_GOAL
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.offered_tools import ENDINGS, OfflineTool, Tools, example_text
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search
from bt_executive.planner.offline.reply_sentences import language_of
from bt_executive.planner.offline.tool_classifier import classifier_for
from rover_common.config.robot_examples import MOST_SHOWN, first_of_each_kind

TRIED = 3  # nearest tools, and examples of each
NEAR = 0.25  # least score of a related tool
HELP = re.compile(
    r'(?:help|\?+|(?:what|which things) (?:can|could) (?:you do|i (?:say|ask))(?: for me)?'
    r'|(?:show me |give me )?(?:some )?examples|ヘルプ|何ができ\w*|使い方|帮助|你(?:能|会)做什么)',
    re.IGNORECASE,
)


def asks_for_help(goal: str) -> bool:
    """Return whether a goal asks for help."""
    text = ' '.join(goal[:LONGEST_GOAL].split()).strip(' !.？！。?')
    return HELP.fullmatch(text) is not None


def examples(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> list[str]:
    """Return at most six goals that work, each for another tool, in the language of the goal.

    Tools with different resources or arguments come first, as on the page.
    """
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    moving = {
        name: (each.resources, *each.properties)
        for name, each in offered.items()
        if each.resources
    }
    found: list[str] = []
    for name in dict.fromkeys((*first_of_each_kind(moving), *offered)):
        if len(found) < MOST_SHOWN:
            found += _working(offered[name], goal, tools, no_tool)
    return found


def nearest(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> str:
    """Return the working goal that is nearest to a declined one; empty: none is near."""
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    if not offered:
        return ''
    (match,) = classifier_for(offered, no_tool).match([goal[:LONGEST_GOAL].lower()])
    likely = (each for each in match.ranked if each.name in offered and each.score >= NEAR)
    names = [each.name for each in likely][:TRIED]
    working = (_working(offered[name], goal, tools, no_tool) for name in names)
    return next((goals[0] for goals in working if goals), '')


def _working(tool: OfflineTool, goal: str, tools: Tools, no_tool: tuple[str, ...]) -> list[str]:
    """Return at most one example of a tool for which the plan is that tool."""
    script = language_of(goal)
    texts = sorted(
        (example_text(each) for each in tool.examples),
        key=lambda each: language_of(each) != script,
    )
    for each in texts[:TRIED]:
        plan = make_plan(each, tools, no_tool)
        if isinstance(plan, list) and [_tool(task, tool.name) for task in plan] == [tool.name]:
            return [each]
    return []


def _tool(task: object, searching: str) -> str:
    if isinstance(task, Search):
        return searching
    return task.tool if isinstance(task, (PlannedCommand, Question)) else ''
