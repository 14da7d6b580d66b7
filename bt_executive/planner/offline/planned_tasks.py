"""The tasks of a plan: one tool with its arguments, a question, or the search for a picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

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


def add(task: Task, tasks: list[Task]) -> None:
    """Add a task, or what it adds to the one before: “watch every 5 s, and tell me when …”."""
    last = tasks[-1] if tasks else None
    if not isinstance(task, PlannedCommand):
        if last != task:  # what is asked twice is asked once
            tasks.append(task)
        return
    if last == Search() and task == PlannedCommand(LOOK):  # the search has taken it
        return
    if isinstance(last, PlannedCommand) and last.tool == task.tool:
        names = any(isinstance(each, str) for each in task.arguments.values())
        if task == last and names:
            return
        if last.arguments and task.arguments and not set(last.arguments) & set(task.arguments):
            both = {**last.arguments, **task.arguments}
            tasks[-1] = PlannedCommand(task.tool, both, last.measured or task.measured)
            return
    tasks.append(task)
