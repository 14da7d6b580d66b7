"""The tasks of a plan: one tool with its arguments, a question, or the search for a picture."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from bt_executive.planner.offline.connectives import (
    Joint,
)
from bt_executive.planner.offline.picture_search import LOOK


@dataclass(frozen=True)
class PlannedCommand:
    """One tool with its arguments; `measured` if it was told how far, how long or how much."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    measured: bool = False


@dataclass(frozen=True)
class Question:
    """What a tool that only reads is asked: fields of its result."""

    tool: str
    about: tuple[str, ...]  # nothing: all that the tool says
    arguments: dict[str, Any] = field(default_factory=dict)
    measured: bool = False


@dataclass(frozen=True)
class Search:
    """A good picture is wanted, from wherever it can be had."""


Task: TypeAlias = PlannedCommand | Question | Search


def tool_name(task: Task) -> str:
    """Return the tool of a task: of a search the one that takes the pictures."""
    return LOOK if isinstance(task, Search) else task.tool


def add(
    task: Task,
    tasks: list[Task],
    joint: Joint = Joint.THEN,
    same_words: bool = False,
    moves: bool = False,
) -> None:
    """Add a task, or what it adds to the one before, of which it may be the same in other words.

    “Watch every 5 s, and tell me when …” adds, “halt! stop right there” says it again. Amounts
    that are said twice are two tasks, and so is what “then” joins, the same words with “and”
    between them, and of a tool that moves what “and” joins.

    Args:
        task: What is asked for.
        tasks: What was asked for before.
        joint: What joins both.
        same_words: Whether both are said in the same words.
        moves: Whether its tool uses a part of the robot.
    """
    last = tasks[-1] if tasks else None
    if isinstance(task, PlannedCommand) and isinstance(last, PlannedCommand):
        again = joint < Joint.AND or (
            joint is Joint.AND and not same_words and not (moves and task.arguments)
        )
        if one := _as_one(last, task, again):
            tasks[-1] = one
            return
    elif isinstance(task, Question) and isinstance(last, Question):
        if (last.tool, last.arguments) == (task.tool, task.arguments):
            both = tuple(dict.fromkeys((*last.about, *task.about)))
            tasks[-1] = replace(last, about=both if last.about and task.about else ())
            return  # one answer has both
    elif last == (Search() if task == PlannedCommand(LOOK) else task):
        return  # the search has taken it, or it is asked twice
    tasks.append(task)


def _as_one(
    last: PlannedCommand, task: PlannedCommand, may_be_same: bool
) -> PlannedCommand | None:
    """Return two commands of one tool as one; None: they are two."""
    if last.tool != task.tool:
        return None
    if may_be_same and not task.arguments:
        return last
    if may_be_same and task == last and not task.measured:
        return task
    if may_be_same and last.arguments.items() < task.arguments.items():
        return task
    if task == last and any(isinstance(each, str) for each in task.arguments.values()):
        return last
    if last.arguments and task.arguments and not set(last.arguments) & set(task.arguments):
        both = {**last.arguments, **task.arguments}
        return PlannedCommand(task.tool, both, last.measured or task.measured)
    return None
