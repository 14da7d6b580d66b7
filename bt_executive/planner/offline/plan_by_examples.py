"""Plans a goal each of whose clauses is near enough to an example of a tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bt_executive.planner.offline.clause_parsing import Clause, joined
from bt_executive.planner.offline.clause_task import ClausePlanner
from bt_executive.planner.offline.connectives_lists_and_quotations import Connective
from bt_executive.planner.offline.courtesy_and_asides import asks_in_japanese
from bt_executive.planner.offline.example_vectors import Match
from bt_executive.planner.offline.modifiers import find_modifiers
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.one_intent_per_clause import HALF, merge_clauses
from bt_executive.planner.offline.planned_tasks import (
    ANOTHER,
    ClauseRules,
    PlannedCommand,
    Task,
    may_rate_picture,
    rates,
)
from bt_executive.planner.offline.tool_classifier import ToolClassifier

MOST_CLAUSES = 8


def plan_by_examples(
    goal: str, whole: Clause, clauses: list[Clause], tools: Tools, classifier: ToolClassifier
) -> list[Task] | str:
    """Return the tasks of a goal, or the rest of a sentence why it is declined."""
    declined = ''
    for with_asides in (False, True):
        merged = merge_clauses(whole, clauses, tools, classifier, MOST_CLAUSES, with_asides)
        if len(merged) > MOST_CLAUSES:
            return f'it does at most {MOST_CLAUSES} things for a goal'
        plan = _ExamplePlan(tools, classifier, len(merged) == 1, goal).tasks(merged)
        if not isinstance(plan, str):
            return plan
        declined = declined or plan
    return declined


class _ExamplePlan:
    """Plans one goal, and keeps what was named in it."""

    def __init__(self, tools: Tools, classifier: ToolClassifier, alone: bool, goal: str) -> None:
        self._tools, self._classifier = tools, classifier
        self._clauses = ClausePlanner(tools, classifier, alone, goal)
        self._rules = ClauseRules(tools, goal)

    def tasks(self, clauses: Sequence[Clause]) -> list[Task] | str:
        tasks: list[Task] = []
        before: Clause | None = None
        matches = self._classifier.match([clause.text for clause in clauses])
        pairs = self._without_introductions(list(zip(clauses, matches, strict=True)))
        conditions, planned = sum(each.has('condition') for each in clauses), 0
        for at, (clause, match) in enumerate(pairs):
            has_more = clause.amounts or clause.unparsed or find_modifiers(clause.text)
            if match.is_polite and not has_more:
                continue
            if (before and clause.repeats(before)) or self._rules.only_rates(clause, tasks):
                continue
            is_another = clause.modifiers & ANOTHER
            if tasks:
                clause = replace(clause, modifiers=clause.modifiers - ANOTHER)
            task = self._clauses.why_ambiguous(clause, match) or self._clauses.task(clause, match)
            if isinstance(task, str) and (longer := self._with_next(*pairs[at : at + 2])):
                pairs[at + 1] = longer
                continue
            if isinstance(task, str) and before:
                task = self._with_verb(before, clause, match) or task
                if extended := self._with_amount(tasks, before, clause):
                    tasks[-1] = extended
                    continue
            if isinstance(task, str):
                return task
            if not is_another and may_rate_picture(task, tasks, clause, before):
                if before and before.has('question') and rates(before.text):
                    continue  # the picture by which the question is answered
                return f'it is not sure whether “{clause.text}” asks for another picture'
            self._rules.add(task, tasks, clause, before)
            planned += clause.has('condition') and self._rules.waits(tasks[-1])
            before = clause
        is_open = any(map(self._rules.waits, tasks[:-1])) or planned < conditions
        if len(tasks) > 1 and conditions and is_open:
            return 'it cannot wait for a condition, or choose, beside other wishes'
        return tasks or 'it names nothing to do'

    def _without_introductions(
        self, pairs: list[tuple[Clause, Match]]
    ) -> list[tuple[Clause, Match]]:
        """Return clauses without those that only introduce the next: “keep an eye on it and …”."""
        found = []
        for at, (clause, match) in enumerate(pairs):
            after = pairs[at + 1 : at + 2]
            if not self._rules.may_introduce(clause, match):
                after = []
            elif after and after[0][0].connective is Connective.THEN:
                after = after if asks_in_japanese(clause.text) else []
            tasks = [self._clauses.task(*each) for each in after]
            if not any(self._rules.introduces(match, each) for each in tasks):
                found.append((clause, match))
        return found

    def _with_next(
        self, this: tuple[Clause, Match], *following: tuple[Clause, Match]
    ) -> tuple[Clause, Match] | None:
        """Return a clause joined with one after a comma, if both are for one tool.

        “Mark this spot, we call it camp” names nothing before the comma.
        """
        clause, match = this
        for other, its_match in following:
            if other.after_comma and its_match.best.name == match.best.name in self._tools:
                whole = joined(clause, other)
                (both,) = self._classifier.match([whole.text])
                if both.is_sure and both.best.name == match.best.name:
                    return whole, both
        return None

    def _with_verb(self, before: Clause, clause: Clause, match: Match) -> Task | None:
        """Return the task of a clause without a verb, after the verb of the clause before it.

        “Show me the topics and the nodes”. The clause itself must be nearest to the same tool.
        """
        verb, blank, _ = before.text.partition(' ')
        if match.is_sure or not blank or match.best.name not in self._tools:
            return None
        whole = replace(clause, text=f'{verb} {clause.text}')
        (found,) = self._classifier.match([whole.text])
        if not found.is_sure or found.best.name != match.best.name or found.similarity < HALF:
            return None
        task = self._clauses.task(whole, found)
        return None if isinstance(task, str) else task

    def _with_amount(
        self, tasks: Sequence[Task], before: Clause, clause: Clause
    ) -> PlannedCommand | None:
        """Return the last task with an amount that a clause only adds: “…, facing 1.57 rad”."""
        last = tasks[-1]
        shared = {each.unit for each in before.amounts} & {each.unit for each in clause.amounts}
        if not clause.amounts or shared or not isinstance(last, PlannedCommand):
            return None
        whole = joined(before, clause)
        (found,) = self._classifier.match([whole.text])
        if not found.is_sure or found.best.name != last.tool:
            return None
        task = self._clauses.task(whole, found)
        if not isinstance(task, PlannedCommand):
            return None
        return task if last.arguments.items() <= task.arguments.items() else None
