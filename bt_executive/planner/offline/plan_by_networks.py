"""Plans a goal by the intents that the networks for its tools predict.

The goal is cut between the predicted labels where a clause most likely starts. What rules or
examples say against the plan is an objection to it.
"""

from __future__ import annotations

from bt_executive.planner.offline.clause_parsing import Clause
from bt_executive.planner.offline.clause_task import ClausePlanner
from bt_executive.planner.offline.confidence_despite_objections import Objection
from bt_executive.planner.offline.intents_by_networks import Parse
from bt_executive.planner.offline.neural_networks import tool_of
from bt_executive.planner.offline.objections_to_intents import IntentObjections
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.planned_tasks import (
    ANOTHER,
    LOOK,
    ClauseRules,
    Task,
    may_rate_picture,
)
from bt_executive.planner.offline.tool_classifier import ToolClassifier


class IntentPlanner:
    """Plans one goal by its intents, and keeps what was named in it.

    Args:
        alone: Whether the goal has one intent.

    Attributes:
        objections: What rules say against the plan.
    """

    def __init__(self, tools: Tools, classifier: ToolClassifier, alone: bool, goal: str) -> None:
        self.objections: list[Objection] = []
        self._tools, self._classifier = tools, classifier
        self._against = IntentObjections(tools, classifier, goal)
        self._clauses = ClausePlanner(tools, classifier, alone, goal)
        self._rules = ClauseRules(tools, goal)

    def tasks(self, parse: Parse) -> list[Task] | str:
        """Return the tasks of a parse, or the rest of a sentence why it is declined."""
        tasks: list[Task] = []
        before: Clause | None = None
        self.objections += self._against.to_end(parse)
        names = {tool_of(each.label) for each in parse.intents}
        for number, intent in enumerate(parse.intents):
            clause = intent.clause
            if intent.label == LOOK and self._rules.only_rates(clause, tasks):
                continue
            is_same = before is not None and intent.label == parse.intents[number - 1].label
            if is_same and self._is_once(intent.label):
                reason = f'it is not sure whether “{clause.text:.60}” asks for more'
                self.objections.append(Objection('once', reason))
            self.objections += self._against.to_pieces(intent, names)
            task = self._clauses.intent_task(intent, before is not None, self.objections)
            if isinstance(task, str):
                return task
            if before and self._is_introduced(before, task):
                tasks.pop()
            is_another = clause.modifiers & ANOTHER
            if not is_another and may_rate_picture(task, tasks, clause, before):
                continue
            self._rules.add(task, tasks, clause, before)
            before = clause
        if any(map(self._rules.waits, tasks[:-1])):
            reason = 'it cannot wait for a condition, or choose, beside other wishes'
            self.objections.append(Objection('open', reason))
        return tasks

    def _is_introduced(self, before: Clause, task: Task) -> bool:
        (match,) = self._classifier.match([before.text])
        return self._rules.may_introduce(before, match) and self._rules.introduces(match, task)

    def _is_once(self, label: str) -> bool:
        """Return whether a label that is predicted twice in a row is rather one intent."""
        tool = self._tools.get(tool_of(label))
        return tool is not None and tool.name != LOOK and not tool.text_argument
