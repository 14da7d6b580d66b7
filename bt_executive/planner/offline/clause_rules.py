"""Rules for clauses that add to the clause before them instead of having an intent."""

from __future__ import annotations

from collections.abc import Sequence, Set

from bt_executive.planner.offline.clauses import Clause
from bt_executive.planner.offline.example_vectors import Match
from bt_executive.planner.offline.function_words import find_modifiers
from bt_executive.planner.offline.offered_tools import Tools, slot_of
from bt_executive.planner.offline.picture_search import LOOK, rates
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Search, Task, tool_name

ANOTHER = frozenset({'manner: again'})  # “…, then take a picture again” is one more
_NEAREST, _NEAR = 5, 0.3  # ranks, and distance to the best score, of tools that may be meant


def is_bare(clause: Clause) -> bool:
    """Return whether a clause says nothing besides an intent."""
    return not (
        clause.modifiers
        or clause.amounts
        or clause.unparsed
        or clause.repetition
        or clause.is_delayed
    )


def is_near(match: Match, names: Set[str]) -> bool:
    """Return whether a clause may be meant for one of these tools."""
    least = match.best.score - _NEAR
    return any(each.name in names and each.score >= least for each in match.ranked[:_NEAREST])


def may_rate_picture(
    task: Task, tasks: Sequence[Task], clause: Clause, before: Clause | None
) -> bool:
    """Return whether a clause may only rate the picture before it: “snap it and score it”."""
    if not tasks or tasks[-1] != PlannedCommand(LOOK) or before is None:
        return False
    return task == Search() or (task == PlannedCommand(LOOK) and clause.text != before.text)


class ClauseRules:
    """Rules for the clauses of one goal.

    Args:
        tools: The offered tools.
        goal: The goal's text.
    """

    def __init__(self, tools: Tools, goal: str) -> None:
        self._tools, self._goal = tools, goal

    def only_rates(self, clause: Clause, tasks: Sequence[Task]) -> bool:
        """Return whether a clause only rates the picture of the task before it."""
        modifiers = find_modifiers(clause.text) - {'question', 'asking: how'}
        has_more = clause.amounts or clause.unparsed or modifiers
        return tasks[-1:] == [PlannedCommand(LOOK)] and rates(clause.text) and not has_more

    def waits(self, task: Task) -> bool:
        """Return whether a task waits for a condition that its tool has a value for."""
        return not isinstance(task, Search) and self._tools[task.tool].waits(task.arguments)

    def may_introduce(self, clause: Clause, match: Match) -> bool:
        """Return whether a clause may only introduce the next: it is unclear, or it observes."""
        tool = self._tools.get(match.best.name)
        observes = tool is not None and tool.text_argument and not any(map(slot_of, tool.examples))
        is_switch = tool is not None and tool.switch
        return is_bare(clause) and (not match.is_sure or bool(observes or is_switch))

    def introduces(self, match: Match, task: Task | str) -> bool:
        """Return whether the next task gives a tool near to a clause its condition or rate."""
        if isinstance(task, str | Search):
            return False
        has_rate = not self._tools[task.tool].rates.isdisjoint(task.arguments)
        return (has_rate or self.waits(task)) and is_near(match, {tool_name(task)})

    def merge_question(self, task: Task, tasks: list[Task]) -> bool:
        """Replace two questions in free text to one tool by the whole goal; return whether so."""
        last = tasks[-1] if tasks else None
        if not isinstance(task, PlannedCommand) or not isinstance(last, PlannedCommand):
            return False
        tool = self._tools[task.tool]
        text = tool.text_argument
        if last.tool != task.tool or not text or any(map(slot_of, tool.examples)):
            return False
        tasks[-1] = PlannedCommand(task.tool, {**last.arguments, text: self._goal.strip()[:200]})
        return True
