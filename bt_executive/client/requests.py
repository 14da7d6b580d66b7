"""What a front end asks of the executive: a goal, or one tool."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GoalRequest:
    """Pursue this goal: the operator's words, or the name of a template."""

    text: str


@dataclass(frozen=True)
class ToolRequest:
    """Run this one tool under the tree's guards.

    Attributes:
        arguments: JSON object, or empty for none.
        ask: Whether the operator is asked first: whoever asks for it is not the operator.
    """

    name: str
    arguments: str = ''
    ask: bool = False
