"""Makes a plan of a goal each of whose parts is near enough to an example of a tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bt_executive.planner.offline.clauses import GoalPart, joined
from bt_executive.planner.offline.connectives import Joint
from bt_executive.planner.offline.example_vectors import Match
from bt_executive.planner.offline.function_words import asks_in_japanese, kinds
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.part_kinds import says
from bt_executive.planner.offline.part_rules import AFTER_ANOTHER, PartRules, may_be_one_picture
from bt_executive.planner.offline.part_task import PartReader
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Task, add, tool_name
from bt_executive.planner.offline.tool_by_examples import Meanings
from bt_executive.planner.offline.wishes import HALF, wishes

MOST_PARTS = 8


def plan_by_examples(
    goal: str, whole: GoalPart, parts: list[GoalPart], tools: Tools, meanings: Meanings
) -> list[Task] | str:
    """Return the plan of a goal each of whose parts is near enough to an example."""
    declined = ''
    for with_asides in (False, True):
        found = wishes(whole, parts, tools, meanings, MOST_PARTS, with_asides)
        if len(found) > MOST_PARTS:
            return f'it does at most {MOST_PARTS} things for a goal'
        plan = _ExamplePlan(tools, meanings, len(found) == 1, goal).tasks(found)
        if not isinstance(plan, str):
            return plan
        declined = declined or plan
    return declined


class _ExamplePlan:
    """One goal, with what was named in it so far."""

    def __init__(self, tools: Tools, meanings: Meanings, alone: bool, goal: str) -> None:
        self._tools, self._meanings = tools, meanings
        self._parts = PartReader(tools, meanings, alone, goal)
        self._rules = PartRules(tools, goal)

    def tasks(self, parts: Sequence[GoalPart]) -> list[Task] | str:
        tasks: list[Task] = []
        before: GoalPart | None = None
        matches = self._meanings.match([part.text for part in parts])
        both = self._without_openings(list(zip(parts, matches, strict=True)))
        conditions, taken = sum(says(each, 'condition') for each in parts), 0
        for at, (part, match) in enumerate(both):
            said_more = part.amounts or part.odd or kinds(part.text)
            if match.is_polite and not said_more:
                continue
            if (before and part.repeats(before)) or self._rules.only_rates(part, tasks):
                continue
            again = part.kinds & AFTER_ANOTHER
            if tasks:
                part = replace(part, kinds=part.kinds - AFTER_ANOTHER)
            task = self._parts.two(part, match) or self._parts.task(part, match)
            if isinstance(task, str) and (more := self._with_next(*both[at : at + 2])):
                both[at + 1] = more
                continue
            if isinstance(task, str) and before:
                task = self._with_verb(before, part, match) or task
                if added := self._with_more(tasks, before, part):
                    tasks[-1] = added
                    continue
            if isinstance(task, str):
                return task
            if not again and may_be_one_picture(task, tasks, part, before):
                return f'it is not sure whether “{part.text}” asks for another picture'
            if not self._rules.asks_more(task, tasks):
                same_words = before is not None and part.text == before.text
                moves = bool(self._tools[tool_name(task)].parts)
                add(task, tasks, part.joint, same_words, moves)
            taken += says(part, 'condition') and self._rules.waits(tasks[-1])
            before = part
        is_open = any(map(self._rules.waits, tasks[:-1])) or taken < conditions
        if len(tasks) > 1 and conditions and is_open:
            return 'it cannot wait for a condition, or choose, beside other wishes'
        return tasks or 'it names nothing to do'

    def _without_openings(
        self, both: list[tuple[GoalPart, Match]]
    ) -> list[tuple[GoalPart, Match]]:
        """Return parts without those that only begin the next: “keep an eye on it and …”."""
        kept = []
        for at, (part, match) in enumerate(both):
            after = both[at + 1 : at + 2]
            if after and after[0][0].joint is Joint.THEN and not asks_in_japanese(part.text):
                after = []
            tasks = [
                self._parts.task(*each) for each in after if self._rules.may_open(part, match)
            ]
            if not any(self._rules.opens(match, each) for each in tasks):
                kept.append((part, match))
        return kept

    def _with_next(
        self, this: tuple[GoalPart, Match], *following: tuple[GoalPart, Match]
    ) -> tuple[GoalPart, Match] | None:
        """Return a part with the next one, if a comma parts them and both are for one tool.

        “Mark this spot, we call it camp” names nothing before the comma.
        """
        part, match = this
        for other, its in following:
            if other.after_comma and its.best.name == match.best.name in self._tools:
                whole = joined(part, other)
                (found,) = self._meanings.match([whole.text])
                if found.is_sure and found.best.name == match.best.name:
                    return whole, found
        return None

    def _with_verb(self, before: GoalPart, part: GoalPart, match: Match) -> Task | None:
        """Return what a part without a verb means after the verb of the part before it.

        “Show me the topics and the nodes”. The part itself must be nearest to the same tool.
        """
        verb, blank, _ = before.text.partition(' ')
        if match.is_sure or not blank or match.best.name not in self._tools:
            return None
        whole = replace(part, text=f'{verb} {part.text}')
        (found,) = self._meanings.match([whole.text])
        if not found.is_sure or found.best.name != match.best.name or found.similarity < HALF:
            return None
        task = self._parts.task(whole, found)
        return None if isinstance(task, str) else task

    def _with_more(
        self, tasks: Sequence[Task], before: GoalPart, part: GoalPart
    ) -> PlannedCommand | None:
        """Return the last task with an amount that a part only adds: “…, facing 1.57 rad”."""
        last = tasks[-1]
        alike = {each.unit for each in before.amounts} & {each.unit for each in part.amounts}
        if not part.amounts or alike or not isinstance(last, PlannedCommand):
            return None
        whole = joined(before, part)
        (found,) = self._meanings.match([whole.text])
        if not found.is_sure or found.best.name != last.tool:
            return None
        task = self._parts.task(whole, found)
        is_more = (
            isinstance(task, PlannedCommand) and last.arguments.items() <= task.arguments.items()
        )
        return task if is_more and isinstance(task, PlannedCommand) else None
