"""The tasks of a plan (command, question, search), and what a clause adds to those before it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
import re
from typing import Any, TypeAlias

from bt_executive.planner.offline.clause_parsing import Clause
from bt_executive.planner.offline.connectives_lists_and_quotations import Connective
from bt_executive.planner.offline.example_vectors import Match
from bt_executive.planner.offline.modifiers import find_modifiers
from bt_executive.planner.offline.offered_tools import Tools

LOOK = 'capture_and_score'

# Requests to rate the picture, which do not start a search.
_RATES = re.compile(
    r'\b(?:rat(?:e|ing)|scor(?:e|ing)|grad(?:e|ing)|assess\w*|evaluat\w*|how (?:bright|dark|light'
    r'|rough|smooth|coarse)|what the (?:surface|ground|floor) (?:is|looks) like'
    r'|(?:give|send|get) me (?:the|a) (?:brightness |light )?(?:figure|number|value|score|reading)'
    r'(?! (?:of|for|from|on) (?!it\b|that\b|this\b))'  # else it is that of something else
    r'|valut\w+|punteggio|voto|bewert\w+|benote\w*|évalue\w*|note[rz]?(?= l)'
    r'|puntúa\w*|evalúa\w*|valora\w*|avali\w+|pontu\w+|beoordeel\w*|oceń\w*|оцени\w*)\b'
    r'|評価|採点|点数|明るさを(?:数値で)?教え|打.{0,2}分|评.{0,2}分|评价|评估|評估'
)


def rates(text: str) -> bool:
    """Return whether a text asks to rate a picture."""
    return _RATES.search(text) is not None


@dataclass(frozen=True)
class PlannedCommand:
    """One tool with its arguments; `measured`: the goal gives an amount with a unit."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    measured: bool = False


@dataclass(frozen=True)
class Question:
    """A question to a tool that only reads: fields of its result."""

    tool: str
    about: tuple[str, ...]  # empty: the whole result
    arguments: dict[str, Any] = field(default_factory=dict)
    measured: bool = False


@dataclass(frozen=True)
class Search:
    """The search for a good picture, which may move the robot."""


Task: TypeAlias = PlannedCommand | Question | Search


def tool_name(task: Task) -> str:
    """Return the tool of a task; of a search the one that takes the pictures."""
    return LOOK if isinstance(task, Search) else task.tool


def add(
    task: Task,
    tasks: list[Task],
    connective: Connective = Connective.THEN,
    same_text: bool = False,
    moves: bool = False,
) -> None:
    """Add a task, or merge it into the one before, which it may extend or repeat.

    “Watch every 5 s, and tell me when …” extends, “halt! stop right there” repeats. Two amounts of
    one kind are two tasks; so are tasks joined by “then”, the same text joined by “and”, and
    motions with arguments joined by “and”.

    `connective` and `same_text` are of the last two clauses; a tool that `moves` uses a resource.
    """
    last = tasks[-1] if tasks else None
    if isinstance(task, PlannedCommand) and isinstance(last, PlannedCommand):
        may_repeat = connective < Connective.AND or (
            connective is Connective.AND and not same_text and not (moves and task.arguments)
        )
        if merged := _merged(last, task, may_repeat):
            tasks[-1] = merged
            return
    elif isinstance(task, Question) and isinstance(last, Question):
        if (last.tool, last.arguments) == (task.tool, task.arguments):
            both = tuple(dict.fromkeys((*last.about, *task.about)))
            tasks[-1] = replace(last, about=both if last.about and task.about else ())
            return  # one answer has both
    elif last == (Search() if task == PlannedCommand(LOOK) else task):
        return  # the search takes it, or it is a repetition
    tasks.append(task)


def _merged(last: PlannedCommand, task: PlannedCommand, may_repeat: bool) -> PlannedCommand | None:
    """Return two commands of one tool as one; None: they stay two."""
    if last.tool != task.tool:
        return None
    if may_repeat and not task.arguments:
        return last
    if may_repeat and task == last and not task.measured:
        return task
    if may_repeat and last.arguments.items() < task.arguments.items():
        return task
    if task == last and any(isinstance(each, str) for each in task.arguments.values()):
        return last
    if last.arguments and task.arguments and not set(last.arguments) & set(task.arguments):
        both = {**last.arguments, **task.arguments}
        return PlannedCommand(task.tool, both, last.measured or task.measured)
    return None


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
    """Rules for the clauses of one goal."""

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
        observes = tool is not None and tool.text_argument and not tool.has_slots
        is_switch = tool is not None and tool.switch
        return is_bare(clause) and (not match.is_sure or bool(observes or is_switch))

    def introduces(self, match: Match, task: Task | str) -> bool:
        """Return whether the next task gives a tool near to a clause its condition or rate."""
        if isinstance(task, str | Search):
            return False
        has_rate = not self._tools[task.tool].rates.isdisjoint(task.arguments)
        return (has_rate or self.waits(task)) and is_near(match, {tool_name(task)})

    def add(self, task: Task, tasks: list[Task], clause: Clause, before: Clause | None) -> None:
        """Add the task of a clause after those of the clauses before it."""
        if not self._merge_question(task, tasks):
            same_text = before is not None and clause.text == before.text
            moves = bool(self._tools[tool_name(task)].resources)
            add(task, tasks, clause.connective, same_text, moves)

    def _merge_question(self, task: Task, tasks: list[Task]) -> bool:
        """Replace two questions in free text to one tool by the whole goal; return whether so."""
        last = tasks[-1] if tasks else None
        if not isinstance(task, PlannedCommand) or not isinstance(last, PlannedCommand):
            return False
        tool = self._tools[task.tool]
        text = tool.text_argument
        if last.tool != task.tool or not text or tool.has_slots:
            return False
        tasks[-1] = PlannedCommand(task.tool, {**last.arguments, text: self._goal.strip()[:200]})
        return True
