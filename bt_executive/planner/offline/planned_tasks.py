"""The tasks of a plan: a command, a question, or the search for a picture."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from bt_executive.planner.offline.connectives import (
    Connective,
)
from bt_executive.planner.offline.picture_search import LOOK


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

    Args:
        task: Of a clause.
        tasks: Of the clauses before.
        connective: Between the last two clauses.
        same_text: Whether both clauses have the same text.
        moves: Whether the tool uses a resource of the robot.
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
