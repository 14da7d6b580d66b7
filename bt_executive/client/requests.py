"""What a front end asks of the executive, a goal or one tool, and of the spatial memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


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
    """Run this one tool under the tree's guards.

    Attributes:
        arguments: JSON object, or empty for none.
        goal_id: See `GoalRequest`.
    """

    name: str
    arguments: str = ''
    goal_id: str = ''


@dataclass(frozen=True)
class MemoryRequest:
    """Ask the memory where something is, or have it remember where the robot is now.

    Nothing moves for it, and it waits for nothing. `key`: of this wish to remember, so that it
    changes nothing if it comes twice.
    """

    kind: Literal['recall', 'remember']
    text: str = ''
    key: str = ''
