"""Plans a goal by its predicted intents, unless a rule or an example speaks against it."""

from __future__ import annotations

from dataclasses import replace
import re

from bt_executive.planner.offline.clause_merging import may_be_aside
from bt_executive.planner.offline.clause_rules import (
    ANOTHER,
    ClauseRules,
    is_bare,
    is_near,
    may_rate_picture,
)
from bt_executive.planner.offline.clause_task import ClausePlanner
from bt_executive.planner.offline.clauses import Clause
from bt_executive.planner.offline.clauses_by_networks import Parse
from bt_executive.planner.offline.connectives import only_joins, without_arrival
from bt_executive.planner.offline.function_words import (
    find_modifiers,
    is_about_others,
    is_rate,
    is_short_verb,
)
from bt_executive.planner.offline.neural_networks import arguments_of, tool_of
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.picture_search import LOOK, rates
from bt_executive.planner.offline.planned_tasks import Task, add, tool_name
from bt_executive.planner.offline.tool_classifier import ToolClassifier

CERTAIN = 0.6  # confidence from which negations and conditions are taken as understood
CLEAR_ASIDE = 0.6  # least score of a rival for an aside beside intents that are certain
_WORDS_OF_AN_ASIDE = 3
_NEVER_AN_ASIDE = frozenset({'condition', 'manner', 'ending'})


def _has_rate(clause: Clause) -> bool:
    return bool(clause.amounts) and any(map(is_rate, clause.modifiers))


def _is_short(text: str) -> bool:
    """Return whether a text is too short to be an aside by itself: “not”, “he”."""
    return len(text.split()) < _WORDS_OF_AN_ASIDE and text.isascii()


class IntentPlanner:
    """Plans one goal by its intents, and keeps what was named in it.

    Args:
        tools: The offered tools.
        classifier: Of their examples.
        alone: Whether the goal has one intent.
        goal: Its text.
    """

    def __init__(self, tools: Tools, classifier: ToolClassifier, alone: bool, goal: str) -> None:
        self._tools, self._classifier, self._goal = tools, classifier, goal
        self._clauses = ClausePlanner(tools, classifier, alone, goal)
        self._rules = ClauseRules(tools, goal)

    def tasks(self, parse: Parse) -> list[Task] | str:
        """Return the tasks of a parse, or the rest of a sentence why it is declined."""
        tasks: list[Task] = []
        before: Clause | None = None
        certain = parse.confidence >= CERTAIN
        if reason := self._why_no_aside(parse, certain):
            return reason
        for number, intent in enumerate(parse.intents, 1):
            clause = intent.clause
            if intent.label == LOOK and self._rules.only_rates(clause, tasks):
                continue
            has_words = any(map(str.isalpha, clause.masked))
            if before and (not has_words or clause.text == before.text):
                return f'it is not sure that this is all: “{clause.text:.60}”'
            is_last = number == len(parse.intents)
            is_same = before and intent.label == parse.intents[number - 2].label
            if is_same and self._is_once(intent.label):
                return f'it is not sure whether “{clause.text:.60}” asks for more'
            task = self._clauses.intent_task(intent, before is not None, is_last, certain)
            if isinstance(task, str):
                return task
            if before and self._is_introduced(before, task):
                tasks.pop()
            is_another = clause.modifiers & ANOTHER
            if not is_another and may_rate_picture(task, tasks, clause, before):
                continue
            if not self._rules.merge_question(task, tasks):
                same_text = before is not None and clause.text == before.text
                moves = bool(self._tools[tool_name(task)].resources)
                add(task, tasks, clause.connective, same_text, moves)
            before = clause
        if any(map(self._rules.waits, tasks[:-1])):
            return 'it cannot wait for a condition, or choose, beside other wishes'
        return tasks

    def _is_introduced(self, before: Clause, task: Task) -> bool:
        (match,) = self._classifier.match([before.text])
        return self._rules.may_introduce(before, match) and self._rules.introduces(match, task)

    def _is_once(self, label: str) -> bool:
        """Return whether a label that is predicted twice in a row is rather one intent."""
        tool = self._tools.get(tool_of(label))
        return tool is not None and tool.name != LOOK and not tool.text_argument

    def _why_no_aside(self, parse: Parse, certain: bool) -> str:
        """Return why a clause without a label is no aside; empty: all of them are."""
        last = parse.asides[-1].text if parse.asides else ''
        goal = normalize(self._goal).rstrip(' .!?')
        if last and only_joins(last) and re.search(rf'(?<![a-z]){re.escape(last)}$', goal):
            return f'it is not sure that this is all: “{last}”'
        texts = [without_arrival(each.text) for each in parse.asides]
        asides = [
            (clause, text)
            for clause, text in zip(parse.asides, texts, strict=True)
            if text and not only_joins(text)
        ]
        matches = self._classifier.match([text for _, text in asides])
        names = {tool_of(each.label) for each in parse.intents}
        waiting = {
            tool_of(each.label)
            for each in parse.intents
            if any(arguments_of(each.label).values()) or _has_rate(each.clause)
        }
        for (clause, text), match in zip(asides, matches, strict=True):
            kinds = {each.partition(':')[0] for each in find_modifiers(text)}
            never = kinds & _NEVER_AN_ASIDE and not (certain and is_about_others(text))
            is_known = may_be_aside(replace(clause, text=text)) or (
                certain and not _is_short(text)
            )
            has_more = clause.unparsed.strip() or clause.amounts
            if LOOK in names and rates(text) and not has_more:
                continue  # it is about the picture
            if is_bare(clause) and is_near(match, waiting):
                continue  # “keep an eye on it and …”
            if has_more or never or is_short_verb(text) or not is_known:
                return f'no tool covers “{clause.text:.60}”'
            is_rival = match.best.name in self._tools and match.best.name not in names
            if not is_rival or (certain and match.best.score < CLEAR_ASIDE):
                continue
            if match.is_sure or not self._classifier.are_asides([text])[0]:
                return f'it is not sure that this is all: “{clause.text:.60}”'
        return ''
