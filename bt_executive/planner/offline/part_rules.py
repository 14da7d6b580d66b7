"""What one part of a goal is to the part before it: no wish of its own, but more of that."""

from __future__ import annotations

from collections.abc import Sequence, Set

from bt_executive.planner.offline.clauses import GoalPart
from bt_executive.planner.offline.example_vectors import Match
from bt_executive.planner.offline.function_words import kinds
from bt_executive.planner.offline.offered_tools import Tools, slot_of
from bt_executive.planner.offline.picture_search import LOOK, rates
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Search, Task, tool_name

AFTER_ANOTHER = frozenset({'manner: again'})  # “…, then take a picture again” is one more
_NEAREST, _NEAR = 5, 0.3  # of the tools of which a part may begin a wish


def says_no_more(part: GoalPart) -> bool:
    """Return whether a part says nothing besides a wish."""
    return not (part.kinds or part.amounts or part.odd or part.twice or part.later)


def is_near(match: Match, names: Set[str]) -> bool:
    """Return whether a part may be meant for one of these tools."""
    least = match.best.score - _NEAR
    return any(each.name in names and each.score >= least for each in match.ranked[:_NEAREST])


def may_be_one_picture(
    task: Task, tasks: Sequence[Task], part: GoalPart, before: GoalPart | None
) -> bool:
    """Return whether a part may only rate the picture before it: “snap it and score it”."""
    if not tasks or tasks[-1] != PlannedCommand(LOOK) or before is None:
        return False
    return task == Search() or (task == PlannedCommand(LOOK) and part.text != before.text)


class PartRules:
    """Rules for the parts of one goal.

    Args:
        tools: Those that are offered.
        goal: What was said.
    """

    def __init__(self, tools: Tools, goal: str) -> None:
        self._tools, self._goal = tools, goal

    def only_rates(self, part: GoalPart, tasks: Sequence[Task]) -> bool:
        """Return whether a part is only about the picture that was asked for just before it."""
        says_more = part.amounts or part.odd or kinds(part.text) - {'question', 'asking: how'}
        return tasks[-1:] == [PlannedCommand(LOOK)] and rates(part.text) and not says_more

    def waits(self, task: Task) -> bool:
        """Return whether a tool is told what to wait for, by one of the words that it knows."""
        return not isinstance(task, Search) and self._tools[task.tool].waits(task.arguments)

    def may_open(self, part: GoalPart, match: Match) -> bool:
        """Return whether a part may only begin the next: it is not clear, or looks."""
        tool = self._tools.get(match.best.name)
        is_seen = tool is not None and tool.text_argument and not any(map(slot_of, tool.examples))
        keeps_on = tool is not None and tool.switch
        return says_no_more(part) and (not match.is_sure or bool(is_seen or keeps_on))

    def opens(self, match: Match, task: Task | str) -> bool:
        """Return whether what a part is near to is told here what to wait for, or how often."""
        if isinstance(task, str | Search):
            return False
        often = not self._tools[task.tool].rates.isdisjoint(task.arguments)
        return (often or self.waits(task)) and is_near(match, {tool_name(task)})

    def asks_more(self, task: Task, tasks: list[Task]) -> bool:
        """Make one of two questions to a tool that is asked in free words: the whole goal."""
        last = tasks[-1] if tasks else None
        if not isinstance(task, PlannedCommand) or not isinstance(last, PlannedCommand):
            return False
        tool = self._tools[task.tool]
        text = tool.text_argument
        if last.tool != task.tool or not text or any(map(slot_of, tool.examples)):
            return False
        tasks[-1] = PlannedCommand(task.tool, {**last.arguments, text: self._goal.strip()[:200]})
        return True
