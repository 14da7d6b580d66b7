"""What a front end asks of the executive: a goal, or one tool."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GoalRequest:
    """Pursue this goal: the operator's words, or the name of a template.

    `goal_id`: a UUID that names it from end to end, so that a request that arrives twice is one
    goal; empty: a new one.
    """

    text: str
    goal_id: str = ''


@dataclass(frozen=True)
class ToolRequest:
    """Run this one tool under the tree's guards. `arguments`: JSON object, or empty for none.

    `goal_id`: see `GoalRequest`.
    """

    name: str
    arguments: str = ''
    goal_id: str = ''
